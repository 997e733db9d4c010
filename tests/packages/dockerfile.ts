// Reads a Dockerfile: its stages with their instructions.

/** One instruction, such as `COPY --from=build /a /b`. */
export interface Instruction {
  /** In upper case, e.g. `COPY`. */
  readonly name: string;
  /** What follows the name, without options such as `--from=build`. */
  readonly text: string;
  /** The options by name, without dashes. */
  readonly options: ReadonlyMap<string, string>;
}

/** A stage: from one FROM to the next. */
export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Reads the stages of a Dockerfile. Throws an Error for text before the first FROM. */
export function readStages(dockerfile: string): readonly Stage[] {
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  const lines = dockerfile.replace(/^\s*#.*\n/gm, "").replace(/\\\n\s*/g, "");
  for (const line of lines.split("\n").filter((one) => one.trim() !== "")) {
    const instruction = readInstruction(line);
    if (instruction.name === "FROM") {
      const [, base = "", name] = /^(\S+)(?: AS (\S+))?$/i.exec(instruction.text) ?? [];
      stages.push({ base, name, instructions: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`Before the first FROM: ${line}`);
    stage.instructions.push(instruction);
  }
  return stages;
}

function readInstruction(line: string): Instruction {
  const [, name = "", rest = ""] = /^\s*([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
  const [, given = "", text = ""] = /^((?:--\S+\s+)*)(.*)$/.exec(rest) ?? [];
  const options = [...given.matchAll(/--([\w-]+)=(\S+)/g)].map(
    ([, option = "", value = ""]) => [option, value] as const,
  );
  return { name: name.toUpperCase(), text: text.trim(), options: new Map(options) };
}

/** The items of an instruction in exec form, `["node", "-e"]`. Throws an Error for the shell form. */
export function execForm(text: string): readonly string[] {
  const items: unknown = JSON.parse(text);
  if (Array.isArray(items) && items.every((item) => typeof item === "string")) return items;
  throw new Error(`Not in exec form: ${text}`);
}

/** The pairs of ENV or LABEL. */
export function pairsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g)].map(([, name = "", quoted, plain = ""]) => [
      name,
      quoted ?? plain,
    ]),
  );
}
