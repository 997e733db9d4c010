// Measures the processor time of a GET and a POST over loopback: through the SDK, beside bare
// fetch and bare http.request with a kept-alive agent, on each Node that is supported. Writes results-transport.md and fails when
// a figure misses its target. Requires built packages.
//
//   npm run lab -- bench transport --quick   a look at this Node in a few seconds, which writes nothing
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { circumstances } from "./circumstances.mjs";
import { id } from "./sdk/clients.mjs";
import { pairedRatio, percentile, withServer } from "./sdk/speed.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    // Measures in this process and prints the figures as JSON.
    measure: { type: "boolean", default: false },
  },
});
const built = new URL("../../packages/sdk/dist/index.js", import.meta.url).href;
const [rounds, warmUp, calls] = values.quick ? [100, 50, 20] : [300, 100, 20];
const apiKey = "svc_live_demo0000000000000000000000000001";
const placement = JSON.stringify({ flowId: id, fromNumber: "+15550100001", toNumber: "+15550200001" });

/** What each contender sends, as the SDK does. */
function requestOf(url, isPost) {
  const headers = { accept: "application/json", authorization: `Bearer ${apiKey}` };
  // The server answers every path alike.
  const target = `${url}/api/v1/members/${id}/availability`;
  if (!isPost) return { target, init: { headers } };
  const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: placement };
  return { target, init };
}

function bareHttp({ target, init: { body: sent, ...options } }, agent) {
  return new Promise((resolve, reject) => {
    const request = http.request(target, { ...options, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve(JSON.parse(text)));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(sent);
  });
}

/** The contenders, bare ones first. */
async function contenders(url, isPost) {
  const { CallTransfer } = await import(built);
  const request = requestOf(url, isPost);
  const agent = new http.Agent({ keepAlive: true });
  const client = new CallTransfer({ baseUrl: url, apiKey });
  const bareFetch = async () => {
    const init = { ...request.init, signal: AbortSignal.timeout(60_000) };
    return (await fetch(request.target, init)).json();
  };
  return [
    ["fetch", bareFetch],
    ["http.request", () => bareHttp(request, agent)],
    ["SDK", isPost ? () => client.calls.create(JSON.parse(placement)) : () => client.members.getAvailability(id)],
  ];
}

/** Microseconds of processor time of each block, a call. The contenders take turns, so that load reaches all alike. */
async function timesOf(all) {
  const times = all.map(() => []);
  for (let round = -warmUp; round < rounds; round += 1) {
    for (let turn = 0; turn < all.length; turn += 1) {
      const index = (round + warmUp + turn) % all.length;
      const used = process.cpuUsage();
      for (let count = 0; count < calls; count += 1) await all[index][1]();
      const { user, system } = process.cpuUsage(used);
      if (round >= 0) times[index].push((user + system) / calls);
    }
  }
  return times;
}

async function measure() {
  const figures = [];
  for (const isPost of [false, true]) {
    const all = await withServer((url) => contenders(url, isPost).then(async (found) => [found, await timesOf(found)]));
    const [found, times] = all;
    for (const [index, [name]] of found.entries())
      figures.push({
        method: isPost ? "POST" : "GET",
        name,
        us: percentile(times[index], 0.5),
        overFetch: pairedRatio(times[index], times[0]),
        overHttp: pairedRatio(times[index], times[1]),
      });
  }
  return { node: process.versions.node, figures };
}

/** The most that a request may take beside one through bare fetch: a little more than was measured on each Node. */
const limitOf = ({ name }) => (name === "SDK" ? 1.4 : undefined);
const isMet = (figure) => figure.overFetch.value <= (limitOf(figure) ?? Number.POSITIVE_INFINITY);
const withInterval = ({ value, low, high }) =>
  low === high ? "1×" : `${value.toFixed(2)}× (${low.toFixed(2)} to ${high.toFixed(2)})`;

function rowOf(node, figure) {
  const { method, name, us, overFetch, overHttp } = figure;
  const limit = limitOf(figure);
  const goal = limit === undefined ? "–" : `≤ ${limit}×, ${isMet(figure) ? "met" : "missed"}`;
  return `| ${[`Node ${node}`, method, name, us.toFixed(0), withInterval(overFetch), goal, withInterval(overHttp)].join(" | ")} |`;
}

function pageOf(runs) {
  return `# Processor time of a request

Written by \`npm run lab -- bench transport\`. One run ${circumstances()}, with a server in another
process on it. Lower is better.

| On | Method | Through | µs | beside fetch | wanted | beside http.request |
|---|---|---|---|---|---|---|
${runs.flatMap(({ node, figures }) => figures.map((figure) => rowOf(node, figure))).join("\n")}

- A block is ${calls} requests over a kept-alive connection. The three ways take turns in ${rounds} rounds. µs is the median
  of the blocks. A ratio is the median of the ratios in the rounds, and not the quotient of two medians; its interval of 95 % is
  that within this run.
- Processor time includes the kernel's, and that of the threads that collect garbage.
- **fetch** has a timeout and parses JSON. **http.request** has a kept-alive agent and parses JSON, without a timeout.
- **SDK** adds what its options promise, such as deadlines, retries, redacted errors and typed results.
`;
}

/** Every Node that the SDK supports, from the packages of the checks. */
async function supportedNodes() {
  // Node 20, which measures with this file, cannot load TypeScript.
  const { ensureInstalled, tools } = await import("../../scripts/packed.ts");
  ensureInstalled(tools);
  return ["node-20", "node-22", "node-24", "node-26"].map((name) => join(tools, "node_modules", name, "bin/node"));
}

if (values.measure) {
  console.log(JSON.stringify(await measure()));
  process.exit();
}
const own = [fileURLToPath(import.meta.url), "--measure", ...(values.quick ? ["--quick"] : [])];
const nodes = values.quick ? [process.execPath] : await supportedNodes();
const runs = nodes.map((node) => JSON.parse(execFileSync(node, own, { encoding: "utf8" })));
const page = pageOf(runs);
console.log(page);
if (!values.quick) {
  writeFileSync(new URL("results-transport.md", import.meta.url), page);
  if (!runs.every(({ figures }) => figures.every(isMet))) process.exitCode = 1;
}
