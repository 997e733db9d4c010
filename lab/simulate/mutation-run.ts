// Plants each known bug in its own process and checks that an invariant finds it.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { type Mutant, readTable, withBug } from "../mutation/plant.ts";

const mutants = readTable(readFileSync(new URL("mutants.txt", import.meta.url), "utf8"));
/** The number of seeds after which a bug counts as not found. */
const mostSeeds = 1_500;
/** Worlds that run twice, for bugs that make two runs of one seed differ. */
const twice = 12;
const processes = 2;
const timeLimitMs = 600_000;

/** How a planted bug was found. */
interface Finding {
  readonly invariant: string;
  readonly seed: number;
  readonly message: string;
}

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

async function find(seeds: number): Promise<Finding | undefined> {
  Error.stackTraceLimit = 0;
  const { simulate } = await import("./run.ts");
  for (let seed = 0; seed < seeds; seed += 1) {
    const { violations, hash } = await simulate(seed);
    const [first] = violations;
    if (first) return { ...first, seed };
    if (seed < twice && (await simulate(seed)).hash !== hash)
      return { invariant: "14 same seed, same trace", seed, message: "two runs of one seed differ" };
  }
  return undefined;
}

/** Plants one bug in this process. Returns whether an invariant finds it. */
export async function runMutant(name: string): Promise<boolean> {
  const mutant = mutants.find((one) => one.name === name);
  if (!mutant)
    throw new Error(`Unknown mutant "${name}". The mutants are ${mutants.map((one) => one.name).join(", ")}.`);
  plant(mutant);
  const found = await find(mostSeeds);
  console.log(JSON.stringify(found ?? null));
  return found !== undefined;
}

/** Runs one mutant in a child process. Returns a text if no invariant found the bug, or if the process failed. */
function runChild(name: string): Promise<Finding | string> {
  const script = fileURLToPath(new URL("./simulate.ts", import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script, "--mutant", name], { timeout: timeLimitMs });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (out += data.toString()));
  child.stderr.on("data", (data: Buffer) => (err += data.toString()));
  return new Promise((resolve) => {
    child.on("close", () => {
      const line = out.trim().split("\n").at(-1) ?? "";
      const found: Finding | null = line.startsWith("{") ? JSON.parse(line) : null;
      resolve(found ?? (err.trim().split("\n").slice(-12).join("\n") || "no invariant found it"));
    });
  });
}

/** Plants every bug, two at a time. Returns whether all were found. */
export async function runMutants(): Promise<boolean> {
  const waiting = [...mutants];
  const survivors: string[] = [];
  let lastSeed = 0;
  const started = performance.now();
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const found = await runChild(mutant.name);
      if (typeof found === "string") survivors.push(mutant.name);
      else lastSeed = Math.max(lastSeed, found.seed);
      const result =
        typeof found === "string"
          ? `SURVIVED: ${found}`
          : `${found.invariant}, seed ${found.seed}: ${found.message.split("\n")[0]?.slice(0, 100)}`;
      console.log(`${mutant.name.padEnd(40)} ${result}`);
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${mutants.length - survivors.length} caught, ${survivors.length} survived, in ${seconds} s`);
  for (const name of survivors) console.log(`  survived: ${name}`);
  // The correct code must hold every invariant. Otherwise the findings above would prove nothing.
  const own = await find(lastSeed + 1);
  if (own) console.log(`The correct code violates ${own.invariant} at seed ${own.seed}: ${own.message}`);
  return survivors.length === 0 && own === undefined;
}
