// Compares the mock server with a data file (--data-file) with one that keeps its state in memory, in one run. Writes results-data.md
// and fails when a figure misses its target. Requires built packages.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { circumstances } from "./circumstances.mjs";
import { cpuSeconds } from "./cpu-seconds.mjs";
import { endsWithUs } from "./ends-with-us.mjs";
import { medianOf, pairedRatio } from "./sdk/speed.mjs";

const { demo } = await import("../../packages/backend/dist/index.js");
const { startMockServer } = await import("../../packages/mock-server/dist/index.js");
const { operations } = await import("../../packages/spec/dist/index.js");

const root = fileURLToPath(new URL("../../", import.meta.url));
const here = fileURLToPath(new URL("./", import.meta.url));
const requests = Number(process.env.BENCH_REQUESTS ?? 4000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 41);
const warmUpRounds = 4;
const manyConnections = 16;
const storedGroups = 5000;

const getPath = operations.getMemberAvailability.path.replace(/\{\w+\}/, demo.members.owner);
const postPath = operations.createDestinationGroup.path;
const authorization = `Bearer ${demo.apiKey}`;
const headers = { authorization, "content-type": "application/json" };
const group = { members: [{ destinationId: demo.destinations.phone, ringTimeoutSecs: 20 }], totalTimeoutSecs: 30 };

const folder = mkdtempSync(join(tmpdir(), "call-transfer-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Starts a server in a process of its own, and waits for its first response. */
async function start(...options) {
  const policy = `rateLimit=${JSON.stringify({ requests: 2e6, windowSecs: 1 })}`;
  const cli = join(root, "packages/mock-server/dist/cli.js");
  const args = [cli, "--port", "0", "--json", "--policy", policy, "--log-format", "silent", ...options];
  const child = endsWithUs(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(line);
  const from = performance.now();
  while ((await fetch(`${url}${getPath}`, { headers }).catch(() => undefined))?.status !== 200) {
    if (performance.now() - from > 60_000) throw new Error(`The server with ${options.join(" ")} does not answer.`);
    await sleep(2);
  }
  const stop = async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { url, pid: child.pid, stop };
}

let names = 0;
/** Requests of one connection that create groups, each with a name of its own. */
function groupsOf(count) {
  return Array.from({ length: count }, () => {
    names += 1;
    return { method: "POST", path: postPath, headers, body: JSON.stringify({ name: `Group ${names}`, ...group }) };
  });
}

/** Microseconds of the server's processor time for a request. */
async function cost({ url, pid }, method, amount = requests, connections = manyConnections) {
  const before = cpuSeconds(pid);
  const isPost = method === "POST";
  const perConnection = Math.ceil(amount / connections);
  const result = await autocannon({
    ...{ url: `${url}${isPost ? postPath : getPath}`, connections, amount, method, headers, sampleInt: 50 },
    ...(isPost && { setupClient: (client) => client.setRequests(groupsOf(perConnection)) }),
  });
  if (result.errors + result.non2xx > 0)
    throw new Error(`${url} ${method}: ${result.errors} errors, ${result.non2xx} refusals`);
  // Includes what is written after the last response.
  await sleep(150);
  return ((cpuSeconds(pid) - before) / amount) * 1e6;
}

/** Milliseconds from the start of a server in this process until it listens. */
async function startMs(options) {
  const from = performance.now();
  const server = await startMockServer({ port: 0, ...options });
  const ms = performance.now() - from;
  const groups = server.backend.state.groups.size;
  await server.close();
  return { ms, groups };
}

const kinds = { memory: [], data: ["--data-file", join(folder, "rounds.db")] };
const running = [];
for (const [kind, options] of Object.entries(kinds)) running.push([kind, await start(...options)]);

/** What each kind costs in each round. They take turns, so that a slower moment of the machine meets both alike. */
async function measured(name, costOf) {
  const costs = { memory: [], data: [] };
  // The first rounds warm up.
  for (let round = -warmUpRounds; round < rounds; round += 1)
    for (const [kind, server] of round % 2 === 0 ? running : running.toReversed()) {
      const us = await costOf(server);
      if (round >= 0) costs[kind].push(us);
    }
  const said = Object.entries(costs).map(([kind, values]) => `${kind} ${medianOf(values).value.toFixed(1)} µs`);
  console.log(`${name}: ${said.join("; ")}`);
  return costs;
}

// Apart from each other: a GET after a POST would pay for its garbage.
const costs = {
  GET: await measured("GET", (server) => cost(server, "GET")),
  POST: await measured("POST", (server) => cost(server, "POST")),
  "POST, one by one": await measured("POST, one by one", (server) => cost(server, "POST", requests / 4, 1)),
};
for (const [, server] of running) await server.stop();

const file = join(folder, "groups.db");
const filler = await start("--data-file", file);
await cost(filler, "POST", storedGroups);
await filler.stop();
const starts = { empty: [], full: [] };
for (let run = 0; run < 15; run += 1) {
  starts.empty.push((await startMs({})).ms);
  const { ms, groups } = await startMs({ dataFile: file });
  if (groups < storedGroups) throw new Error(`The file holds ${groups} groups.`);
  starts.full.push(ms);
}

const of = (kind, method) => medianOf(costs[method][kind]).value;
const ratio = (method) => pairedRatio(costs[method].data, costs[method].memory);
const figures = [
  { what: "POST with a data file, against memory", ...ratio("POST"), wanted: 2.2, unit: "×" },
  { what: "GET with a data file, against memory", ...ratio("GET"), wanted: 1.2, unit: "×" },
  {
    what: `start with ${storedGroups} stored groups, beyond one in memory`,
    value: medianOf(starts.full).value - medianOf(starts.empty).value,
    wanted: 500,
    unit: " ms",
  },
].map((figure) => ({ ...figure, met: figure.value <= figure.wanted }));

const digits = (value) => (value < 10 ? value.toFixed(2) : String(Math.round(value)));
const report = `# Figures of a data file

One run ${circumstances()}: Node ${process.versions.node}, SQLite ${process.versions.sqlite}. Processor time of the server over HTTP,
${manyConnections} connections, the median of ${rounds} rounds of ${requests} requests, in which both took turns, after a warm-up. GET reads a member's
availability, POST creates a destination group. Requests that arrive together share a commit; one by one, over one connection,
each has its own. A ratio is the median of those of the rounds, and not the quotient of two medians; in brackets the interval of
95 % within this run. Only ratios of one run are worth comparing.

| Figure | Measured | Wanted | |
|---|---|---|---|
${figures.map(({ what, value, low, high, wanted, unit, met }) => `| ${what} | ${digits(value)}${unit}${low === undefined ? "" : ` (${digits(low)} to ${digits(high)})`} | ≤ ${wanted}${unit} | ${met ? "met" : "missed"} |`).join("\n")}

| Processor time of a request | in memory | with a data file | |
|---|---|---|---|
${Object.keys(costs)
  .map(
    (name) =>
      `| ${name} | ${of("memory", name).toFixed(1)} µs | ${of("data", name).toFixed(1)} µs | ${ratio(name).value.toFixed(2)}× |`,
  )
  .join("\n")}

The file with ${storedGroups} groups has ${digits(statSync(file).size / 1e6)} MB.
`;
writeFileSync(join(here, "results-data.md"), report);
console.log(`\n${report}`);
if (figures.some(({ met }) => !met)) process.exitCode = 1;
