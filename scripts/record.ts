// Renews everything that is recorded from code, and names the files that changed.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runStep } from "./steps.ts";

interface Recording {
  readonly holds: string;
  readonly command: readonly [string, ...string[]];
  /** Options that make the command write, or compare. */
  readonly write?: readonly string[];
  readonly check?: readonly string[];
  /** How long it takes, if that is minutes, or what it needs. Such a recording is renewed when it is named. */
  readonly takes?: string;
}

const listed = (command: string, ...options: string[]): string[] =>
  execFileSync("git", [command, "-z", ...options], { encoding: "utf8" })
    .split("\0")
    .filter(Boolean);

/** Every test that compares a file with what code makes. */
const snapshots = listed("grep", "--untracked", "-l", "toMatchFileSnapshot", "--", "*.test.ts");

/** Every recording, after those that it reads. */
const recordings: Readonly<Record<string, Recording>> = {
  generated: {
    holds: "what follows from openapi/: the document, types, schemas, SDK methods, tables of operations",
    command: ["npm", "run", "--silent", "generate", "--"],
    check: ["--check"],
  },
  sizes: {
    holds: "the sizes of the SDK, in sizes.json and the pages that state them",
    command: ["npm", "run", "--silent", "check", "--", "size"],
    write: ["--write"],
    takes: "2 minutes",
  },
  coverage: {
    holds: "the numbers of contract cases and covered cells in docs/contract-coverage.md",
    command: ["npm", "run", "--silent", "test:contract", "--", "--all"],
    takes: "3 minutes",
  },
  mutants: {
    holds: "the numbers of caught mutants there",
    command: ["npm", "run", "--silent", "lab", "--", "mutants"],
    takes: "10 minutes",
  },
  python: {
    holds: "surface.json of the Python client: its public names, signatures, defaults and bases",
    command: ["npm", "run", "--silent", "check", "--", "python", "surface"],
    write: ["--write"],
    takes: "Python 3.11; a minute at first",
  },
  snapshots: {
    holds: "pages, schemas, pictures and texts that tests compare with toMatchFileSnapshot",
    command: ["npx", "vitest", "run", ...snapshots, "-t", "npm run record"],
    write: ["--update"],
  },
  reports: {
    holds: "api.d.ts, command.json and promises.json of each package: types, command, and what else customers rely on",
    command: ["node", "--conditions=@call-transfer/source", "scripts/release/gate.ts", "--reports"],
    write: ["--write"],
  },
};

const quick = Object.keys(recordings).filter((name) => recordings[name]?.takes === undefined);
const usage = `Usage: npm run record -- [--check] [NAME…]

${Object.entries(recordings)
  .map(([name, { holds, takes }]) => `  ${name.padEnd(10)} ${holds}${takes ? ` (${takes})` : ""}`)
  .join("\n")}

Without a name, it renews ${quick.join(", ")}. A name adds another one, and all adds every one.
--check compares, writes nothing, and fails if something is out of date.`;

/** A digest of every file that git does not ignore. */
const digests = (): ReadonlyMap<string, string> =>
  new Map(
    listed("ls-files", "--cached", "--others", "--exclude-standard").flatMap((path) =>
      existsSync(path) ? [[path, hash("sha1", readFileSync(path))]] : [],
    ),
  );

function parse() {
  try {
    const options = { check: { type: "boolean" }, help: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const unknown = positionals.filter((name) => name !== "all" && !Object.hasOwn(recordings, name));
    if (unknown.length > 0) throw new Error(`Unknown recording ${unknown.join(", ")}.`);
    return { ...values, names: positionals.includes("all") ? Object.keys(recordings) : [...quick, ...positionals] };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

const { check = false, help = false, names } = parse();
if (help) {
  console.log(usage);
  process.exit(0);
}

/** Renews or compares a recording. Returns whether that succeeded. */
async function run(name: string, { command, write = [], check: compare = [] }: Recording): Promise<boolean> {
  const { passed, output } = await runStep({ name, command: [...command, ...(check ? compare : write)] });
  if (!passed) console.error(`${output.trimEnd()}\n\n${name}: ${check ? "out of date, or it failed" : "failed"}`);
  return passed;
}

// The coverage of the contract is compared instead of written where this is set.
if (check) process.env.CI = "true";
else delete process.env.CI;

const before = digests();
const wanted = Object.entries(recordings).filter(([name]) => names.includes(name));
// These two read what the others write, and not each other.
const isLast = ([name]: readonly [string, Recording]): boolean => name === "snapshots" || name === "reports";
let good = true;
for (const [name, recording] of wanted.filter((one) => !isLast(one))) good &&= await run(name, recording);
if (good) good = (await Promise.all(wanted.filter(isLast).map((one) => run(...one)))).every(Boolean);
const after = digests();
for (const path of new Set([...before.keys(), ...after.keys()]))
  if (before.get(path) !== after.get(path)) console.log(`${after.has(path) ? "wrote" : "removed"} ${path}`);
const left = Object.keys(recordings).filter((name) => !names.includes(name));
if (good) console.log(`${names.join(", ")}: ${check ? "up to date" : "renewed"}`);
if (left.length > 0) console.log(`${left.join(", ")}: left alone (npm run record -- all)`);
if (!good) process.exitCode = 1;
