// Processes under fire: npm run lab -- fire --help
import { parseArgs } from "node:util";
import { data } from "./data/run.ts";
import type { Plan, Run, World } from "./plan.ts";
import { python } from "./python.ts";
import { receivers, stores } from "./receivers/run.ts";

const plans: Readonly<Record<string, Plan>> = { data, receivers, stores, python };

const listed = Object.entries(plans)
  .map(
    ([name, { does, kinds, unit, amount, plants }]) => `
  ${name.padEnd(11)}${does}
             kinds: ${kinds.join(", ")}; ${amount} ${unit} each
             planted mistakes: ${Object.keys(plants).join(", ") || "in its tests"}`,
  )
  .join("");

const help = `Runs processes, disturbs them as a seed says, and judges what they did. A plan alone runs as each night, all plans
without a name: every kind, and every planted mistake, which the judge must find.
${listed}

  --kind NAME          only this kind
  --amount N           how much of it
  --seed N             what is done and when; 1 by default
  --plant NAME         only this mistake, or all
  --receivers N        processes behind the store; 2 by default, for stores 1
  --python N           how many of them are Python processes, of both kinds of receivers
  --on-store-error X   handle or reject`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: "string" },
    amount: { type: "string" },
    seed: { type: "string" },
    plant: { type: "string" },
    receivers: { type: "string" },
    python: { type: "string" },
    "on-store-error": { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const longestList = 10;

function count(name: "amount" | "seed" | "receivers" | "python"): number | undefined {
  const text = values[name];
  if (text !== undefined && !/^\d{1,9}$/.test(text))
    throw new Error(`--${name} must be a whole number, not "${text}".`);
  return text === undefined ? undefined : Number(text);
}

/** The names that an option chooses: one, or all. */
function chosen<Name extends string>(
  option: string,
  names: readonly Name[],
  text: string | undefined,
): readonly Name[] {
  if (text === undefined || text === "all") return names;
  const name = names.find((one) => one === text);
  if (name === undefined) throw new Error(`${option} must be one of ${names.join(", ")}, not "${text}".`);
  return [name];
}

const [onStoreError] =
  values["on-store-error"] === undefined
    ? []
    : chosen("--on-store-error", ["handle", "reject"] as const, values["on-store-error"]);
const [seed, receiverCount, pythonCount] = [count("seed") ?? 1, count("receivers"), count("python")];
const common: Omit<Run, "kind" | "amount"> = {
  seed,
  ...(receiverCount !== undefined && { receivers: receiverCount }),
  ...(pythonCount !== undefined && { python: pythonCount }),
  ...(onStoreError !== undefined && { onStoreError }),
};

/** Runs worlds, each with the next seed, and prints what they counted. Returns false if a promise was broken. */
async function check(name: string, plan: Plan, given: Run): Promise<boolean> {
  const counts = new Map<string, number>();
  const started = performance.now();
  const { mostPerWorld, run } = plan;
  for (let [left, next] = [given.amount, given.seed]; left > 0; left -= mostPerWorld, next += 1) {
    const world = await run({ ...given, seed: next, amount: Math.min(left, mostPerWorld) });
    for (const [what, by] of Object.entries(world.counts)) counts.set(what, (counts.get(what) ?? 0) + by);
    if (world.findings.length === 0) continue;
    console.log(`FAILED ${name} ${given.kind}, seed ${next}`);
    printFindings(world);
    const more = Object.entries({ ...given, seed: next })
      .filter(([option]) => option !== "kind")
      .map(([option, value]) => `--${option === "onStoreError" ? "on-store-error" : option} ${value}`);
    console.log(`\nTo repeat it: npm run lab -- fire ${name} --kind "${given.kind}" ${more.join(" ")}`);
    return false;
  }
  console.log(
    `ok     ${name} ${given.kind}, seed ${given.seed}, ${Math.round((performance.now() - started) / 1000)} s`,
  );
  for (const [what, sum] of counts) console.log(`  ${what.padEnd(52)} ${sum.toLocaleString("en").padStart(9)}`);
  return true;
}

function printFindings({ findings, history }: World): void {
  for (const finding of findings.slice(0, longestList)) console.log(`  ${finding}`);
  if (findings.length > longestList) console.log(`  … and ${findings.length - longestList} more.`);
  for (const line of history?.() ?? []) console.log(line);
}

/** Runs with a planted mistake. Returns false if no seed finds it. */
async function checkPlant(name: string, { plants, run }: Plan, plant: string): Promise<boolean> {
  const { kind, amount, seeds } = plants[plant] ?? { kind: "", amount: 0, seeds: 0 };
  for (let next = seed; next < seed + seeds; next += 1) {
    const { findings } = await run({ ...common, kind, amount, plant, seed: next });
    const [first] = findings;
    if (first === undefined) continue;
    console.log(`found  ${name} ${plant}: ${first}`);
    return true;
  }
  console.log(`MISSED ${name} ${plant}: no run found this mistake.`);
  return false;
}

async function main(): Promise<boolean> {
  if (positionals.length > 1) throw new Error("Name one plan, or none for all.");
  let isRight = true;
  for (const name of chosen("The plan", Object.keys(plans), positionals[0])) {
    const plan = plans[name];
    if (plan === undefined) continue;
    const isNight = Object.keys(values).every((option) => option === "help");
    if (isNight || values.plant === undefined)
      for (const kind of chosen("--kind", plan.kinds, values.kind))
        isRight = (await check(name, plan, { ...common, kind, amount: count("amount") ?? plan.amount })) && isRight;
    if (isNight)
      for (const more of plan.alsoAtNight ?? [])
        isRight = (await check(name, plan, { ...common, kind: "", amount: plan.amount, ...more })) && isRight;
    if (isNight || values.plant !== undefined)
      for (const plant of chosen("--plant", Object.keys(plan.plants), values.plant))
        isRight = (await checkPlant(name, plan, plant)) && isRight;
  }
  return isRight;
}

if (values.help) console.log(help);
else if (!(await main())) process.exitCode = 1;
