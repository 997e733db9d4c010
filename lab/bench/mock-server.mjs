// Compares the mock server with Prism, plain node:http and plain Hono in one run. Writes results-mock-server.md and fails when a figure
// misses its target. Requires built packages.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { freePort } from "../../scripts/free-port.ts";
import { circumstances } from "./circumstances.mjs";
import { installations } from "./installations.mjs";

const { createBackend, demo } = await import("../../packages/backend/dist/index.js");
const { operations } = await import("../../packages/spec/dist/index.js");

const root = fileURLToPath(new URL("../../", import.meta.url));
const here = fileURLToPath(new URL("./", import.meta.url));
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
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
  ...["--port", port, "--policy", `rateLimit=${unlimited}`, "--log", log],
];
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
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const output = name === toFile ? openSync(join(folder, "log"), "w") : name === toPipe ? "pipe" : "ignore";
  const from = performance.now();
  const child = spawn(node, servers[name](port), { stdio: ["ignore", output, "ignore"], env });
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

/** Seconds of processor time that a process has used, all its threads together. */
function cpuSeconds(pid) {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) /);
  const [user, system] = fields.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) / 100;
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

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const names = Object.keys(servers);
const starts = Object.fromEntries(names.map((name) => [name, []]));
const rates = Object.fromEntries(names.map((name) => [name, { GET: [], POST: [] }]));
const firstStarts = [];
// Not counted: it brings the files into memory, and writes the compiled code.
await (await start("mock")).stop();
for (let round = 0; round < rounds; round += 1)
  for (const name of names) {
    if (name === "mock") {
      const first = await start(name, { ...environment, NODE_DISABLE_COMPILE_CACHE: "1" });
      firstStarts.push(first.ms);
      await first.stop();
    }
    const server = await start(name);
    starts[name].push(server.ms);
    // Warm up first.
    const stop = name.startsWith("mock") ? keepSmall(server.url) : () => {};
    for (const method of ["GET", "POST"]) await rate(server, method);
    for (const method of ["GET", "POST"]) rates[name][method].push(await rate(server, method));
    stop();
    await server.stop();
    console.log(
      `round ${round + 1}, ${name}: ${["GET", "POST"].map((m) => Math.round(rates[name][m].at(-1).wall)).join(", ")} requests a second`,
    );
  }

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

const installed = installations(folder);

const of = (name, method, by) => median(rates[name][method].map((rate) => rate[by]));
const ratio = (name, method, peer) => of(name, method, "wall") / of(peer, method, "wall");
const atLeast = (what, value, wanted) => ({ what, value, wanted, atLeast: true, unit: "×" });
const againstBare = (name, method) => ratio(name, method, "node:http");
const figures = [
  ...["GET", "POST"].map((method) => atLeast(`${method}, against Prism`, ratio("mock", method, "prism"), 5)),
  atLeast("GET, against bare node:http", againstBare("mock", "GET"), 0.7),
  atLeast("POST, against bare node:http", againstBare("mock", "POST"), 0.65),
  ...[toFile, toPipe].flatMap((name) =>
    ["GET", "POST"].map((method) =>
      atLeast(`${method} with ${name.replace("mock, ", "")}, against bare node:http`, againstBare(name, method), 0.5),
    ),
  ),
  { what: "start to first answer", value: median(starts.mock), wanted: 200, unit: " ms" },
  { what: "start to first answer, without compiled code", value: median(firstStarts), wanted: 200, unit: " ms" },
  { what: "a new backend in the same process", value: backendMs(), wanted: 1, unit: " ms" },
  { what: "size of the installed server", value: installed["@call-transfer/mock-server"].mb, wanted: 15, unit: " MB" },
].map((figure) => ({ ...figure, met: figure.atLeast ? figure.value >= figure.wanted : figure.value <= figure.wanted }));

const version = (name) => JSON.parse(readFileSync(join(here, "../node_modules", name, "package.json"), "utf8")).version;
const digits = (value) => (value < 10 ? value.toFixed(2) : String(Math.round(value)));
const report = `# Figures of the mock server

One run ${circumstances()}: Node ${process.versions.node}, Prism ${version("@stoplight/prism-cli")}, Hono ${version("hono")} on
node-server ${version("@hono/node-server")}, autocannon ${version("autocannon")}. 16 connections, the median of ${rounds} rounds of ${seconds} s.
GET reads a member's availability, POST creates a destination group; the mock server checks, keeps state and writes its
journal. Its state is reset 20 times a second. Bare \`node:http\` and Hono read and parse the body of a POST and write the
same answers as JSON, without checks or state. The mock server logs nothing unless a row says otherwise; a pipe is read by
\`cat\`. From the second start on it uses the compiled code of the first, unless a row says otherwise. Only ratios of one run
are worth comparing. The client has a processor of its
own and bounds the fastest servers; what a second of the server's own processor time answers stands beside.

| Figure | Measured | Wanted | |
|---|---|---|---|
${figures.map(({ what, value, wanted, atLeast, unit, met }) => `| ${what} | ${digits(value)}${unit} | ${atLeast ? "≥" : "≤"} ${wanted}${unit} | ${met ? "met" : "missed"} |`).join("\n")}

| Requests a second | GET | POST | GET, of processor time | POST, of processor time | start to first answer |
|---|---|---|---|---|---|
${names
  .map((name) => {
    const cells = ["wall", "cpu"].flatMap((by) => ["GET", "POST"].map((method) => Math.round(of(name, method, by))));
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
