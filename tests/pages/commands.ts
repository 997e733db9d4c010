// The commands in the pages: whether a shell can read them, and whether their options exist.
import { spawnSync } from "node:child_process";
import { checks } from "../../scripts/commands/check.ts";
import { experiments } from "../../scripts/commands/lab.ts";
import { releaseSteps } from "../../scripts/commands/release.ts";
import { siteCommands } from "../../scripts/commands/site.ts";
import { type Block, read } from "./blocks.ts";

/** A command of a page with what the page shows as its output. */
export interface Statement {
  readonly line: number;
  readonly command: string;
  /** Only in `console` blocks. */
  readonly output: string | undefined;
  /** True if a mark holds it, so that the page does not show it. */
  readonly hidden?: boolean;
}

/** The complaint of a shell about the syntax of a text; empty if nothing is wrong. */
const syntaxError = (text: string): string => spawnSync("bash", ["-n"], { input: text, encoding: "utf8" }).stderr;

const isWhole = (command: string): boolean => !command.endsWith("\\") && syntaxError(`${command}\n`) === "";

/** The commands of a block in order. Throws if one is not valid. */
export function statementsIn({ page, line: fence, language, text }: Block): Statement[] {
  const statements: { line: number; command: string; output: string | undefined }[] = [];
  const lines = text.replace(/\n$/, "").split("\n");
  for (let index = 0; index < lines.length; index += 1) {
    const line = fence + 1 + index;
    const first = lines[index] ?? "";
    if (language === "console" && !first.startsWith("$ ")) {
      const last = statements.at(-1);
      if (!last) throw new Error(`${page}:${line}: A block of console begins with a command, after "$ ".`);
      last.output = `${last.output ?? ""}${first}\n`;
      continue;
    }
    let command = language === "console" ? first.slice(2) : first;
    if (command.trim() === "" || command.startsWith("#")) continue;
    while (!isWhole(command)) {
      index += 1;
      const next = lines[index];
      if (next === undefined)
        throw new Error(`${page}:${line}: ${syntaxError(command).trim() || "The command goes on."}`);
      command += `\n${next}`;
    }
    statements.push({ line, command, output: undefined });
  }
  return statements;
}

interface CommandTable {
  readonly command: string;
  readonly subcommands: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const tables = ["mock-server", "contract", "mcp"].map((name) => ({
  names: `@call-transfer/${name}`,
  table: JSON.parse(read(`packages/${name}/command.json`)) as CommandTable,
}));
const scripts: Readonly<Record<string, string>> = JSON.parse(read("package.json")).scripts;
const named: Readonly<Record<string, object>> = {
  check: checks,
  lab: experiments,
  release: releaseSteps,
  site: siteCommands,
};

/** Every option of our commands, such as `--port`. */
export const ourOptions: ReadonlySet<string> = new Set(
  tables.flatMap(({ table }) => Object.values(table.subcommands).flatMap(Object.keys)),
);

/** Commands and options in a block that do not exist, as `page:line: message`. */
export function unknownOptions({ page, line: fence, text }: Block): string[] {
  const problems: string[] = [];
  const at = (index: number) => `${page}:${fence + text.slice(0, index).split("\n").length}`;
  for (const { names, table } of tables) {
    const lines = new RegExp(
      `(?:npx (?:-y )?${names}|\\b${table.command})(?=[ \\n]) *((?:\\\\\\n|[^\\n"|&;)])*(?:"[^"]*"[^\\n"|&;)]*)*)`,
      "g",
    );
    for (const { index, 1: rest = "" } of text.matchAll(lines)) {
      const words = rest.replace(/ #.*/g, "").match(/"[^"]*"|'[^']*'|[^\s\\]+/g) ?? [];
      const [first = "", second = ""] = words;
      const known = [`${first} ${second}`, first].find((name) => name in table.subcommands);
      // A command whose actions all have a name, such as `credentials token`.
      const subcommand = known ?? (/^[a-z]+$/.test(first) ? `${first} ${second}`.trim() : "start");
      const options = table.subcommands[subcommand] ?? table.subcommands[table.command];
      if (!options) problems.push(`${at(index)}: ${table.command} has no command ${subcommand}.`);
      for (const word of words) {
        const [, option] = /^(--?[a-z][\w-]*)/.exec(word) ?? [];
        if (option?.startsWith("--") && options && !(option in options))
          problems.push(`${at(index)}: ${table.command} ${subcommand} has no option ${option}.`);
      }
    }
  }
  const runs = /\bnpm run (?:-s |--silent )?([\w:-]+)(?: -- ([a-z][\w-]*)(?![\w./]))?/g;
  for (const { index, 1: name = "", 2: second } of text.matchAll(runs)) {
    if (!(name in scripts) && !read(page).includes(`"${name}":`))
      problems.push(`${at(index)}: There is no script ${name}.`);
    if (second !== undefined && name in named && !(second in (named[name] ?? {})))
      problems.push(`${at(index)}: npm run ${name} has no ${second}.`);
  }
  return problems;
}
