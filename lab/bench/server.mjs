// The mock server beside Prism and bare node:http, with a data file and a log, and as its work grows.
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { pack, temporaryFolder } from "../../scripts/packed.ts";
import { temporaryFolder as serverFolder, startServer } from "../../tests/receiving/server-process.ts";
import { pairedRatio } from "./figures.ts";
import { install } from "./installed.mjs";

const { createSandboxRegistry, demo } = await import("../../packages/backend/dist/index.js");
const { operations } = await import("../../packages/spec/dist/index.js");

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const prism = "node_modules/@stoplight/prism-cli";
const { version: prismVersion } = JSON.parse(readFileSync(at(`${prism}/package.json`), "utf8"));
const pathOf = (memberId) => operations.getMemberAvailability.path.replace(/\{\w+\}/, memberId);
const getPath = pathOf(demo.members.owner);
const postPath = operations.createDestinationGroup.path;
const authorization = `Bearer ${demo.apiKey}`;
const rateLimit = { requests: 2e6, windowSecs: 1 };
const group = { members: [{ destinationId: demo.destinations.phone, ringTimeoutSecs: 20 }], totalTimeoutSecs: 30 };
const connections = 16;
const turnSeconds = 0.4;

const mock = (...options) => [
  ...[process.execPath, at("packages/mock-server/dist/cli.js"), "--policy", `rateLimit=${JSON.stringify(rateLimit)}`],
  ...["--log-format", "silent", ...options, "--port"],
];
/** The commands of the servers, to which the port is added. */
const commands = {
  mock: mock(),
  data: mock("--data-file", "bench.db"),
  // To a file, as where it is started in the background.
  log: ["sh", "-c", '"$@" > log', "sh", ...mock("--log-format", "pretty")],
  prism: [
    ...[process.execPath, at(`${prism}/dist/index.js`), "mock", at("packages/spec/openapi.json")],
    ...["--host", "127.0.0.1", "--verboseLevel", "silent", "--port"],
  ],
  "node:http": [process.execPath, at("lab/bench/reading-server.mjs")],
};

const url = (port, path) => `http://127.0.0.1:${port}${path}`;

async function start(name, env = process.env) {
  const isReady = async (port) => {
    const response = await fetch(url(port, getPath), { headers: { authorization } }).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status === 200;
  };
  const command = (port) => [...commands[name], String(port)];
  const setup = { command, folder: serverFolder(), readyText: isReady, endSignal: "SIGKILL", hasChildren: true, env };
  return startServer(setup, "http://");
}

/** Seconds of processor time that a process has used, with its children and all threads of both. */
function cpuSeconds(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]),
  );
  return children.reduce((sum, child) => sum + cpuSeconds(child), nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9);
}

let names = 0;
/** Requests of one connection that create groups, each with a name of its own. */
const groups = () =>
  Array.from({ length: 1500 }, () => {
    names += 1;
    const headers = { authorization, "content-type": "application/json" };
    return { method: "POST", path: postPath, headers, body: JSON.stringify({ name: `Group ${names}`, ...group }) };
  });

/** Requests a second, by the wall clock and by the server's own processor time. */
async function rate({ port, pid }, method) {
  const before = cpuSeconds(pid);
  const isPost = method === "POST";
  const result = await autocannon({
    url: url(port, isPost ? postPath : getPath),
    ...{ connections, duration: turnSeconds, sampleInt: 50, method },
    headers: { authorization, ...(isPost && { "content-type": "application/json" }) },
    ...(isPost && { setupClient: (client) => client.setRequests(groups()) }),
  });
  if (result.errors + result.non2xx > 0)
    throw new Error(`${port} ${method}: ${result.errors} errors, ${result.non2xx} refusals`);
  return { wall: result.requests.total / result.duration, cpu: result.requests.total / (cpuSeconds(pid) - before) };
}

/** Rates in short turns, so that a slower moment of the machine meets all servers alike. The first rounds warm up. */
async function measureRates(rounds) {
  const rates = Object.fromEntries(Object.keys(commands).map((name) => [name, { GET: [], POST: [] }]));
  const running = {};
  for (const name of Object.keys(commands)) running[name] = await start(name);
  for (let round = -2; round < rounds; round += 1)
    for (const [name, server] of Object.entries(running))
      for (const method of ["GET", "POST"]) {
        // As small as in a test.
        if (["mock", "data", "log"].includes(name))
          await fetch(url(server.port, "/_control/v1/reset"), { method: "POST" });
        const one = await rate(server, method);
        if (round >= 0) rates[name][method].push(one);
      }
  for (const server of Object.values(running)) await server.stop();
  return rates;
}

/** Milliseconds from the start of each server to its first answer, in turns. The first turn brings the files into memory. */
async function measureStarts(rounds) {
  const starts = { mock: [], prism: [], "node:http": [] };
  for (let round = -1; round < rounds; round += 1)
    for (const name of Object.keys(starts)) {
      const from = performance.now();
      const server = await start(name);
      if (round >= 0) starts[name].push(performance.now() - from);
      await server.stop();
    }
  return starts;
}

const newSandboxes = () => createSandboxRegistry({ policies: { rateLimit } });

async function ask(sandboxes, path) {
  const headers = new Headers({ authorization });
  const { response } = await sandboxes.handle({ method: "GET", url: url(80, path), headers, body: null });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

const idOf = (kind, index) => `${kind}0000000-0000-4000-8000-${String(index).padStart(12, "0")}`;

/** What grows: a function that makes so much of it, and returns the path of each request. */
const growing = {
  "100 sandboxes instead of 1": async (isLarge) => {
    const sandboxes = newSandboxes();
    for (let index = 1; isLarge && index < 100; index += 1) sandboxes.create(`s${index}`);
    const prefixes = sandboxes.list().map((name) => `/_sandbox/${name}`);
    return (index) => ask(sandboxes, prefixes[index % prefixes.length] + getPath);
  },
  "100,000 requests before instead of 100": async (isLarge) => {
    const sandboxes = newSandboxes();
    for (let index = 0; index < (isLarge ? 100_000 : 100); index += 1) await ask(sandboxes, getPath);
    return () => ask(sandboxes, getPath);
  },
  "5,000 members instead of 10": async (isLarge) => {
    const sandboxes = newSandboxes();
    const indexes = Array.from({ length: isLarge ? 5000 : 10 }, (_, index) => index);
    sandboxes.default.seed({
      users: indexes.map((index) => ({ id: idOf("9", index), name: `User ${index}` })),
      members: indexes.map((index) => ({
        ...{ id: idOf("8", index), accountId: demo.accountId, userId: idOf("9", index), role: "agent" },
      })),
    });
    return (index) => ask(sandboxes, pathOf(idOf("8", index % indexes.length)));
  },
};

/** What a request costs with the large size, beside the small one. */
async function growthOf(prepare, rounds) {
  const asks = [await prepare(false), await prepare(true)];
  const costs = [[], []];
  for (let round = -1; round < rounds; round += 1)
    for (const [index, askOne] of round % 2 === 0 ? asks.entries() : [...asks.entries()].reverse()) {
      const before = process.cpuUsage();
      for (let count = 0; count < 1500; count += 1) await askOne(count);
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) costs[index].push(user + system);
    }
  return pairedRatio(costs[1], costs[0]);
}

/** What a request costs over HTTP with 400 readers of events, beside one reader. */
async function costOfReaders(rounds) {
  const servers = [];
  for (const size of [1, 400]) {
    const server = await start("mock");
    const sockets = Array.from({ length: size }, () => connect(server.port, "127.0.0.1").resume());
    for (const socket of sockets) {
      socket.write("GET /_control/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await once(socket, "data");
    }
    servers.push({ server, sockets, costs: [] });
  }
  for (let round = -1; round < rounds; round += 1)
    for (const { server, costs } of servers) {
      const agent = new Agent({ keepAlive: true, maxSockets: connections });
      const before = cpuSeconds(server.pid);
      const send = (index) =>
        new Promise((resolve, reject) => {
          const options = { port: server.port, host: "127.0.0.1", path: getPath, agent, headers: { authorization } };
          get(options, (response) => response.resume().once("end", () => resolve(index))).once("error", reject);
        });
      await Promise.all(Array.from({ length: 4000 }, (_, index) => send(index)));
      if (round >= 0) costs.push(cpuSeconds(server.pid) - before);
      agent.destroy();
    }
  for (const { server, sockets } of servers) {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
  return pairedRatio(servers[1].costs, servers[0].costs);
}

/** Packages and megabytes of an installation, beside Prism's and Mockoon's command. */
function installations() {
  using folder = temporaryFolder("bench-server");
  const tarballs = pack(folder.path, ["spec", "backend", "mock-server"]);
  const files = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:../${file}`]));
  const own = install(join(folder.path, "own"), files);
  const prismOnes = install(join(folder.path, "prism"), { "@stoplight/prism-cli": prismVersion });
  const mockoon = install(join(folder.path, "mockoon"), { "@mockoon/cli": "9.9.0" });
  const figure = (what, unit, key, limit) => ({
    ...{ what, unit, value: own[key], limit, peers: { Prism: prismOnes[key], Mockoon: mockoon[key] } },
  });
  return [
    figure("Installation, with dependencies", " MB", "megabytes", 17),
    figure("Packages of an installation", "", "packages", 10),
  ];
}

export async function measure(isQuick) {
  const rounds = isQuick ? 4 : 14;
  const starts = await measureStarts(isQuick ? 2 : 5);
  const rates = await measureRates(rounds);
  const ratio = (name, method, peer, by = "wall") =>
    pairedRatio(
      rates[name][method].map((one) => one[by]),
      rates[peer][method].map((one) => one[by]),
    );
  const more = { unit: "×", isMoreBetter: true };
  const less = { unit: "×" };
  const figures = ["GET", "POST"].flatMap((method) => {
    const isGet = method === "GET";
    return [
      { what: `${method}s a second, beside Prism`, ...ratio("mock", method, "prism"), ...more, limit: 5 },
      {
        what: `${method}s a second, beside bare \`node:http\``,
        ...{ ...ratio("mock", method, "node:http"), ...more, limit: isGet ? 0.55 : 0.45 },
        peers: { Prism: ratio("prism", method, "node:http").value },
      },
      {
        what: `Processor time of a ${method}, beside bare \`node:http\``,
        ...{ ...ratio("node:http", method, "mock", "cpu"), ...less, limit: isGet ? 1.9 : 2.5 },
      },
      {
        what: `${method}s a second with a pretty log to a file, beside bare \`node:http\``,
        ...{ ...ratio("log", method, "node:http"), ...more, limit: isGet ? 0.4 : 0.35 },
      },
      {
        what: `Processor time of a ${method} with a data file, beside memory`,
        ...{ ...ratio("mock", method, "data", "cpu"), ...less, limit: isGet ? 1.2 : 2.2 },
      },
    ];
  });
  const startRatio = (peer) => pairedRatio(starts.mock, starts[peer]);
  figures.push(
    { what: "Start to the first answer, beside Prism", ...startRatio("prism"), ...less, limit: 0.25 },
    { what: "Start to the first answer, beside bare `node:http`", ...startRatio("node:http"), ...less, limit: 1.5 },
  );
  for (const [what, prepare] of Object.entries(growing))
    figures.push({ what: `A GET with ${what}`, ...(await growthOf(prepare, rounds)), ...less, limit: 1.5 });
  figures.push({
    what: "A GET with 400 readers of events instead of 1",
    ...(await costOfReaders(6)),
    ...less,
    limit: 2,
  });
  return isQuick ? figures : [...figures, ...installations()];
}
