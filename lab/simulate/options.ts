// The command line of npm run lab -- simulate.
import { parseArgs } from "node:util";

/** An unusable command line or file. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const help = `Simulates the SDK and the reference backend over a faulty network on a virtual clock.

  --seeds N        number of worlds; by default one per pair of fault and operation
  --from S         first seed; 0 by default
  --attempts N     run until the SDK has made N attempts, instead of --seeds
  --calls N        calls per world; use the same number to replay a seed
  --trace          print every event
  --shard K/N      run only part K of N, for example each part on another machine
  --report FILE    write the results as JSON, for --merge
  --merge FILE...  check that the reports are all shards of one run, and print them as its report
  --mutants        plant every known bug in turn; an invariant must find each
  --mutant NAME    plant one bug and run until an invariant finds it`;

/** The worlds to run. What is undefined has a default. */
export interface RunOptions {
  readonly from: number;
  readonly seeds: number | undefined;
  readonly attempts: number | undefined;
  readonly calls: number | undefined;
  readonly trace: boolean;
  readonly shard: number;
  readonly shards: number;
}

/** What a command line asks for. `report` is the file to write. */
export type Command =
  | { readonly name: "help" | "mutants" }
  | { readonly name: "mutant"; readonly mutant: string }
  | { readonly name: "run"; readonly options: RunOptions; readonly report: string | undefined }
  | { readonly name: "merge"; readonly files: readonly string[]; readonly report: string | undefined };

const options = {
  seeds: { type: "string" },
  from: { type: "string" },
  attempts: { type: "string" },
  calls: { type: "string" },
  trace: { type: "boolean" },
  shard: { type: "string" },
  report: { type: "string" },
  merge: { type: "boolean" },
  mutants: { type: "boolean" },
  mutant: { type: "string" },
  help: { type: "boolean" },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Reads a command line. Throws a {@link UsageError} for one that makes no sense. */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help) return { name: "help" };
  const { report } = values;
  if (values.merge) {
    const other = Object.keys(values).find((name) => name !== "merge" && name !== "report");
    if (other !== undefined) throw new UsageError(`--${other} does not work with --merge, which runs nothing.`);
    return { name: "merge", files: positionals, report };
  }
  const [unexpected] = positionals;
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument "${unexpected}". Files only follow --merge.`);
  if (values.mutants) return { name: "mutants" };
  if (values.mutant !== undefined) return { name: "mutant", mutant: values.mutant };
  const count = (name: "seeds" | "from" | "attempts" | "calls"): number | undefined => {
    const text = values[name];
    if (text === undefined) return undefined;
    if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} must be a whole number, not "${text}".`);
    return Number(text);
  };
  const [attempts, seeds] = [count("attempts"), count("seeds")];
  if (values.shard !== undefined && attempts !== undefined)
    throw new UsageError("--shard does not work with --attempts, which depend on all worlds before. Use --seeds.");
  const run = { from: count("from") ?? 0, seeds, attempts, calls: count("calls"), trace: values.trace ?? false };
  return { name: "run", options: { ...run, ...shardOf(values.shard ?? "1/1") }, report };
}

function shardOf(text: string): { readonly shard: number; readonly shards: number } {
  const [, shard = 0, shards = 0] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
  if (shard < 1 || shard > shards)
    throw new UsageError(`--shard must be K/N with K from 1 to N, such as 3/8, not "${text}".`);
  return { shard, shards };
}
