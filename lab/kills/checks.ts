// Runs with a server, which must find nothing, and runs with a planted mistake, which must find it.
import { runAccidents } from "./accidents.ts";
import { killsOf } from "./history.ts";
import { add, linesOf, noTotals } from "./report.ts";
import { type RunOptions, run } from "./run.ts";
import type { PlantName } from "./servers/plants.ts";

/** What the night runs. */
export const usualRun = { seed: 1, kills: 20 } as const;

const longestList = 10;

/** Runs with a server and prints the counts. Returns false if a promise was broken. */
export async function checkKind(options: Omit<RunOptions, "plant">): Promise<boolean> {
  const totals = noTotals();
  let failed: { readonly seed: number; readonly findings: readonly string[] } | undefined;
  for await (const world of run({ ...options, plant: undefined })) {
    add(totals, world);
    if (world.findings.length > 0) failed = world;
  }
  console.log(`${failed === undefined ? "ok    " : "FAILED"} ${options.kind}, seed ${options.seed}`);
  for (const line of linesOf(totals)) console.log(line);
  if (failed === undefined) return true;
  const { seed, findings } = failed;
  for (const finding of findings.slice(0, longestList)) console.log(`  ${finding}`);
  if (findings.length > longestList) console.log(`  … and ${findings.length - longestList} more.`);
  console.log(`\nTo repeat it: npm run lab -- kills --kind ${options.kind} --seed ${seed}`);
  return false;
}

/** Runs each accident of a data file, and prints what was acknowledged, left and said. Returns false if a promise was broken. */
export async function checkAccidents(seed: number): Promise<boolean> {
  let isRight = true;
  for await (const { accident, before, meanwhile, left, missing, said, findings } of runAccidents(seed)) {
    if (findings.length > 0) isRight = false;
    console.log(`${findings.length === 0 ? "ok    " : "FAILED"} ${accident}, seed ${seed}`);
    console.log(`  ${before} acknowledged before, ${meanwhile} meanwhile, ${left} left, ${missing} missing`);
    console.log(`  said: ${said}`);
    for (const finding of findings) console.log(`  ${finding}`);
  }
  return isRight;
}

/** A mistake shows only if the server is killed at the right moment. */
const plantKills = 100;

/** Runs with a planted mistake. Returns false if no world finds it. */
export async function checkPlant(plant: PlantName, seed: number): Promise<boolean> {
  for await (const { findings, history } of run({
    kind: "sqlite",
    seed,
    kills: plantKills,
    minutes: undefined,
    plant,
  })) {
    const [first] = findings;
    if (first === undefined) continue;
    console.log(`found  ${plant}, after ${killsOf(history)} kills: ${first}`);
    return true;
  }
  console.log(`MISSED ${plant}: no run found this mistake.`);
  return false;
}
