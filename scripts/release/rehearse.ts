// Goes through every kind of release on a registry of this machine, with the commands that docs/releasing.md prints and the steps
// of the release workflow. Prints what is at the registry and what a customer then has. An option names the
// last kind to go through.
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { ensureInstalled, temporaryFolder, tools } from "../packed.ts";
import type { Project } from "./rehearsal/customer.ts";
import { difference, type Expectation, releaseDifferences } from "./rehearsal/expectation.ts";
import type { Kind } from "./rehearsal/kind.ts";
import { kinds } from "./rehearsal/kinds.ts";
import { Rehearsal } from "./rehearsal/rehearsal.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Updates each customer that names an expected package, runs its test, and compares its versions. */
function customerDifferences(customers: readonly Project[], expected: Expectation["customer"]): string[] {
  return customers.flatMap((customer) => {
    const must = Object.fromEntries(Object.entries(expected).filter(([name]) => customer.named.includes(name)));
    if (Object.keys(must).length === 0) return [];
    try {
      customer.update();
      customer.check();
    } catch (error) {
      return [`${customer.manager}: ${(error as Error).message}`];
    }
    const has = Object.fromEntries(Object.keys(must).map((name) => [name, customer.version(name)]));
    const shown = Object.entries(has).map((entry) => entry.join(" "));
    console.log(`  ${customer.manager}: ${shown.join(", ")}; its test passes`);
    return difference(`${customer.manager} has`, has, must);
  });
}

/** A project for each package manager, with the first release. */
function newCustomers(rehearsal: Rehearsal): Project[] {
  const projects = [
    ...rehearsal.managers.map((manager) => rehearsal.customer(manager.replace(" ", "-"), manager)),
    ...rehearsal.pythonManagers.map((manager) => rehearsal.pythonCustomer(manager, manager)),
  ];
  for (const project of projects) project.add();
  return projects;
}

/** Seconds of each kind. */
const times = new Map<string, number>();

async function go(kind: Kind, rehearsal: Rehearsal, customers: Project[]): Promise<string[]> {
  const from = performance.now();
  const expected = await kind.run(rehearsal);
  times.set(kind.name, Math.round((performance.now() - from) / 1000));
  console.log(`\n=== ${kind.name}: ${kind.does} (${times.get(kind.name)} s)`);
  const published = new Map(
    await Promise.all(rehearsal.names.map(async (name) => [name, await rehearsal.published(name)] as const)),
  );
  for (const [name, { versions, tags }] of published) {
    const shown = Object.entries(tags).map(([tag, version]) => `${tag} ${version}`);
    console.log(`  ${name}: ${Object.keys(versions).join(", ")} (${shown.join(", ")})`);
  }
  console.log(`  call-transfer at PyPI: ${rehearsal.publishedPython().join(", ")}`);
  const isFirst = customers.length === 0;
  if (isFirst) customers.push(...newCustomers(rehearsal));
  return [
    ...releaseDifferences(expected, published),
    ...customerDifferences(customers, expected.customer),
    ...(isFirst && !rehearsal.printedInstallsWork() ? ["an install command of the pages"] : []),
  ];
}

/** The kinds up to the named one, or all. @throws {Error} there is no kind of this name */
function kindsUpTo(name: string | undefined): readonly Kind[] {
  if (name === undefined) return kinds;
  const at = kinds.findIndex((kind) => kind.name === name);
  if (at < 0) throw new Error(`Unknown kind ${name}. Use one of ${kinds.map((kind) => kind.name).join(", ")}.`);
  return kinds.slice(0, at + 1);
}

async function rehearse(): Promise<boolean> {
  const chosen = kindsUpTo(process.argv[2]);
  ensureInstalled(tools);
  using folder = temporaryFolder("rehearsal");
  const rehearsal = await Rehearsal.start(folder.path, root);
  const customers: Project[] = [];
  let isGood = true;
  try {
    for (const kind of chosen) {
      const problems = await go(kind, rehearsal, customers);
      for (const problem of problems) console.error(`  WRONG ${problem}`);
      isGood &&= problems.length === 0;
    }
    console.log(`\nSeconds: ${[...times].map((entry) => entry.join(" ")).join(", ")}.`);
    if (times.has("patch")) console.log(`A patch took ${times.get("patch")} s from its edit to published.`);
  } finally {
    await rehearsal.close();
  }
  return isGood;
}

try {
  if (!(await rehearse())) process.exitCode = 1;
} catch (error) {
  console.error(`\nThe rehearsal failed. ${(error as Error).message}`);
  process.exitCode = 1;
}
