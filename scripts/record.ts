// Renews everything that is recorded from code, names the files that changed, and what else the changes call for.
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
  /** A recording that takes long or needs more than Node: it is renewed when it is named. */
  readonly named?: {
    readonly takes: string;
    /** The folders or files that it follows from. */
    readonly follows: readonly string[];
  };
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
    holds: "what follows from openapi/: the document, types, schemas, SDK methods, tables and limits in pages",
    command: ["npm", "run", "--silent", "generate", "--"],
    check: ["--check"],
  },
  sizes: {
    holds: "the sizes of the SDK, in sizes.json and the pages that state them",
    command: ["npm", "run", "--silent", "check", "--", "customers", "size"],
    write: ["--write"],
    named: { takes: "2 minutes", follows: ["packages/sdk/src"] },
  },
  coverage: {
    holds: "the numbers of contract cases and covered cells in docs/contract-coverage.md",
    command: ["npm", "run", "--silent", "test:contract", "--", "--all"],
    named: {
      takes: "3 minutes, and a browser",
      follows: ["openapi/schemas", "openapi/error-codes.yaml", "packages/contract/src/cases"],
    },
  },
  mutants: {
    holds: "the numbers of caught mutants there",
    command: ["npm", "run", "--silent", "lab", "--", "mutants"],
    named: { takes: "10 minutes", follows: ["lab/mutation/rules.txt"] },
  },
  python: {
    holds: "surface.json of the Python client: its public names, signatures, defaults and bases",
    command: ["npm", "run", "--silent", "check", "--", "python", "surface"],
    write: ["--write"],
    named: { takes: "Python 3.11; a minute at first", follows: ["packages/python/src"] },
  },
  snapshots: {
    holds: "pages, schemas, pictures and texts that tests compare with toMatchFileSnapshot",
    command: ["npx", "vitest", "run", ...snapshots, "-t", "npm run record", "--reporter=dot"],
    write: ["--update"],
  },
  reports: {
    holds: "api.d.ts, command.json and promises.json of each package: types, command, and what else customers rely on",
    command: ["node", "--conditions=@call-transfer/source", "scripts/release/gate.ts", "--reports"],
    write: ["--write"],
  },
};

const quick = Object.keys(recordings).filter((name) => recordings[name]?.named === undefined);
const usage = `Usage: npm run record -- [--check] [NAME…]

${Object.entries(recordings)
  .map(([name, { holds, named }]) => `  ${name.padEnd(10)} ${holds}${named ? ` (${named.takes})` : ""}`)
  .join("\n")}

Without a name, it renews ${quick.join(", ")}, and names the others that your changes call for.
A name adds another one, and all adds every one.
--check compares, writes nothing, and fails if something is out of date.`;

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

/** A digest of every file that git does not ignore. */
const digests = (): ReadonlyMap<string, string> =>
  new Map(
    listed("ls-files", "--cached", "--others", "--exclude-standard").flatMap((path) =>
      existsSync(path) ? [[path, hash("sha1", readFileSync(path))]] : [],
    ),
  );

/** Renews or compares a recording. Returns whether that succeeded. */
async function run(name: string, { command, write = [], check: compare = [] }: Recording): Promise<boolean> {
  const { passed, output } = await runStep({ name, command: [...command, ...(check ? compare : write)] });
  if (!passed) console.error(`${output.trimEnd()}\n\n${name}: ${check ? "out of date, or it failed" : "failed"}`);
  return passed;
}

/** The recordings left alone whose sources differ from the last commit, with the command that renews each. */
function calledFor(): string[] {
  const changed = [...listed("diff", "--name-only", "HEAD"), ...listed("ls-files", "--others", "--exclude-standard")];
  return Object.entries(recordings).flatMap(([name, { named, holds }]) => {
    const isTouched = named?.follows.some((source) => changed.some((path) => `${path}/`.startsWith(`${source}/`)));
    if (!isTouched || names.includes(name)) return [];
    return [`  npm run record -- ${name.padEnd(9)} ${holds} (${named?.takes})`];
  });
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
if (good) console.log(`${names.join(", ")}: ${check ? "up to date" : "renewed"}`);
else {
  console.log("Correct what is named above, then run `npm run record` again.");
  process.exitCode = 1;
}
const left = check ? [] : calledFor();
if (left.length > 0)
  console.log(`Before you commit, renew these as well if your changes show in them:\n${left.join("\n")}`);
