// The mock server beside Prism and bare node:http, and with a data file.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { pack, temporaryFolder } from "../../scripts/packed.ts";
import { temporaryFolder as serverFolder, startServer } from "../../tests/receiving/server-process.ts";
import { pairedRatio } from "./figures.ts";
import { install } from "./installed.mjs";

const { demo } = await import("../../packages/backend/dist/index.js");
const { operations } = await import("../../packages/spec/dist/index.js");

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const prism = "node_modules/@stoplight/prism-cli";
const { version: prismVersion } = JSON.parse(readFileSync(at(`${prism}/package.json`), "utf8"));
const getPath = operations.getMemberAvailability.path.replace(/\{\w+\}/, demo.members.owner);
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
  prism: [
    ...[process.execPath, at(`${prism}/dist/index.js`), "mock", at("packages/spec/openapi.json")],
    ...["--host", "127.0.0.1", "--verboseLevel", "silent", "--port"],
  ],
  "node:http": [process.execPath, at("lab/bench/reading-server.mjs")],
};

const url = (port, path) => `http://127.0.0.1:${port}${path}`;

async function start(name) {
  const isReady = async (port) => {
    const response = await fetch(url(port, getPath), { headers: { authorization } }).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status === 200;
  };
  const command = (port) => [...commands[name], String(port)];
  const setup = { command, folder: serverFolder(), readyText: isReady, endSignal: "SIGKILL", hasChildren: true };
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
        if (["mock", "data"].includes(name)) await fetch(url(server.port, "/_control/v1/reset"), { method: "POST" });
        const one = await rate(server, method);
        if (round >= 0) rates[name][method].push(one);
      }
  for (const server of Object.values(running)) await server.stop();
  return rates;
}

/** Milliseconds from the start of each server to its first answer, in turns. The first turn brings the files into memory. */
async function measureStarts(rounds) {
  const starts = { mock: [], prism: [] };
  for (let round = -1; round < rounds; round += 1)
    for (const name of Object.keys(starts)) {
      const from = performance.now();
      const server = await start(name);
      if (round >= 0) starts[name].push(performance.now() - from);
      await server.stop();
    }
  return starts;
}

/** Megabytes of an installation, beside Prism's and Mockoon's command. */
function installation() {
  using folder = temporaryFolder("bench-server");
  const tarballs = pack(folder.path, ["spec", "backend", "mock-server"]);
  const files = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:../${file}`]));
  const value = install(join(folder.path, "own"), files);
  const peers = {
    Prism: install(join(folder.path, "prism"), { "@stoplight/prism-cli": prismVersion }),
    Mockoon: install(join(folder.path, "mockoon"), { "@mockoon/cli": "9.9.0" }),
  };
  return { what: "Installation, with dependencies", unit: " MB", value, limit: 17, peers };
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
        what: `Processor time of a ${method} with a data file, beside memory`,
        ...{ ...ratio("mock", method, "data", "cpu"), unit: "×", limit: isGet ? 1.2 : 2.2 },
      },
    ];
  });
  figures.push({
    what: "Start to the first answer, beside Prism",
    ...{ ...pairedRatio(starts.mock, starts.prism), unit: "×", limit: 0.25 },
  });
  return isQuick ? figures : [...figures, installation()];
}
