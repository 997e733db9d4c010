// Simulates the SDK and the reference backend over a faulty network on a virtual clock: npm run lab -- simulate --help
import { parseArgs } from "node:util";
import { allCells } from "./faults.ts";
import { usualCalls } from "./plan.ts";
import { runWorlds } from "./run.ts";

const help = `Simulates the SDK and the reference backend over a faulty network on a virtual clock.

  --seeds N   number of worlds; by default one per pair of fault and operation
  --from S    first seed; 0 by default
  --calls N   calls per world; ${usualCalls} by default. Use the same number to replay a seed
  --trace     print every event`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: String(allCells.length) },
    from: { type: "string", default: "0" },
    calls: { type: "string", default: String(usualCalls) },
    trace: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function count(name: "seeds" | "from" | "calls"): number {
  const text = values[name];
  if (!/^\d{1,15}$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}".`);
  return Number(text);
}

const range = { from: count("from"), seeds: count("seeds"), calls: count("calls"), trace: values.trace };
if (values.help) console.log(help);
else if (!(await runWorlds(range))) process.exitCode = 1;
