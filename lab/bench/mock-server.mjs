// Compares the mock server with Prism, plain node:http and plain Hono in one run, in which they take turns. Writes
// results-mock-server.md and fails when a figure misses its target. Requires built packages.
//
//   npm run lab -- bench server --quick   a look at the mock server and at bare node:http in half a minute, which writes nothing
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { freePort } from "../../build/free-port.ts";
import { circumstances } from "./circumstances.mjs";
import { cpuSeconds } from "./cpu-seconds.mjs";
import { endsWithUs } from "./ends-with-us.mjs";
import { installations } from "./installations.mjs";

const { createBackend, demo } = await import("../../packages/backend/dist/index.js");
const { operations } = await import("../../packages/spec/dist/index.js");

const root = fileURLToPath(new URL("../../", import.meta.url));
const here = fileURLToPath(new URL("./", import.meta.url));
const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
// The speed of a machine that others share changes within seconds. Many short turns meet that better than a few long ones.
const [rounds, seconds, startRounds] = options.quick ? [12, 0.5, 5] : [31, 0.5, 11];
const node = process.execPath;

const getPath = operations.getMemberAvailability.path.replace(/\{\w+\}/, demo.members.owner);
const postPath = operations.createDestinationGroup.path;
const authorization = `Bearer ${demo.apiKey}`;
const group = { members: [{ destinationId: demo.destinations.phone, ringTimeoutSecs: 20 }], totalTimeoutSecs: 30 };
const backend = createBackend();
const ask = async (path, init) => (await backend.fetch(`http://localhost${path}`, init)).text();
const getBody = await ask(getPath, { headers: { authorization } });
const postBody = await ask(postPath, {
  method: "POST",
  headers: { authorization, "content-type": "application/json" },
  body: JSON.stringify({ name: "Bench", ...group }),
});

const folder = mkdtempSync(join(tmpdir(), "call-transfer-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// The mock server keeps its compiled code there.
const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...inherited } = process.env;
const environment = { ...inherited, XDG_CACHE_HOME: folder };

const unlimited = JSON.stringify({ requests: 2e6, windowSecs: 1 });
const mock = (log) => (port) => [
  join(root, "packages/mock-server/dist/cli.js"),
  ...["--port", port, "--policy", `rateLimit=${unlimited}`, "--log-format", log],
];
const uncompiled = "mock, without compiled code";
const [toFile, toPipe] = ["mock, pretty log to a file", "mock, pretty log to a pipe"];
const servers = {
  mock: mock("silent"),
  [toFile]: mock("pretty"),
  [toPipe]: mock("pretty"),
  prism: (port) => [
    join(here, "../node_modules/@stoplight/prism-cli/dist/index.js"),
    ...[
      "mock",
      join(root, "packages/spec/openapi.json"),
      "--port",
      port,
      "--host",
      "127.0.0.1",
      "--verboseLevel",
      "silent",
    ],
  ],
  "node:http": (port) => [join(here, "mock-server-peers.mjs"), "node:http", port, getBody, postBody],
  hono: (port) => [join(here, "mock-server-peers.mjs"), "hono", port, getBody, postBody],
};

/** Starts a server and measures the time to its first response. */
async function start(name, env = environment) {
  // Peers do not say on which port they listen.
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const output = name === toFile ? openSync(join(folder, "log"), "w") : name === toPipe ? "pipe" : "ignore";
  const from = performance.now();
  const child = endsWithUs(spawn(node, servers[name](port), { stdio: ["ignore", output, "ignore"], env }));
  // Another process reads the pipe, because this one is busy with requests.
  if (name === toPipe) spawn("cat", { stdio: [child.stdout, "ignore", "ignore"] });
  if (name === toFile) closeSync(output);
  for (;;) {
    const response = await fetch(`${url}${getPath}`, { headers: { authorization } }).catch(() => undefined);
    if (response?.status === 200) break;
    if (performance.now() - from > 120_000) throw new Error(`${name} does not answer (${response?.status})`);
    await sleep(2);
  }
  const stop = async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { url, pid: child.pid, ms: performance.now() - from, stop };
}

/** Requests that create groups, for one connection. Names repeat only after a reset of the state. */
function groupsOf(connection) {
  const headers = { authorization, "content-type": "application/json" };
  return Array.from({ length: 500 }, (_, index) => {
    const body = JSON.stringify({ name: `Group ${connection}-${index}`, ...group });
    return { method: "POST", path: postPath, headers, body };
  });
}

/** Requests a second over 16 connections, by the wall clock and by the server's own processor time. */
async function rate({ url, pid }, method) {
  let connections = 0;
  const before = cpuSeconds(pid);
  const isPost = method === "POST";
  const run = autocannon({
    url: `${url}${isPost ? postPath : getPath}`,
    connections: 16,
    duration: seconds,
    // How often it looks whether the time is over, in milliseconds; a second by default.
    sampleInt: 50,
    method,
    headers: { authorization, ...(isPost && { "content-type": "application/json" }) },
    ...(isPost && { setupClient: (client) => client.setRequests(groupsOf(connections++)) }),
  });
  const result = await run;
  if (result.errors + result.non2xx > 0)
    throw new Error(`${url} ${method}: ${result.errors} errors, ${result.non2xx} refusals`);
  return { wall: result.requests.total / result.duration, cpu: result.requests.total / (cpuSeconds(pid) - before) };
}

/** Resets the state often, so that it stays as small as in a test. */
function keepSmall(url) {
  const timer = setInterval(() => void fetch(`${url}/_control/v1/reset`, { method: "POST" }).catch(() => {}), 50);
  return () => clearInterval(timer);
}

const sorted = (values) => values.toSorted((a, b) => a - b);
const median = (values) => sorted(values)[Math.floor(values.length / 2)];
const names = options.quick ? ["mock", "node:http"] : Object.keys(servers);
const methods = ["GET", "POST"];
const warmUpRounds = 4;

/** Starts in turns. The first one is not counted: it brings the files into memory, and writes the compiled code. */
async function measureStarts() {
  const starts = Object.fromEntries([...names, uncompiled].map((name) => [name, []]));
  for (let round = 0; round <= startRounds; round += 1)
    for (const name of Object.keys(starts)) {
      const isUncompiled = name === uncompiled;
      const server = await start(
        isUncompiled ? "mock" : name,
        isUncompiled ? { ...environment, NODE_DISABLE_COMPILE_CACHE: "1" } : environment,
      );
      if (round > 0) starts[name].push(server.ms);
      await server.stop();
    }
  return starts;
}

/** Rates in turns of half a second, so that a slower moment of the machine meets all servers alike. The first rounds warm up. */
async function measureRates() {
  const rates = Object.fromEntries(names.map((name) => [name, { GET: [], POST: [] }]));
  const running = [];
  for (const name of names) running.push([name, await start(name)]);
  for (let round = -warmUpRounds; round < rounds; round += 1)
    for (const [name, server] of running) {
      const stop = name.startsWith("mock") ? keepSmall(server.url) : () => {};
      const measured = [];
      for (const method of methods) measured.push(await rate(server, method));
      stop();
      const said = measured.map(({ wall }) => Math.round(wall)).join(", ");
      console.log(`${round < 0 ? "warm-up" : `round ${round + 1}`}, ${name}: ${said} requests a second`);
      if (round >= 0) for (const [index, method] of methods.entries()) rates[name][method].push(measured[index]);
    }
  for (const [, server] of running) await server.stop();
  return rates;
}

const starts = await measureStarts();
const rates = await measureRates();

/** Milliseconds to create a backend in this process, after a warm-up. */
function backendMs() {
  const times = [];
  for (let run = 0; run < 200; run += 1) {
    const from = performance.now();
    createBackend();
    times.push(performance.now() - from);
  }
  return median(times);
}

/** The median of the ratios of each round, with the limits of the middle half. */
function spread(count, ratioOf) {
  const ratios = sorted(Array.from({ length: count }, (_, round) => ratioOf(round)));
  const at = (share) => ratios[Math.round((count - 1) * share)];
  return { value: at(0.5), low: at(0.25), high: at(0.75) };
}
const ratioOf = (name, method, peer, by) =>
  spread(rounds, (round) => rates[name][method][round][by] / rates[peer][method][round][by]);
const answered = (name, method, peer) => ratioOf(name, method, peer, "wall");
/** Processor time is the other way round: less is better. */
const processorTime = (method) => ratioOf("node:http", method, "mock", "cpu");
const startRatio = (name, peer) => spread(startRounds, (round) => starts[name][round] / starts[peer][round]);

const atLeast = (what, measured, wanted) => ({ what, ...measured, wanted, atLeast: true, unit: "×" });
const atMost = (what, measured, wanted, unit = "×") => ({ what, ...measured, wanted, unit });
const bare = "against bare node:http";
const ownFigures = [
  atLeast(`GET, ${bare}`, answered("mock", "GET", "node:http"), 0.55),
  atLeast(`POST, ${bare}`, answered("mock", "POST", "node:http"), 0.45),
  atMost(`processor time of a GET, ${bare}`, processorTime("GET"), 1.9),
  atMost(`processor time of a POST, ${bare}`, processorTime("POST"), 2.5),
  atMost(`start to first answer, ${bare}`, startRatio("mock", "node:http"), 1.5),
];

if (options.quick) {
  for (const { what, value, low, high } of ownFigures)
    console.log(`${what}: ${value.toFixed(2)}× (${low.toFixed(2)} to ${high.toFixed(2)})`);
  process.exit();
}

const installed = installations(folder);
const figures = [
  ...methods.map((method) => atLeast(`${method}, against Prism`, answered("mock", method, "prism"), 5)),
  ...ownFigures,
  ...[toFile, toPipe].flatMap((name) =>
    methods.map((method) =>
      atLeast(
        `${method} with ${name.replace("mock, ", "")}, ${bare}`,
        answered(name, method, "node:http"),
        method === "GET" ? 0.4 : 0.35,
      ),
    ),
  ),
  atMost("start to first answer, against Prism", startRatio("mock", "prism"), 0.2),
  atMost("a new backend in the same process", { value: backendMs() }, 1, " ms"),
  atMost("size of the installed server", { value: installed["@call-transfer/mock-server"].mb }, 17, " MB"),
].map((figure) => ({ ...figure, met: figure.atLeast ? figure.value >= figure.wanted : figure.value <= figure.wanted }));

const version = (name) => JSON.parse(readFileSync(join(here, "../node_modules", name, "package.json"), "utf8")).version;
const digits = (value) => (value < 10 ? value.toFixed(2) : String(Math.round(value)));
const report = `# Figures of the mock server

One run ${circumstances()}: Node ${process.versions.node}, Prism ${version("@stoplight/prism-cli")}, Hono ${version("hono")} on
node-server ${version("@hono/node-server")}, autocannon ${version("autocannon")}. 16 connections, the median of ${rounds} rounds of ${seconds} s,
in which the servers took turns; a ratio is the median of the ratios of each round, with the middle half of them in brackets,
and not the quotient of two medians.
GET reads a member's availability, POST creates a destination group; the mock server checks, keeps state and writes its
request log. Its state is reset 20 times a second. Bare \`node:http\` and Hono read and parse the body of a POST and write the
same answers as JSON, without checks or state. The mock server logs nothing unless a row says otherwise; a pipe is read by
\`cat\`. From the second start on it uses the compiled code of the first, unless a row says otherwise. Only ratios of one run
are worth comparing. The client has a processor of its
own and bounds the fastest servers; what a second of the server's own processor time answers stands beside. Without
compiled code the first answer came after ${Math.round(median(starts[uncompiled]))} ms.

| Figure | Measured | Wanted | |
|---|---|---|---|
${figures.map(({ what, value, low, high, wanted, atLeast, unit, met }) => `| ${what} | ${digits(value)}${unit}${low === undefined ? "" : ` (${digits(low)} to ${digits(high)})`} | ${atLeast ? "≥" : "≤"} ${wanted}${unit} | ${met ? "met" : "missed"} |`).join("\n")}

| Requests a second | GET | POST | GET, of processor time | POST, of processor time | start to first answer |
|---|---|---|---|---|---|
${names
  .map((name) => {
    const cells = ["wall", "cpu"].flatMap((by) =>
      methods.map((method) => Math.round(median(rates[name][method].map((one) => one[by])))),
    );
    return `| ${[name, ...cells, `${Math.round(median(starts[name]))} ms`].join(" | ")} |`;
  })
  .join("\n")}

What an installation brings, once everything has been downloaded:

| Installed | Packages | Size | Time |
|---|---|---|---|
${Object.entries(installed)
  .map(
    ([name, { packages, mb, seconds }]) => `| ${name} | ${packages} | ${Math.round(mb)} MB | ${seconds.toFixed(1)} s |`,
  )
  .join("\n")}
`;
writeFileSync(join(here, "results-mock-server.md"), report);
console.log(`\n${report}`);
if (figures.some(({ met }) => !met)) process.exitCode = 1;
