// Run it with: npm run --silent lab -- outages --help
import { parseArgs } from "node:util";
import { type OutageOptions, type OutageResult, runOutage } from "./outage.ts";
import { outageActs } from "./outage-acts.ts";
import { eventStoreNames } from "./stores.ts";

const help = `Delivers each event to receivers in this process three times, while its store's server is disturbed.
Without options it makes the runs of the night: a burst and each disturbance, and what must be true after them.

  --store NAME          ${eventStoreNames.join(", ")}; or all in turn
  --act NAME            ${outageActs.join(", ")}; none by default: a burst
  --times N             how often, spread over the deliveries; 5 by default
  --events N            1000 by default
  --at-once N           events that are delivered at once; all of them in a burst, 40 otherwise
  --receivers N         each with a client and a memory of its own; 1 by default
  --on-store-error X    handle or reject; handle by default
  --lease MS            leaseMs of the receivers; 2000 by default
  --store-timeout MS    storeTimeoutMs of the receivers, and the limits of the client; 1000 by default
  --hang MS             how long the server hangs or is full; 3000 by default
  --seed N              1 by default`;

const { values } = parseArgs({
  options: {
    store: { type: "string", multiple: true, default: [...eventStoreNames] },
    act: { type: "string", default: "none" },
    "on-store-error": { type: "string", default: "handle" },
    times: { type: "string", default: "5" },
    events: { type: "string", default: "1000" },
    "at-once": { type: "string" },
    receivers: { type: "string", default: "1" },
    lease: { type: "string", default: "2000" },
    "store-timeout": { type: "string", default: "1000" },
    hang: { type: "string", default: "3000" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});

function chosen<Name extends string>(option: string, names: readonly Name[], text: string): Name {
  const name = names.find((one) => one === text);
  if (name === undefined) throw new Error(`--${option} must be one of ${names.join(", ")}, not "${text}".`);
  return name;
}

function count(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${option} must be a whole number above 0, not "${text}".`);
  return Number(text);
}

function print({ store, onStoreError, act, receivers }: OutageOptions, result: OutageResult): void {
  const { errors, seconds, ...counts } = result;
  console.log(`${store}, ${act}, ${onStoreError}, ${receivers} receivers, ${seconds.toFixed(1)} s`);
  console.log(
    `  ${Object.entries(counts)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}`,
  );
  for (const [code, times] of errors) console.log(`  onError: ${code} ${times}`);
}

async function main(): Promise<void> {
  const act = chosen("act", outageActs, values.act);
  const events = count("events", values.events);
  for (const text of values.store) {
    const options: OutageOptions = {
      ...{ store: chosen("store", eventStoreNames, text), act, events, times: count("times", values.times) },
      atOnce: count("at-once", values["at-once"] ?? (act === "none" ? values.events : "40")),
      receivers: count("receivers", values.receivers),
      onStoreError: chosen("on-store-error", ["handle", "reject"] as const, values["on-store-error"]),
      ...{
        hangMs: count("hang", values.hang),
        leaseMs: count("lease", values.lease),
        storeTimeoutMs: count("store-timeout", values["store-timeout"]),
        seed: count("seed", values.seed),
      },
    };
    print(options, await runOutage(options));
  }
}

if (values.help) console.log(help);
else if (process.argv.length === 2) await import("./outages.check.ts");
else await main();
