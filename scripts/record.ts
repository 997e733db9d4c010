// Renews everything that is recorded from code. `--check` compares, writes nothing, and fails if something is out of date.
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { runStep } from "./steps.ts";

interface Recording {
  readonly holds: string;
  readonly command: readonly [string, ...string[]];
  /** Options that make the command write, or compare. */
  readonly write?: readonly string[];
  readonly check?: readonly string[];
  /** What it takes, where it is renewed only when it is named. */
  readonly takes?: string;
}

/** Every test that compares a file with what code makes. */
const snapshots = execFileSync("git", ["grep", "--untracked", "-l", "toMatchFileSnapshot", "--", "*.test.ts"], {
  encoding: "utf8",
});

/** Every recording, after those that it reads. */
const recordings: Readonly<Record<string, Recording>> = {
  generated: {
    holds: "what follows from openapi/: the document, types, schemas, SDK methods, tables and limits in pages",
    command: ["npm", "run", "--silent", "generate", "--"],
    check: ["--check"],
  },
  sizes: {
    holds: "the sizes of the SDK, in sizes.json and the pages that state them, after a change of packages/sdk/src",
    command: ["npm", "run", "--silent", "check", "--", "customers", "size"],
    write: ["--write"],
    takes: "2 minutes",
  },
  coverage: {
    holds:
      "the numbers of contract cases and covered cells in docs/contract-coverage.md, after one of cases, codes or schemas",
    command: ["npm", "run", "--silent", "test:contract", "--", "--all"],
    takes: "3 minutes, and a browser",
  },
  mutants: {
    holds: "the numbers of caught mutants there, after one of lab/mutation/rules.txt",
    command: ["npm", "run", "--silent", "lab", "--", "mutants"],
    takes: "10 minutes",
  },
  python: {
    holds: "surface.json of the Python client, after one of packages/python/src",
    command: ["npm", "run", "--silent", "check", "--", "python", "surface"],
    write: ["--write"],
    takes: "Python 3.11; a minute at first",
  },
  snapshots: {
    holds: "pages, schemas, pictures and texts that tests compare with toMatchFileSnapshot",
    command: ["npx", "vitest", "run", ...snapshots.trim().split("\n"), "-t", "npm run record", "--reporter=dot"],
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

const { values, positionals } = parseArgs({
  options: { check: { type: "boolean", default: false }, help: { type: "boolean" } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => name !== "all" && !Object.hasOwn(recordings, name));
if (values.help || unknown !== undefined) {
  console.log(unknown === undefined ? usage : `Unknown recording ${unknown}.\n\n${usage}`);
  process.exit(unknown === undefined ? 0 : 2);
}
const names = positionals.includes("all") ? Object.keys(recordings) : [...quick, ...positionals];

// The coverage of the contract is compared instead of written where this is set.
if (values.check) process.env.CI = "true";
else delete process.env.CI;

for (const [name, { command, write = [], check = [] }] of Object.entries(recordings)) {
  if (!names.includes(name)) continue;
  const { passed, output } = await runStep({ name, command: [...command, ...(values.check ? check : write)] });
  console.log(
    [...(output.match(/^(?:wrote|removed) .*$/gm) ?? []), `${name}: ${passed ? "done" : "FAILED"}`].join("\n"),
  );
  if (passed) continue;
  console.error(`${output.trimEnd()}\n\nCorrect what is named above, then run \`npm run record\` again.`);
  process.exitCode = 1;
  break;
}
if (process.exitCode !== 1 && !values.check)
  console.log("`git status` shows what changed; `npm run record -- --help` what else there is to renew.");
