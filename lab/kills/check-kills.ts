// Run it with: npm run --silent lab -- kills --help
import { parseArgs } from "node:util";
import { checkAccidents, checkKind, checkPlant, usualRun } from "./checks.ts";
import { plantNames } from "./servers/plants.ts";
import { kindNames } from "./servers/server.ts";

/** Runs of another form, without clients at random. */
const accidents = "accidents";
const allKinds = [...kindNames, accidents] as const;

const help = `Kills and restarts a mock server while clients write, and checks that nothing acknowledged is lost.
Without options it makes the runs of the night: each kind, and some planted mistakes.

  --kind NAME    ${allKinds.join(", ")}; or all in turn. ${accidents} are what happens to a data file besides
                 kills: removed or replaced files, a full disk
  --kills N      kills in total; ${usualRun.kills} by default
  --minutes N    runs for about N minutes, instead of --kills
  --seed N       what the clients do, and when the server is killed; ${usualRun.seed} by default
  --plant NAME   plants a mistake in the store of SQLite, which the run must find, or all in turn:
                 ${plantNames.join(", ")}, all`;

const { values } = parseArgs({
  options: {
    kind: { type: "string" },
    kills: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
    plant: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

function count(name: "kills" | "minutes" | "seed"): number | undefined {
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
  if (name === undefined) throw new Error(`--${option} must be one of ${names.join(", ")}, not "${text}".`);
  return [name];
}

async function main(): Promise<boolean> {
  const seed = count("seed") ?? usualRun.seed;
  const minutes = count("minutes");
  const kills = count("kills") ?? (minutes === undefined ? usualRun.kills : undefined);
  let isRight = true;
  if (values.plant !== undefined)
    for (const plant of chosen("plant", plantNames, values.plant)) isRight = (await checkPlant(plant, seed)) && isRight;
  else
    for (const kind of chosen("kind", allKinds, values.kind)) {
      const run = kind === accidents ? checkAccidents(seed) : checkKind({ kind, seed, kills, minutes });
      isRight = (await run) && isRight;
    }
  return isRight;
}

if (values.help) console.log(help);
else if (process.argv.length === 2) await import("./kills.check.ts");
else if (!(await main())) process.exitCode = 1;
