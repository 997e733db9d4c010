// Simulates clients, network, backend and receiver on a virtual clock: npm run simulate -- --help
import { parseArgs } from "node:util";

const help = `Simulates the SDK against the reference backend over a faulty network, on virtual time.

  --seeds N      how many worlds to run; as many as there are cells by default
  --from S       the first seed, 0 by default
  --attempts N   run until so many attempts were made, instead of --seeds
  --calls N      calls in each world; a seed needs the same number to be replayed
  --trace        print everything that happens
  --mutants      plant every known bug in turn; each must be caught
  --mutant NAME  plant one bug and run until it is caught`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string", default: "0" },
    attempts: { type: "string" },
    calls: { type: "string" },
    trace: { type: "boolean", default: false },
    mutants: { type: "boolean", default: false },
    mutant: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

function count(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} must be a whole number from 0, not ${text}`);
  return Number(text);
}

async function run(): Promise<boolean> {
  if (values.help) {
    console.log(help);
    return true;
  }
  if (values.mutants) return (await import("./mutation-run.ts")).runMutants();
  if (values.mutant !== undefined) return (await import("./mutation-run.ts")).runMutant(values.mutant);
  // Imported late: a bug must be planted before the code that holds it is loaded.
  const { allCells } = await import("./faults.ts");
  const { usualCalls } = await import("./plan.ts");
  const attempts = values.attempts === undefined ? undefined : count("attempts", values.attempts);
  const seeds = values.seeds === undefined ? undefined : count("seeds", values.seeds);
  return (await import("./run.ts")).runRange({
    from: count("from", values.from),
    seeds: seeds ?? (attempts === undefined ? allCells.length : undefined),
    attempts,
    calls: values.calls === undefined ? usualCalls : count("calls", values.calls),
    trace: values.trace,
  });
}

if (!(await run())) process.exitCode = 1;
