// Run it with: npm run simulate -- --help
import { parseArgs } from "node:util";

const help = `Simulates the SDK and the reference backend over a faulty network on a virtual clock.

  --seeds N      number of worlds; by default one per pair of fault and operation
  --from S       first seed; 0 by default
  --attempts N   run until the SDK has made N attempts, instead of --seeds
  --calls N      calls per world; use the same number to replay a seed
  --trace        print every event
  --mutants      plant every known bug in turn; an invariant must find each
  --mutant NAME  plant one bug and run until an invariant finds it`;

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
  if (!/^\d+$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}".`);
  return Number(text);
}

async function run(): Promise<boolean> {
  if (values.help) {
    console.log(help);
    return true;
  }
  if (values.mutants) return (await import("./mutation-run.ts")).runMutants();
  if (values.mutant !== undefined) return (await import("./mutation-run.ts")).runMutant(values.mutant);
  // Imported late, because a bug must be planted before its code is loaded.
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
