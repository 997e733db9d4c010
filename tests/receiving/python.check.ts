// The event store of the Python client: the same cases, through a process of Python that calls it, and the program that a page
// shows. See packages/python/tests/webhooks/store_driver.py, and redis_check.py for handlers.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { EventClaim, EventStore } from "@call-transfer/sdk/webhooks";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { createClient } from "redis";
import { pythonCommand, pythonEnvironment, pythonFolder } from "./python.ts";
import { startRedis, startRedisCluster } from "./servers.ts";
import { testStore } from "./stores.ts";

const redis = await startRedis();
const cluster = await startRedisCluster();
const clusterUrl = `redis://127.0.0.1:${cluster[0]?.port}`;

const client = createClient({ url: redis.url });
await client.connect();
const node = redisEventStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }));

const driver = spawn(pythonCommand(), ["-W", "error", `${pythonFolder}/tests/webhooks/store_driver.py`], {
  cwd: fileURLToPath(new URL("./", import.meta.url)),
  env: { ...process.env, ...pythonEnvironment },
  stdio: ["pipe", "pipe", "inherit"],
});
const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
let sent = 0;
createInterface(driver.stdout).on("line", (line) => {
  const { id, result, error } = JSON.parse(line) as { id: number; result?: unknown; error?: string };
  const request = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) request?.resolve(result);
  else request?.reject(new Error(error));
});
const ended = once(driver, "exit");
let isOver = false;
void ended.then(() => {
  isOver = true;
  for (const { reject } of waiting.values()) reject(new Error("The driver ended."));
});

const ask = (request: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    if (isOver) throw new Error("The driver ended.");
    const id = ++sent;
    waiting.set(id, { resolve, reject });
    driver.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
  });

/** Opens a store in the process of Python. */
async function openNew(name: string, url: string, options: object = {}): Promise<EventStore> {
  const store = await ask({ open: name, url, options });
  const call = (method: string, ...args: unknown[]) => ask({ store, method, args });
  return {
    claim: async (...args) => (await call("claim", ...args)) as EventClaim,
    complete: async (...args) => (await call("complete", ...args)) as boolean,
    release: async (...args) => void (await call("release", ...args)),
  };
}

/** The two stores of each kind, in turn: each has a pool of its own, and a server takes only so many connections. */
const opened = new Map<string, [Promise<EventStore>, Promise<EventStore>]>();
function openStore(...given: Parameters<typeof openNew>): Promise<EventStore> {
  const kind = JSON.stringify(given);
  const pair = opened.get(kind) ?? [openNew(...given), openNew(...given)];
  opened.set(kind, [pair[1], pair[0]]);
  return pair[0];
}

after(async () => {
  // A claim that a failed test left waiting would keep it.
  driver.kill("SIGKILL");
  await ended;
  client.destroy();
  for (const server of [redis, ...cluster]) await server.stop();
});

for (const way of ["", ", async"]) {
  testStore(`Python: redis${way}`, () => openStore(`redis${way}`, redis.url));
  testStore(`Python: redis, a cluster${way}`, () => openStore(`redis, a cluster${way}`, clusterUrl));
  // One of the two stores of each case is that of the SDK.
  let turn = 0;
  testStore(`Python: redis${way}, beside Node`, async () =>
    turn++ % 2 === 0 ? openStore(`redis${way}`, redis.url) : node,
  );
}
const own = openNew("shown", "");
testStore("Python: the store in a page", () => own);
testStore("Python: redis that decodes", () => openStore("redis, decoding", redis.url));

it("Python: handlers over Redis, with bursts of doubled offers", async () => {
  const words = ["-m", "pytest", "tests/webhooks/redis_check.py"];
  const env = { ...process.env, ...pythonEnvironment, REDIS_URL: redis.url };
  // Throws what it printed.
  await promisify(execFile)(pythonCommand(), words, { cwd: pythonFolder, env });
});
