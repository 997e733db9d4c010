// Run it with: npm run --silent lab -- crashes --help
import { parseArgs } from "node:util";
import { checkPlant, checkStore, usualRun } from "./checks.ts";
import { plantNames, storeOfPlant } from "./plants.ts";
import type { RunOptions } from "./run.ts";
import { storeNames } from "./stores.ts";

const help = `Delivers webhooks to processes that share a store, and kills and stops the processes at random.
Without options it makes the runs of the night: each store, Node and Python processes together, and planted mistakes.

  --store NAME          ${storeNames.join(", ")}; or all in turn
  --deliveries N        copies of events in total; ${usualRun.deliveries} by default
  --at-once N           events that are delivered at once; ${usualRun.atOnce} by default
  --receivers N         processes; ${usualRun.receivers} by default
  --python N            how many of them are Python processes, with redis or inbox-pg; ${usualRun.python} by default
  --seed N              what is sent, and what is done to the processes; ${usualRun.seed} by default
  --lease MS            leaseDurationMs of the receivers; ${usualRun.leaseMs} by default
  --store-timeout MS    storeTimeoutMs of the receivers; ${usualRun.storeTimeoutMs} by default
  --pause MS            time between two acts on processes, on average; ${usualRun.pauseMs} by default
  --on-store-error X    handle or reject; ${usualRun.onStoreError} by default
  --restart-store       ends the store's server with SIGKILL now and then, too
  --plant NAME          plants a mistake, which the run must find, or all in turn:
                        ${plantNames.join(", ")}, all`;

const { values } = parseArgs({
  options: {
    store: { type: "string" },
    deliveries: { type: "string" },
    "at-once": { type: "string" },
    receivers: { type: "string" },
    python: { type: "string" },
    seed: { type: "string" },
    lease: { type: "string" },
    "store-timeout": { type: "string" },
    pause: { type: "string" },
    "on-store-error": { type: "string", default: usualRun.onStoreError },
    "restart-store": { type: "boolean", default: false },
    plant: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

function count(
  name: "deliveries" | "at-once" | "receivers" | "python" | "seed" | "lease" | "store-timeout" | "pause",
  usual: number,
): number {
  const text = values[name] ?? String(usual);
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}".`);
  return Number(text);
}

/** The names that an option chooses: one, or all. */
function chosen<Name extends string>(
  option: string,
  names: readonly Name[],
  text: string | undefined,
): readonly Name[] {
  if (text === undefined || text === "all") return names;
  const name = names.find((one) => one === text);
  if (name === undefined) throw new Error(`--${option} must be one of ${names.join(", ")}, not "${text}".`);
  return [name];
}

async function main(): Promise<boolean> {
  const onStoreErrors = ["handle", "reject"] as const;
  const options: Omit<RunOptions, "store" | "plant"> = {
    ...usualRun,
    seed: count("seed", usualRun.seed),
    deliveries: count("deliveries", usualRun.deliveries),
    atOnce: count("at-once", usualRun.atOnce),
    receivers: count("receivers", usualRun.receivers),
    python: count("python", usualRun.python),
    onStoreError: chosen("on-store-error", onStoreErrors, values["on-store-error"])[0] ?? usualRun.onStoreError,
    leaseMs: count("lease", usualRun.leaseMs),
    storeTimeoutMs: count("store-timeout", usualRun.storeTimeoutMs),
    pauseMs: count("pause", usualRun.pauseMs),
    restartsStore: values["restart-store"],
  };
  let isRight = true;
  if (values.plant === undefined) {
    for (const store of chosen("store", storeNames, values.store))
      isRight = (await checkStore({ ...options, store, plant: undefined })) && isRight;
    return isRight;
  }
  for (const plant of chosen("plant", plantNames, values.plant))
    isRight = (await checkPlant(plant, { ...options, store: storeOfPlant(plant), plant })) && isRight;
  return isRight;
}

if (values.help) console.log(help);
else if (process.argv.length === 2) await import("./crashes.check.ts");
else if (!(await main())) process.exitCode = 1;
