// Measures every figure beside its peer, in at most eight minutes: npm run lab -- bench --help. Requires built packages.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Figure, problemsOf, tableOf } from "./figures.ts";

/** The parts, with the titles of their rows. Each is a module that exports `measure(isQuick)`, and runs in a process of its own. */
const parts = {
  sdk: "The SDK, beside other TypeScript SDKs",
  server: "The mock server",
  webhooks: "Receivers of webhooks",
  python: "The Python client, beside other Python SDKs",
} as const;
type Part = keyof typeof parts;

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const artifact = at("reports/bench.json");
const page = at("docs/performance.md");

const help = `Measures every figure beside its peer, and fails below a limit.

  npm run lab -- bench [${Object.keys(parts).join("|")}] [--quick]

Without a part, it measures all, and writes the table of docs/performance.md. The figures are in reports/bench.json. With --quick
it takes a look: fewer rounds, no installations.`;

/** Runs a part in a process of its own. Undefined if it fails. */
function measured(part: Part, isQuick: boolean): readonly Figure[] | undefined {
  const file = at(`reports/bench-${part}.json`);
  const words = ["--measure", part, ...(isQuick ? ["--quick"] : []), "--into", file];
  const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...words], { stdio: "inherit" });
  if (status !== 0) return undefined;
  const figures = JSON.parse(readFileSync(file, "utf8"));
  rmSync(file);
  return figures as readonly Figure[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    measure: { type: "string" },
    into: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});

function isPart(name: string): name is Part {
  if (Object.hasOwn(parts, name)) return true;
  throw new Error(`There is no part ${name}, only ${Object.keys(parts).join(", ")}.`);
}

function main(): void {
  mkdirSync(at("reports"), { recursive: true });
  const names = (positionals.length > 0 ? positionals : Object.keys(parts)).filter(isPart);
  const load = loadavg()[0]?.toFixed(1);
  const started = performance.now();
  const results: Record<string, readonly Figure[]> = {};
  const failed: Part[] = [];
  for (const part of names) {
    const figures = measured(part, values.quick);
    if (figures === undefined) failed.push(part);
    else results[parts[part]] = figures;
  }
  const run = {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    processors: availableParallelism(),
    load,
  };
  writeFileSync(artifact, `${JSON.stringify({ ...run, parts: results }, null, 2)}\n`);
  const table = tableOf(results);
  console.log(`\n${table}\n\n${Math.round((performance.now() - started) / 1000)} s, with a load of ${load} before`);
  const problems = [...failed.map((part) => `${part} failed`), ...Object.values(results).flat().flatMap(problemsOf)];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  if (values.quick || positionals.length > 0 || failed.length > 0) return;
  const sentence = `One run on ${run.date}: Node ${run.node}, ${run.processors} processors, a load of ${load}.`;
  const between = /(?<=<!-- figures, written by `npm run lab -- bench` -->\n\n)[\s\S]*?(?=\n\n<!-- end of figures -->)/;
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(between, () => `${sentence}\n\n${table}`),
  );
}

if (values.help) console.log(help);
else if (values.measure === undefined) main();
else {
  const { measure } = await import(`./${values.measure}.mjs`);
  writeFileSync(values.into, JSON.stringify(await measure(values.quick)));
  // Connections that stay open would keep the process.
  process.exit();
}
