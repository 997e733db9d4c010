// Does what the pages print as a stranger would: in a new folder outside of the repository, with the packed packages from a
// registry on this machine, with everything else as npm resolves it, and with the oldest Node that the page names. Compares
// what the commands print, and checks the types of the programs. `-- docs/sdk.md` runs one page; the short form runs only
// what a newcomer opens first. Requires built packages.
import { mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { startRegistry } from "../../scripts/commands/registry.ts";
import { isLong, leftOut } from "../../scripts/long.ts";
import { ensureInstalled, run, temporaryFolder, tools } from "../../scripts/packed.ts";
import { pages, read } from "./blocks.ts";
import { matches } from "./output.ts";
import { isAssistant, type Machine, type PageRun, runSession } from "./session.ts";
import { type Session, sessionsIn } from "./sessions.ts";

const atOnce = 2;
const chosen = process.argv.slice(2);
const openedFirst = /^(?:README|packages\/|docs\/(?:start\/|python[.]|sdk|mock-server[.]|testing|webhooks[.]))/;
/** What check runners, check generators and the contract suite's target for Prism run in the gate. */
const ranElsewhere = /, (?:With Vitest|With Playwright|Prism|Generate a client of your own)$/;

/** The folder of the newest Node of a version's major. */
function nodeFolder(version: string): string {
  const major = Number.parseInt(version, 10);
  if (process.versions.node.startsWith(`${major}.`)) return dirname(process.execPath);
  return join(tools, `node_modules/node-${major}/bin`);
}

const runsCommands = ({ blocks }: Session): boolean =>
  blocks.some((block) => block.proof.kind === "commands" || isAssistant(block));

/** What the commands printed otherwise than the page shows. */
function differences({ page, blocks }: Session, { runs }: PageRun): string[] {
  const found: string[] = [];
  const compare = (place: string, printed: string, shown: string): void => {
    if (!matches(printed, shown)) found.push(`${place} shows\n${shown.trim()}\nIt printed\n${printed.trim()}`);
  };
  for (const { proof, line, text } of blocks) {
    if (proof.kind === "commands")
      for (const { place, printed, statement } of runs.get(line) ?? [])
        if (statement.output !== undefined) compare(place, printed, statement.output);
    if (proof.kind === "printed") {
      const command = [...runs.values()].flat().find((one) => one.command.startsWith(proof.by));
      compare(`${page}:${line}`, command?.printed ?? `No command begins with ${proof.by}.`, text);
    }
    if (proof.kind !== "output" || proof.of.language !== "sh") continue;
    compare(`${page}:${line}`, (runs.get(proof.of.line) ?? []).map(({ printed }) => printed).join(""), text);
  }
  return found;
}

/** Runs a session, and prints the result. Returns whether it did what the page shows. */
async function passes(session: Session, machine: Omit<Machine, "node">): Promise<boolean> {
  const from = performance.now();
  const result = await runSession(session, { ...machine, node: nodeFolder(session.node) });
  const problems = result.failure === undefined ? differences(session, result) : [result.failure];
  const title = `${session.title} (Node ${session.node}, ${((performance.now() - from) / 1000).toFixed(1)} s)`;
  console.log(problems.length === 0 ? `ok      ${title}` : `failed  ${title}\n${problems.join("\n")}`);
  return problems.length === 0;
}

/** Says which commands nobody runs, and why. */
function listOthers(sessions: readonly Session[]): void {
  const others = sessions.flatMap(({ blocks }) => blocks).filter(({ proof }) => proof.kind === "not run");
  for (const { page, line, proof } of new Set(others))
    if (proof.kind === "not run") console.log(`not run ${page}:${line}: ${proof.reason}`);
}

async function check(folder: string): Promise<boolean> {
  const all = pages.flatMap((page) => sessionsIn(page, read(page)));
  const sessions = all.filter(({ title }) => chosen.length === 0 || chosen.some((name) => title.startsWith(name)));
  if (sessions.length === 0 && !chosen.every((name) => pages.includes(name)))
    throw new Error(`No page has the name ${chosen.join(", ")}.`);
  listOthers(sessions);
  ensureInstalled(tools);
  const registry = await startRegistry(0);
  const cache = join(folder, "npm");
  const isWhole = isLong || chosen.length > 0;
  const installed = isWhole ? undefined : join(folder, "installed");
  for (const path of [cache, installed]) if (path !== undefined) mkdirSync(path);
  // What npm has downloaded before, without what npx has installed before.
  symlinkSync(join(run(homedir(), "npm", "config", "get", "cache").trim(), "_cacache"), join(cache, "_cacache"));
  if (!isWhole) leftOut("installing again what another folder has installed");
  const whole = sessions.filter(runsCommands);
  const left = isWhole ? whole : whole.filter(({ title }) => openedFirst.test(title) && !ranElsewhere.test(title));
  if (left.length < whole.length) leftOut(`${whole.length - left.length} folders`);
  let isGood = true;
  const lane = async (): Promise<void> => {
    for (let session = left.shift(); session; session = left.shift()) {
      const machine = { registry: registry.url, cache, installed };
      isGood = (await passes(session, machine)) && isGood;
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, lane));
  } finally {
    await registry.close();
  }
  return isGood;
}

using folder = temporaryFolder("pages");
if (!(await check(folder.path))) process.exitCode = 1;
