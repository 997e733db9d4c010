// Observes what each client does against a server that behaves badly. Each function returns what a reader sees in a table.
import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import { performance } from "node:perf_hooks";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { body, headers } from "./body.mjs";
import { id } from "./clients.mjs";

const patienceMs = 8000;

/** Runs `use` with the address of a server that answers with `answer`. */
async function serving(answer, use) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const ok = (response) => response.writeHead(200, headers).end(body);

/** How a call ended, and after how many milliseconds. `undefined` if it goes on. */
async function outcomeOf(call) {
  const from = performance.now();
  const ended = (state) => ({ ...state, ms: performance.now() - from });
  // Inside an async function, since an id may be refused without a promise.
  const outcome = (async () => ended({ value: await call() }))().catch((error) => ended({ error }));
  return Promise.race([outcome, sleep(patienceMs, undefined, { ref: false })]);
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const nameOf = (error) => `\`${error.name === "Error" ? error.constructor.name : error.name}\``;

/** How often a request that causes something arrives when its response is lost. */
async function executions({ create }) {
  const keys = [];
  const answer = (request, response) => {
    request.resume().on("end", () => {
      keys.push(request.headers["idempotency-key"]);
      response.destroy();
    });
  };
  return serving(answer, async (url) => {
    const { post } = create({ url });
    const outcome = await outcomeOf(post);
    const isOne = keys[0] !== undefined && new Set(keys).size === 1;
    const times = `${keys.length}×${keys.length > 1 && isOne ? " with one Idempotency-Key" : ""}`;
    return { text: `${times}, ${outcome ? nameOf(outcome.error) : "still trying"}`, value: isOne ? 1 : keys.length };
  });
}

/** When a client with a timeout of 500 ms notices that a body has stalled. */
async function stalledBody({ create }) {
  const answer = (_, response) => response.writeHead(200, headers).write(body.slice(0, 20));
  return serving(answer, async (url) => {
    const { get } = create({ url, timeoutMs: 500, maxRetries: 0 });
    const outcome = await outcomeOf(() => get());
    const text = outcome ? `after ${seconds(outcome.ms)}` : `not within ${patienceMs / 1000} s`;
    return { text, value: outcome && outcome.ms < 1000 ? 0 : 1 };
  });
}

/** How soon a call ends when it is aborted while it waits for its next attempt. */
async function abortInBackoff({ create, name }) {
  if (name.startsWith("stripe")) return { text: "takes no signal", value: 1 };
  const answer = (_, response) => response.writeHead(429, { ...headers, "retry-after": "5" }).end(body);
  return serving(answer, async (url) => {
    const { get } = create({ url });
    const controller = new AbortController();
    let aborted;
    setTimeout(() => {
      aborted = performance.now();
      controller.abort();
    }, 500);
    const outcome = await outcomeOf(() => get(id, { signal: controller.signal }));
    if (outcome && aborted === undefined) return { text: "does not retry", value: 0 };
    const ms = outcome ? performance.now() - aborted : Number.POSITIVE_INFINITY;
    return {
      text: ms < 250 ? "at once" : outcome ? `after ${seconds(ms)}` : `not within ${patienceMs / 1000} s`,
      value: ms < 250 ? 0 : 1,
    };
  });
}

/** Listeners that stay on a signal after 20 calls. */
async function listenersLeft({ create, name }) {
  if (name.startsWith("stripe")) return { text: "takes no signal", value: 1 };
  return serving(
    (_, response) => ok(response),
    async (url) => {
      const { get } = create({ url });
      const { signal } = new AbortController();
      for (let count = 0; count < 20; count += 1) await get(id, { signal });
      await sleep(50);
      const { length } = getEventListeners(signal, "abort");
      return { text: String(length), value: length };
    },
  );
}

/** What a client sends for the id `..`. */
async function dotsAsId({ create }) {
  const paths = [];
  const answer = (request, response) => {
    paths.push(request.url);
    ok(response);
  };
  return serving(answer, async (url) => {
    const outcome = await outcomeOf(() => create({ url }).get(".."));
    if (paths.length > 0) return { text: `sends \`GET ${paths[0]}\``, value: 1 };
    return { text: `refuses it, ${nameOf(outcome.error)}`, value: 0 };
  });
}

/** How much of a body of 100 MB a client reads. */
async function hugeBody({ create }) {
  const parts = function* () {
    yield '{"a":"';
    for (let sent = 0; sent < 100; sent += 1) yield "a".repeat(1_000_000);
    yield '"}';
  };
  const answer = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    pipeline(Readable.from(parts()), response).catch(() => {});
  };
  return serving(answer, async (url) => {
    const { get } = create({ url, maxRetries: 0 });
    const outcome = await outcomeOf(() => get());
    if (outcome?.error) return { text: `refuses it, ${nameOf(outcome.error)}`, value: 0 };
    return { text: "reads all of it", value: 1 };
  });
}

async function userAgent({ create }) {
  let agent;
  const answer = (request, response) => {
    agent = request.headers["user-agent"];
    ok(response);
  };
  return serving(answer, async (url) => {
    await create({ url }).get();
    return { text: agent === "node" ? "Node's own" : `\`${agent}\``, value: agent === "node" ? 1 : 0 };
  });
}

/** Environment variables that a constructor reads when it gets no options. */
async function environment({ construct }) {
  if (!construct) return { text: "none", value: 1 };
  const real = process.env;
  const read = new Set();
  const answerFor = (name) => {
    if (/URL$/.test(name)) return "http://127.0.0.1:1";
    return /KEY$/.test(name) ? "key" : undefined;
  };
  const get = (target, name) => {
    if (typeof name !== "string" || !/^[A-Z]+_[A-Z_]+$/.test(name) || name.startsWith("NODE_")) return target[name];
    read.add(name);
    return answerFor(name);
  };
  process.env = new Proxy({ ...real }, { get });
  try {
    construct();
  } catch {
    // A client without defaults refuses to start.
  } finally {
    process.env = real;
  }
  const names = [...read].map((name) => `\`${name}\``);
  const more = names.length > 3 ? `, and ${names.length - 3} more` : "";
  return { text: `${names.slice(0, 3).join(", ")}${more}` || "none", value: names.length > 0 ? 0 : 1 };
}

/** Whether `logLevel` decides what a logger receives. */
async function logLevels({ create }) {
  const linesAt = (logLevel) =>
    serving(
      (_, response) => ok(response),
      async (url) => {
        let lines = 0;
        const count = () => {
          lines += 1;
        };
        const logger = { debug: count, info: count, warn: count, error: count };
        await create({ url, logger, logLevel }).get();
        return lines;
      },
    );
  try {
    const [all, few] = [await linesAt("debug"), await linesAt("error")];
    return { text: all > few ? "yes" : "no", value: all > few ? 0 : 1 };
  } catch {
    return { text: "no", value: 1 };
  }
}

/** Whether `fetchOptions` reach fetch, which is how a proxy or a dispatcher is set. */
async function fetchOptions({ create, name }) {
  if (name === "stripe") return { text: "`httpAgent` instead", value: 0 };
  let cache;
  const fetch = async (input, init) => {
    cache = init?.cache ?? input.cache;
    return new Response(body, { headers });
  };
  try {
    await create({ url: "http://127.0.0.1:1", fetch, fetchOptions: { cache: "no-store" } }).get();
  } catch {
    // An option that is not known is refused.
  }
  return cache === "no-store" ? { text: "yes", value: 0 } : { text: "no", value: 1 };
}

const observed = [
  ["A POST whose response is lost arrives", executions],
  ["A stalled body ends a call with a timeout of 500 ms", stalledBody],
  ["An abort during the wait before a retry ends the call", abortInBackoff],
  ["Abort listeners left on a signal after 20 calls", listenersLeft],
  ["The id `..`", dotsAsId],
  ["A body of 100 MB", hugeBody],
  ["`User-Agent`", userAgent],
  ["Defaults from the environment", environment],
  ["`logLevel`", logLevels],
  ["`fetchOptions`, e.g. for a proxy", fetchOptions],
];

/** The rows that small programs measure: a question, and each client's text and value. The lower value is the better one. */
export async function behaviours(clients) {
  const rows = [];
  for (const [question, observe] of observed) {
    const cells = {};
    for (const client of clients) cells[client.name] = await observe(client);
    rows.push({ question, cells });
  }
  return rows;
}
