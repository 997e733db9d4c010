// Plants one bug before the code is loaded, and runs worlds until an invariant finds it. The parent process names the bug.
import { registerHooks } from "node:module";
import { type Mutant, type Outcome, simulationMutants, withBug } from "../mutation/plant.ts";

/** The number of seeds after which a bug counts as not found, and those that the correct code must hold. */
const mostSeeds = 1_500;
const controlSeeds = 500;
/** Worlds that run twice, for bugs that make two runs of one seed differ. */
const twice = 12;

/** Changes one file as it is loaded. */
function plant(mutant: Mutant): void {
  const path = new URL(`../../packages/${mutant.file}`, import.meta.url).href;
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (url !== path) return loaded;
      return { ...loaded, source: withBug(mutant, Buffer.from(loaded.source as Uint8Array).toString("utf8")) };
    },
  });
}

async function find(seeds: number): Promise<Outcome> {
  Error.stackTraceLimit = 0;
  const { simulate } = await import("./run.ts");
  for (let seed = 0; seed < seeds; seed += 1) {
    const { violations, hash } = await simulate(seed);
    const [first] = violations;
    if (first) return { caughtBy: `${first.invariant}, seed ${seed}`, failure: first.message };
    if (seed < twice && (await simulate(seed)).hash !== hash)
      return { caughtBy: "14 same seed, same trace", failure: `two runs of seed ${seed} differ` };
  }
  return {};
}

process.on("message", async (name: string) => {
  const mutant = simulationMutants.find((one) => one.name === name);
  if (mutant) plant(mutant);
  const outcome = await find(mutant ? mostSeeds : controlSeeds).catch((error): Outcome => ({ broken: String(error) }));
  process.send?.(outcome);
});
