// Compares the SDK with other TypeScript SDKs in one run. A complete run writes results-sdk.md and the table in docs/sdk.md, and
// fails when the SDK misses a limit or a peer is ahead of it. Requires built packages.
//
//   npm run lab -- bench sdk --only loopback --quick   the SDK against bare fetch, in a few seconds; --only in-process too
//   --sdk FILE                                       another built index.js; repeat it to compare several
//   --render                                         writes the pages again from the last complete run
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { circumstances } from "./circumstances.mjs";
import { body, headers } from "./sdk/body.mjs";
import { bare, ours, peers } from "./sdk/clients.mjs";
import { timesOf, withServer } from "./sdk/speed.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    render: { type: "boolean", default: false },
    sdk: { type: "string", multiple: true },
  },
});
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const lastRun = at("../../reports/bench-sdk.json");
const docs = at("../../docs/sdk.md");

const isWanted = (part) => values.only?.includes(part) ?? true;

function print(title, results) {
  console.log(`\n${title} (Node ${process.versions.node})`);
  const interval = ({ value, low, high }) => `${value.toFixed(2)}× (${low.toFixed(2)} to ${high.toFixed(2)})`;
  for (const { name, median, beside, cpu } of results) {
    const cells = [`${median.toFixed(1)} µs`, interval(beside)];
    console.log(`  ${[name, ...cells, `processor time ${interval(cpu)}`].map((cell) => cell.padEnd(32)).join("")}`);
  }
}

/** A `fetch` that answers without a network. */
const fetchInProcess = async () => new Response(body, { status: 200, headers });

async function measure() {
  const sdks = values.sdk
    ? await Promise.all(values.sdk.map((path) => ours(path, values.sdk.length > 1 ? path : undefined)))
    : [await ours()];
  const clients = [bare, ...sdks, ...(values.quick ? [] : await peers())];
  const run = { node: process.versions.node, circumstances: circumstances() };
  if (isWanted("loopback")) {
    const amount = { rounds: 1000, calls: 20, warmUp: 100 };
    run.loopback = await withServer((url) => timesOf(clients, { url }, amount));
    print("one GET over loopback", run.loopback);
  }
  if (isWanted("in-process")) {
    const reachable = clients.filter(({ needsNetwork }) => !needsNetwork);
    const amount = { rounds: 2000, calls: 50, warmUp: 100 };
    run.inProcess = await timesOf(reachable, { url: "http://127.0.0.1:1", fetch: fetchInProcess }, amount);
    print("one GET in process", run.inProcess);
  }
  // What the quick runs do not need is loaded here.
  if (isWanted("sizes") && !values.quick) {
    const [{ sizes }, { documented }] = await Promise.all([import("./sdk/sizes.mjs"), import("./sdk/documented.mjs")]);
    run.sizes = await sizes(30);
    run.documented = documented(run.sizes);
  }
  if (isWanted("behaviour") && !values.quick) {
    const { behaviours } = await import("./sdk/behaviours.mjs");
    const compared = clients.filter(({ name, isFloor }) => name !== bare.name && !isFloor && !name.includes("("));
    run.observed = await behaviours(compared);
  }
  return run;
}

/** Replaces what stands between two comments of a page. */
function replaceIn(path, name, content) {
  const marked = new RegExp(`(<!-- ${name}, [^>]*-->\n)[^]*?(<!-- end of ${name} -->)`);
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(marked, (_, start, end) => `${start}\n${content}\n\n${end}`),
  );
}

async function write(run) {
  const { betterIn, figuresOf, page, summary, us } = await import("./sdk/report.mjs");
  const figures = figuresOf(run);
  const behaviours = [...run.observed, ...run.documented];
  const report = page({ ...run, behaviours }, figures);
  writeFileSync(at("results-sdk.md"), report);
  replaceIn(docs, "comparison", summary(figures));
  console.log(`\n${report}`);
  const missed = [
    ...figures.filter(({ met }) => !met).map(({ title, limit, unit }) => `${title}: ${us} exceeds ${limit}${unit}`),
    ...figures
      .filter(({ ahead, why }) => ahead.length > 0 && !why)
      .map((one) => `${one.title}: say why ${one.ahead} is ahead`),
    ...behaviours.flatMap((row) => betterIn(row).map((name) => `${row.question}: ${us} is behind ${name}`)),
  ];
  for (const line of missed) console.error(line);
  if (missed.length > 0) process.exitCode = 1;
}

if (values.render) {
  await write(JSON.parse(readFileSync(lastRun, "utf8")));
} else {
  const run = await measure();
  if (!values.only && !values.quick) {
    mkdirSync(at("../../reports"), { recursive: true });
    writeFileSync(lastRun, JSON.stringify(run, null, 2));
    await write(run);
  }
}
// Connections that stay open would keep the process.
process.exit();
