// Runs with a store, which must find nothing, and runs with a wrong behaviour, which must find it.
import type { PlantName } from "./plants.ts";
import { countsOf, printFindings } from "./report.ts";
import { type RunOptions, run } from "./run.ts";

/** What the night runs. */
export const usualRun: Omit<RunOptions, "store" | "plant"> = {
  seed: 1,
  deliveries: 1200,
  receivers: 2,
  python: 0,
  // Few, so that the deliveries take long enough for some acts.
  atOnce: 20,
  onStoreError: "handle",
  leaseMs: 500,
  // A store must not fail because a process was stopped, or because the machine is slow.
  storeTimeoutMs: 20_000,
  slowRate: 0.08,
  pauseMs: 300,
  restartsStore: false,
};

/** A mistake shows only if a process is interrupted at the right moment: there are more such moments, and a few seeds. */
const plantSeeds = 5;
const plantRun = { deliveries: 300, atOnce: 60, slowRate: 0.5 } as const;

const commandOf = ({ store, seed, deliveries, receivers, python, ...options }: RunOptions): string =>
  [
    "npm run lab -- crashes",
    ...[`--store ${store}`, `--seed ${seed}`, `--deliveries ${deliveries}`, `--receivers ${receivers}`],
    ...(python > 0 ? [`--python ${python}`] : []),
    `--at-once ${options.atOnce}`,
    ...[`--lease ${options.leaseMs}`, `--store-timeout ${options.storeTimeoutMs}`, `--pause ${options.pauseMs}`],
    `--on-store-error ${options.onStoreError}`,
    ...(options.restartsStore ? ["--restart-store"] : []),
  ].join(" ");

/** Runs with a store and prints the counts. Returns false if a promise was broken. */
export async function checkStore(options: RunOptions): Promise<boolean> {
  const result = await run(options);
  const isRight = result.verdict.findings.length === 0;
  console.log(`${isRight ? "ok    " : "FAILED"} ${options.store}`);
  for (const [name, text] of countsOf(result)) console.log(`  ${name.padEnd(48)} ${text.padStart(9)}`);
  if (isRight) return true;
  printFindings(result);
  console.log(`\nThe seed is ${options.seed}. To repeat it: ${commandOf(options)}`);
  return false;
}

/** Runs with a wrong behaviour. Returns false if no run finds it. */
export async function checkPlant(plant: PlantName, options: RunOptions): Promise<boolean> {
  for (let more = 0; more < plantSeeds; more++) {
    const seed = options.seed + more;
    const { verdict } = await run({ ...options, ...plantRun, plant, seed });
    const [first] = verdict.findings;
    if (first === undefined) continue;
    console.log(`found  ${plant}: ${first.event}: ${first.message}`);
    return true;
  }
  console.log(`MISSED ${plant}: no run found this wrong behaviour.`);
  return false;
}
