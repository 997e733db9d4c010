// Run it with: npm run --silent lab -- crashes --help
import { parseArgs } from "node:util";
import { checkPlant, checkStore, shortRun } from "./checks.ts";
import { plantNames, storeOfPlant } from "./plants.ts";
import type { RunOptions } from "./run.ts";
import { storeNames } from "./stores.ts";

const help = `Delivers webhooks to processes that share a store, and kills and stops the processes at random.

  --store NAME          ${storeNames.join(", ")}; each in turn by default
  --deliveries N        copies of events in total; ${shortRun.deliveries} by default
  --at-once N           events that are delivered at once; ${shortRun.atOnce} by default
  --receivers N         processes; ${shortRun.receivers} by default
  --python N            how many of them are Python processes, with redis or postgres; ${shortRun.python} by default
  --seed N              what is sent, and what is done to the processes; ${shortRun.seed} by default
  --lease MS            leaseMs of the receivers; ${shortRun.leaseMs} by default
  --store-timeout MS    storeTimeoutMs of the receivers; ${shortRun.storeTimeoutMs} by default
  --pause MS            time between two acts on processes, on average; ${shortRun.pauseMs} by default
  --on-store-error X    handle or refuse; ${shortRun.onStoreError} by default
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
    "on-store-error": { type: "string", default: shortRun.onStoreError },
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
  const onStoreErrors = ["handle", "refuse"] as const;
  const options: Omit<RunOptions, "store" | "plant"> = {
    ...shortRun,
    seed: count("seed", shortRun.seed),
    deliveries: count("deliveries", shortRun.deliveries),
    atOnce: count("at-once", shortRun.atOnce),
    receivers: count("receivers", shortRun.receivers),
    python: count("python", shortRun.python),
    onStoreError: chosen("on-store-error", onStoreErrors, values["on-store-error"])[0] ?? shortRun.onStoreError,
    leaseMs: count("lease", shortRun.leaseMs),
    storeTimeoutMs: count("store-timeout", shortRun.storeTimeoutMs),
    pauseMs: count("pause", shortRun.pauseMs),
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
else if (!(await main())) process.exitCode = 1;
