// What a request costs the mock server as sandboxes, the journal, members, connections and readers of events grow. Writes
// results-growth.md and fails when a cost grows faster than what causes it. Requires built packages.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { circumstances } from "./circumstances.mjs";
import { cpuSeconds } from "./cpu-seconds.mjs";
import { endsWithUs } from "./ends-with-us.mjs";
import { medianOf, pairedRatio } from "./sdk/speed.mjs";

const { createSandboxes, demo } = await import("../../packages/backend/dist/index.js");
const { operations } = await import("../../packages/spec/dist/index.js");

const here = fileURLToPath(new URL("./", import.meta.url));
const cli = fileURLToPath(new URL("../../packages/mock-server/dist/cli.js", import.meta.url));
const rounds = Number(process.env.BENCH_ROUNDS ?? 15);
const requests = Number(process.env.BENCH_REQUESTS ?? 2000);
/** Above this, a cost that should stay the same has grown, and not only seems to in a run beside others. */
const same = 1.5;

const authorization = `Bearer ${demo.apiKey}`;
const pathOf = (memberId) => operations.getMemberAvailability.path.replace(/\{\w+\}/, memberId);
const getPath = pathOf(demo.members.owner);
const rateLimit = { requests: 2e6, windowSecs: 1 };
const idOf = (kind, index) => `${kind}0000000-0000-4000-8000-${String(index).padStart(12, "0")}`;

const newSandboxes = () => createSandboxes({ policies: { rateLimit } });

async function ask(sandboxes, path, init = {}) {
  const headers = new Headers({ authorization, "content-type": "application/json" });
  const url = `http://mock.test${path}`;
  const { body = null, ...rest } = init;
  const bytes = body === null ? {} : { bodyBytes: new TextEncoder().encode(JSON.stringify(body)) };
  const { response } = await sandboxes.handle({ method: "GET", ...rest, url, headers, body: null, ...bytes });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

/** Microseconds of this process's processor time for one task, of `count`. */
async function costOf(count, task) {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) await task(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function withSandboxes(size) {
  const sandboxes = newSandboxes();
  for (let index = 1; index < size; index += 1) sandboxes.create(`s${index}`);
  const prefixes = sandboxes.list().map((name) => `/_sandbox/${name}`);
  return () => costOf(requests, (index) => ask(sandboxes, `${prefixes[index % size]}${getPath}`));
}

async function withJournal(size) {
  const sandboxes = newSandboxes();
  for (let index = 0; index < size; index += 1) await ask(sandboxes, getPath);
  return () => costOf(requests, () => ask(sandboxes, getPath));
}

function withMembers(size) {
  const sandboxes = newSandboxes();
  const indexes = Array.from({ length: size }, (_, index) => index);
  sandboxes.default.seed({
    users: indexes.map((index) => ({ id: idOf("9", index), name: `User ${index}` })),
    members: indexes.map((index) => ({
      ...{ id: idOf("8", index), accountId: demo.accountId },
      ...{ userId: idOf("9", index), role: "agent" },
    })),
  });
  const read = (index) => ask(sandboxes, pathOf(idOf("8", index % size)));
  const change = (index) =>
    ask(sandboxes, `/_control/v1/records/members/${idOf("8", index % size)}`, {
      ...{ method: "PATCH", body: { role: index % 2 === 0 ? "admin" : "agent" } },
    });
  return { read: () => costOf(requests, read), change: () => costOf(requests / 30, change) };
}

/** Starts a server in a process of its own. Its processor time is exact, and that of all its threads. */
async function startServer() {
  const args = [cli, "--port", "0", "--json", "--policy", `rateLimit=${JSON.stringify(rateLimit)}`];
  const child = endsWithUs(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  const { port } = new URL(JSON.parse(line).url);
  const stop = async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { port, pid: child.pid, stop };
}

function send(port, agent) {
  return new Promise((resolve, reject) => {
    const options = { port, host: "127.0.0.1", path: getPath, agent, headers: { authorization } };
    get(options, (response) => response.resume().once("end", resolve)).once("error", reject);
  });
}

/** Microseconds of the server's processor time for a request, of so many connections that ask one after another. */
async function costOverHttp({ port, pid }, connections, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let left = count;
  const before = cpuSeconds(pid);
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await send(port, agent);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const used = cpuSeconds(pid) - before;
  agent.destroy();
  return (used * 1e6) / count;
}

async function withReaders(size) {
  const server = await startServer();
  const sockets = Array.from({ length: size }, () => connect(server.port, "127.0.0.1").resume());
  for (const socket of sockets) {
    socket.write("GET /_control/v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "data");
  }
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  };
  return { run: () => costOverHttp(server, 16, 2 * requests), stop };
}

/** What each size costs in each round. Sizes take turns in both directions, so that none always pays for what another left. */
async function measured(sizes, prepare) {
  const prepared = [];
  for (const size of sizes) prepared.push(await prepare(size));
  const costs = sizes.map(() => []);
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const turns = [...prepared.entries()];
    for (const [index, run] of round % 2 === 0 ? turns : turns.reverse()) {
      const cost = await run();
      if (round > 0) costs[index].push(cost);
    }
  }
  return costs;
}

const figures = [];
/** `limit` is how many times the cost of the smallest size the largest may cost. */
function add(what, sizes, costsBySize, limit = same) {
  const costs = costsBySize.map((times) => medianOf(times).value);
  const ratio = pairedRatio(costsBySize.at(-1), costsBySize[0]);
  figures.push({ what, sizes, costs, ratio, limit, met: ratio.value <= limit });
  console.log(what, sizes.map((size, index) => `${size}: ${costs[index].toFixed(1)} µs`).join(", "));
}

const sandboxSizes = [1, 10, 100];
add("GET, sandboxes", sandboxSizes, await measured(sandboxSizes, withSandboxes));
const journalSizes = [100, 10_000, 1_000_000];
add("GET, requests before", journalSizes, await measured(journalSizes, withJournal));
const memberSizes = [10, 500, 5000];
add("GET, members", memberSizes, await measured(memberSizes, async (size) => withMembers(size).read));
const changeSizes = [10, 1000, 20_000];
const changes = await measured(changeSizes, async (size) => withMembers(size).change);
add("PATCH of one member, members", changeSizes, changes, 50);
const server = await startServer();
const connectionSizes = [1, 8, 64];
const overHttp = (size) => () => costOverHttp(server, size, 2 * requests);
add("GET over HTTP, connections", connectionSizes, await measured(connectionSizes, async (size) => overHttp(size)));
await server.stop();
const readerSizes = [1, 20, 400];
const readers = [];
const ofReaders = async (size) => {
  const one = await withReaders(size);
  readers.push(one);
  return one.run;
};
add("GET over HTTP, readers of events", readerSizes, await measured(readerSizes, ofReaders), 2);
for (const { stop } of readers) await stop();

const cell = (cost) => `${cost < 100 ? cost.toFixed(1) : Math.round(cost)} µs`;
const report = `# What grows with the work

One run ${circumstances()}: Node ${process.versions.node}. Microseconds
of processor time for one request, the median of ${rounds} rounds in which the sizes took turns. Rows without HTTP call the backend
in the process. A journal holds the latest 1000 requests, whatever came before. A ratio is the median of those of the rounds,
and not the quotient of two medians; in brackets the interval of 95 % within this run.

| What grows | Sizes | Cost | Largest to smallest | Wanted | |
|---|---|---|---|---|---|
${figures
  .map(({ what, sizes, costs, ratio, limit, met }) =>
    [
      `| ${what}`,
      sizes.map((size) => size.toLocaleString("en-US")).join(", "),
      costs.map(cell).join(", "),
      `${ratio.value.toFixed(2)}× (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`,
      `≤ ${limit}×`,
      `${met ? "met" : "missed"} |`,
    ].join(" | "),
  )
  .join("\n")}
`;
writeFileSync(`${here}results-growth.md`, report);
console.log(`\n${report}`);
if (figures.some(({ met }) => !met)) process.exitCode = 1;
