// Drives the mock server as a busy team would for some minutes (--minutes; 10 by default), and fails when its memory grows. Heap and buffers are read after a collection, so that what is left is what is kept, by the client too.
// What grows is driven for as long again, up to twice: what is only settling stops growing, and a leak does not.
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { demo } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import { operations } from "@call-transfer/spec";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
const durationMs = Number(values.minutes) * 60_000;
if (!(durationMs > 0)) throw new Error("--minutes must be a number above 0.");
if (globalThis.gc === undefined) throw new Error("Run it by npm run lab -- soak, which lets it collect garbage.");

const samples = 20;
const mostWindows = 3;
// Compilation and caches settle first.
const warmUpMs = Math.min(durationMs / 4, 60_000);
// A short run is noisier, and a long one must not make up for growth by its length.
const mostGrowthPerMinute = Math.min(1e6 / Math.min(1, Number(values.minutes)), 1e7 / Number(values.minutes));

const server = await startMockServer({ port: 0, policies: { rateLimit: { requests: 2e6, windowSecs: 1 } } });
const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };
let requests = 0;

async function ask(path: string, method = "GET", body?: unknown): Promise<void> {
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(`${server.url}${path}`, init);
  await response.arrayBuffer();
  if (response.status >= 500) throw new Error(`${method} ${path}: ${response.status}`);
  requests += 1;
}

const member = operations.getMemberAvailability.path.replace("{memberId}", demo.members.member);

/** One round of a test: it works, breaks something on purpose, looks, and leaves the sandbox as it was. */
async function round(sandbox: string): Promise<void> {
  const prefix = `/_sandbox/${sandbox}`;
  await ask("/_control/v1/sandboxes", "POST", { name: sandbox });
  for (let index = 0; index < 20; index += 1) {
    await ask(prefix + member);
    const members = [{ destinationId: demo.destinations.phone }];
    await ask(prefix + operations.createDestinationGroup.path, "POST", { name: `Group ${index}`, members });
    await ask(prefix + operations.createDestinationGroup.path, "POST", { name: "", members });
    await ask(prefix + operations.listCalls.path);
    await ask(`${prefix}/nowhere`);
  }
  await ask(`${prefix}/_control/v1/faults`, "POST", { do: { code: "conflict" } });
  await ask(prefix + member);
  await ask(`${prefix}/_control/v1/transfers`, "POST", { groupId: demo.groups.existing });
  await ask(`${prefix}/_control/v1/clock/advance`, "POST", { by: 60_000 });
  await ask(`${prefix}/_control/v1/requests`);
  await ask(`/_control/v1/sandboxes/${sandbox}`, "DELETE");
  await ask(member);
}

/** The slope of the least squares line, in bytes a minute. */
function slope(points: readonly { readonly ms: number; readonly heap: number }[]): number {
  const mean = (pick: (point: { ms: number; heap: number }) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [ms, heap] = [mean((point) => point.ms), mean((point) => point.heap)];
  const covariance = points.reduce((sum, point) => sum + (point.ms - ms) * (point.heap - heap), 0);
  return (covariance / points.reduce((sum, point) => sum + (point.ms - ms) ** 2, 0)) * 60_000;
}

// The request log keeps at most a thousand requests; it fills up before anything is measured.
for (let count = 0; count < 2500; count += 1) await ask(member);

/** Bytes in use after a collection. */
async function memoryKept(): Promise<number> {
  // What a collection finds in buffers is let go a moment after it; a reading in between would count it.
  globalThis.gc?.();
  await setTimeout(50);
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

let rounds = 0;

/** Drives the server for the duration, and answers by how many bytes a minute its memory grew. */
async function growthInWindow(): Promise<number> {
  const begin = performance.now();
  const points: { ms: number; heap: number }[] = [];
  while (performance.now() - begin < durationMs) {
    await Promise.all([0, 1, 2, 3].map((lane) => round(`soak-${rounds}-${lane}`)));
    rounds += 1;
    const ms = performance.now() - begin;
    if (ms < warmUpMs + (points.length * (durationMs - warmUpMs)) / samples) continue;
    const heap = await memoryKept();
    points.push({ ms, heap });
    console.log(`${Math.round(ms / 1000)} s: ${requests} requests, ${heap / 1e6} MB`);
  }
  return slope(points);
}

let growth = Number.POSITIVE_INFINITY;
for (let window = 0; window < mostWindows && !(growth <= mostGrowthPerMinute); window += 1) {
  growth = await growthInWindow();
  console.log(`${requests} requests; memory changes by ${(growth / 1e6).toFixed(3)} MB a minute`);
}
await server.close();
if (!(growth <= mostGrowthPerMinute)) {
  console.error("The server keeps what it should let go.");
  process.exitCode = 1;
}
