// What Node's own fetch tells of a request, over real sockets: truth is what the server read.
import { once } from "node:events";
import http from "node:http";
import { createServer } from "node:net";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../../build/free-port.ts";
import { CallTransfer } from "../src/client.ts";
import type { ClientOptions } from "../src/options/options.ts";
import { closeAll, listen, placement } from "./socket-servers.ts";

afterEach(closeAll);

/** A server that counts the placements it read, and then does something else than answering. */
async function serverOf(end: (response: http.ServerResponse, placements: number) => void) {
  const seen = { placements: 0 };
  const server = http.createServer((request, response) => {
    request.resume().on("end", () => {
      seen.placements += 1;
      end(response, seen.placements);
    });
  });
  return { seen, url: `http://127.0.0.1:${await listen(server)}` };
}
const lose = (response: http.ServerResponse) => response.socket?.destroy();
const refuse = (response: http.ServerResponse) =>
  response.writeHead(409, { "content-type": "application/json" }).end('{"code":"conflict"}');

const create = async (baseUrl: string, options: Partial<ClientOptions> = {}) => {
  const client = new CallTransfer({ baseUrl, apiKey: "svc_live_watch", logLevel: "off", ...options } as ClientOptions);
  const { error } = await client.calls.create(placement).result();
  return error as Error & { outcome?: unknown; attempts?: unknown[] };
};

const refusedUrl = async () => `http://127.0.0.1:${await freePort()}`;
const elsewhere = (url: unknown, base: string) => base + new URL(String(url)).pathname;
const pause = () => new Promise((resolve) => setImmediate(resolve));

describe("a fetch that tries again within one call", () => {
  type Fetch = typeof fetch;
  const kinds: Readonly<Record<string, (other: string) => Fetch>> = {
    "elsewhere after a failure": (other) => (u, i) => fetch(u, i).catch(() => fetch(elsewhere(u, other), i)),
    "after a wait of its own": (other) => async (u, i) => {
      await pause();
      return fetch(u, i).catch(() => fetch(elsewhere(u, other), i));
    },
    "elsewhere first, and its error last": (other) => async (u, i) => {
      const failures = await Promise.allSettled([fetch(u, i), fetch(elsewhere(u, other), i)]);
      throw (failures[1] as PromiseRejectedResult).reason;
    },
    "through an error of its own": (other) => (u, i) =>
      fetch(u, i).catch(() =>
        fetch(elsewhere(u, other), i).catch((cause) => {
          throw Object.assign(new Error("failed", { cause }), { code: "ECONNREFUSED" });
        }),
      ),
  };
  it.each(Object.keys(kinds))("%s leaves a carried out placement unknown, and places once", async (kind) => {
    const { seen, url } = await serverOf(lose);
    const error = await create(url, { fetch: kinds[kind]?.(await refusedUrl()) as Fetch });
    expect(error).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown" });
    expect([error.attempts?.length, seen.placements]).toEqual([1, 1]);
  });

  it("and gets a refusal for the second try leaves it unknown", async () => {
    const { url } = await serverOf((response, count) => (count === 1 ? lose(response) : refuse(response)));
    expect(await create(url, { fetch: (u, i) => fetch(u, i).catch(() => fetch(u, i)) })).toMatchObject({
      name: "OutcomeUnknownError",
    });
  });

  it("and gets a refusal whose body breaks off places once", async () => {
    const { seen, url } = await serverOf((response, count) => {
      if (count === 1) return lose(response);
      response.writeHead(429, { "content-type": "application/json", "content-length": "99" }).write("{");
      response.socket?.end();
    });
    const again: Fetch = (u, i) => fetch(u, i).catch(() => fetch(u, i));
    expect(await create(url, { fetch: again })).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown" });
    expect(seen.placements).toBe(2);
  });

  it("after a wait, beside another call, and gets a refusal places once", async () => {
    const { seen, url } = await serverOf((response, count) =>
      count <= 2 ? lose(response) : response.writeHead(429, { "content-type": "application/json" }).end("{}"),
    );
    const again: Fetch = async (u, i) => {
      await pause();
      return fetch(u, i).catch(() => fetch(u, i));
    };
    const errors = await Promise.all([create(url, { fetch: again }), create(url, { fetch: again })]);
    expect(errors.map(({ name }) => name)).toEqual(["OutcomeUnknownError", "OutcomeUnknownError"]);
    expect(seen.placements).toBe(4);
  });

  it("that is still waiting for a connection leaves it unknown", async () => {
    const silent = await listen(createServer());
    const other = await refusedUrl();
    const fetchBoth: Fetch = (u, i) =>
      Promise.race([fetch(elsewhere(u, other), i), fetch(elsewhere(u, `https://127.0.0.1:${silent}`), i)]);
    expect(await create("http://127.0.0.1", { fetch: fetchBoth, maxRetries: 0 })).toMatchObject({
      name: "OutcomeUnknownError",
    });
  });

  it.each([
    ["a refusal", refuse, { name: "ConflictError", outcome: "rejected" }],
    ["a refused connection", undefined, { name: "ConnectionError", outcome: "not_sent" }],
  ] as const)("once more after %s was reported sends nothing", async (_, end, expected) => {
    const { seen, url } = await serverOf(end ?? refuse);
    const first = end ? url : await refusedUrl();
    const late: (() => Promise<unknown>)[] = [];
    const again: Fetch = (u, i) => {
      late.push(() => fetch(elsewhere(u, url), i));
      return fetch(elsewhere(u, first), i);
    };
    expect(await create(url, { fetch: again, maxRetries: 0 })).toMatchObject(expected);
    await expect(late[0]?.()).rejects.toMatchObject({ name: "AbortError" });
    expect(seen.placements).toBe(end ? 1 : 0);
  });

  it("leaves the signal of a success alone", async () => {
    const { url } = await serverOf((response) =>
      response.writeHead(201, { "content-type": "application/json" }).end('{"type":"initiated","callId":"c"}'),
    );
    const signals: (AbortSignal | null | undefined)[] = [];
    await create(url, {
      fetch: (u, i) => {
        signals.push(i?.signal);
        return fetch(u, i);
      },
    });
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
  });

  it("and is refused each time has sent nothing", async () => {
    const [one, other] = [await refusedUrl(), await refusedUrl()];
    const error = await create(one, {
      fetch: (u, i) => fetch(u, i).catch(() => fetch(elsewhere(u, other), i)),
      maxRetries: 0,
    });
    expect(error).toMatchObject({ name: "ConnectionError", outcome: "not_sent" });
  });

  it("once after a refusal of the server reports what the second try got", async () => {
    const { url } = await serverOf(refuse);
    const error = await create(url, { fetch: (u, i) => fetch(u, i).then((r) => (r.status === 409 ? fetch(u, i) : r)) });
    expect(error).toMatchObject({ name: "ConflictError", outcome: "rejected" });
  });

  it("waits for its turn beside others: their requests do not make a refusal unknown", async () => {
    const { url } = await serverOf(refuse);
    const waiting: Fetch = async (u, i) => {
      await pause();
      return fetch(u, i);
    };
    const errors = await Promise.all(Array.from({ length: 10 }, () => create(url, { fetch: waiting })));
    expect(errors.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, () => "ConflictError"));
  });
});

it("twenty clients behind one gateway add no listeners to its connection, of which Node would warn", async () => {
  const { url } = await serverOf(refuse);
  const warnings: string[] = [];
  const note = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
  process.on("warning", note);
  const throughGateway: typeof fetch = async (u, i) => {
    await pause();
    return fetch(elsewhere(u, url), i);
  };
  const tenants = Array.from({ length: 20 }, (_, n) => `https://tenant-${n}.example.com`);
  await Promise.all(tenants.map((tenant) => create(tenant, { fetch: throughGateway })));
  await pause();
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

describe("over the default fetch", () => {
  it("a time limit behind a dispatcher that reports nothing leaves a placement unknown", async () => {
    const { seen, url } = await serverOf(() => {});
    // It sends by itself, as those do that do not stand on undici's own requests.
    const dispatcher = {
      dispatch: (): boolean => {
        http
          .request(url, { method: "POST" })
          .on("error", () => {})
          .end();
        return true;
      },
    };
    const error = await create(url, { fetchOptions: { dispatcher } as never, timeoutMs: 1000 });
    expect(error).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown" });
    expect(seen.placements).toBe(1);
  });
});

describe("over the default fetch, a placement was not sent", () => {
  const single = { maxRetries: 0 };

  it("if there is no connection within its time", async () => {
    const port = await listen(createServer());
    const error = await create(`https://127.0.0.1:${port}`, { ...single, timeoutMs: 50 });
    expect(error).toMatchObject({ name: "TimeoutError", outcome: "not_sent" });
  });

  it("if the caller aborts it before there is a connection", async () => {
    const server = createServer();
    const accepted = once(server, "connection");
    const port = await listen(server);
    const aborting = new AbortController();
    const client = new CallTransfer({ baseUrl: `https://127.0.0.1:${port}`, apiKey: "svc_live_watch", ...single });
    const placing = client.calls.create(placement, { signal: aborting.signal }).result();
    await accepted;
    aborting.abort(new Error("changed my mind"));
    expect((await placing).error).toMatchObject({ name: "AbortError", outcome: "not_sent" });
  });

  it.each([1, 5060, 6667, 10080])("for port %i, which fetch blocks, and the error names the option", async (port) => {
    const baseUrl = `http://127.0.0.1:${port}`;
    expect(await create(baseUrl)).toMatchObject({ name: "ConfigurationError", option: "baseUrl" });
    const client = new CallTransfer({ baseUrl, apiKey: "svc_live_watch" });
    expect((await client.roles.list().result()).error).toMatchObject({ name: "ConfigurationError", option: "baseUrl" });
  });

  it("never, and Node's own limit of 300 s gives way to a longer timeoutMs", async () => {
    const { url } = await serverOf((response) => response.end());
    await fetch(url).then((response) => response.text());
    const version = Number.parseInt(process.versions.undici ?? "", 10) < 8 ? 1 : 2;
    const key = Symbol.for(`undici.globalDispatcher.${version}`);
    const globals = globalThis as unknown as Record<symbol, { dispatch(options: object, handler: object): boolean }>;
    const usual = globals[key] as (typeof globals)[symbol];
    const limits: unknown[] = [];
    globals[key] = {
      dispatch(options, handler) {
        limits.push((options as { headersTimeout?: unknown }).headersTimeout);
        return usual.dispatch(options, handler);
      },
    };
    try {
      for (const timeoutMs of [299_999, 300_000, 400_000]) await create(url, { timeoutMs });
    } finally {
      globals[key] = usual;
    }
    expect(limits).toEqual([undefined, 0, 0]);
  });

  it("for a dispatcher with the methods of another version", async () => {
    const dispatcher = {
      dispatch() {
        throw Object.assign(new Error("invalid onRequestStart method"), { code: "UND_ERR_INVALID_ARG" });
      },
    };
    expect(await create("http://127.0.0.1", { fetchOptions: { dispatcher } })).toMatchObject({
      name: "ConfigurationError",
      option: "fetchOptions",
    });
  });

  it.each<Readonly<Record<string, unknown>>>([
    { cache: "nostore" },
    { cache: "only-if-cached" },
    { credentials: "yes" },
    { mode: "navigate" },
    { duplex: "full" },
    { referrerPolicy: "none" },
    { dispatcher: {} },
    { dispatcher: "http://127.0.0.1:3128" },
  ])("for the options %j, which are refused before", async (fetchOptions) => {
    const refused = { name: "ConfigurationError", option: "fetchOptions" };
    await expect(create("http://127.0.0.1", { fetchOptions })).rejects.toMatchObject(refused);
    const client = new CallTransfer({ baseUrl: "http://127.0.0.1", apiKey: "svc_live_watch" });
    await expect(client.roles.list({ fetchOptions })).rejects.toMatchObject(refused);
  });
});

describe("an answer that nobody asked for", () => {
  const refusal = (status: string) =>
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
  const kinds: Readonly<Record<string, string>> = {
    "a 409": refusal("409 Conflict"),
    "a 408 of a server that gives up waiting": refusal("408 Request Timeout"),
    "a 429": refusal("429 Too Many Requests"),
    "a 201": refusal("201 Created"),
    "a 100": "HTTP/1.1 100 Continue\r\n\r\n",
    "no HTTP": "bye\r\n",
  };
  const wrapped: typeof fetch = (url, init) => fetch(url, init);
  const cells = Object.keys(kinds).flatMap((kind) =>
    [1, 3].flatMap((width) =>
      [undefined, wrapped].map((own) => [kind, width, own ? "a wrapped" : "the default", own] as const),
    ),
  );

  // By another thread, while this one is busy in the turn that ended the requests before: then fetch has not read them.
  it.each(cells)(
    "%s on %i idle connections is not the answer to a placement over %s fetch",
    async (kind, width, _, own) => {
      const server = new Worker(
        `const { createServer } = require("node:net");
      const { parentPort } = require("node:worker_threads");
      const sockets = new Set();
      const body = '{"type":"initiated","callId":"c"}';
      const answer = "HTTP/1.1 201 Created\\r\\ncontent-type: application/json\\r\\ncontent-length: " + body.length + "\\r\\n\\r\\n" + body;
      // At once, also after an answer that the other side has not confirmed.
      const server = createServer({ noDelay: true }, (socket) => {
        sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
        let read = "";
        socket.on("data", (bytes) => {
          read += bytes;
          if (!read.endsWith("}")) return;
          read = "";
          socket.write(answer);
        });
      });
      parentPort.on("message", ({ flag, text }) => {
        for (const socket of sockets) socket.write(text, () => Atomics.add(flag, 0, -1));
        Atomics.add(flag, 0, sockets.size);
        Atomics.store(flag, 1, 1);
      });
      server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`,
        { eval: true },
      );
      const [port] = await once(server, "message");
      const options = {
        apiKey: "svc_live_watch",
        logLevel: "off",
        maxRetries: 0,
        ...(own && { fetch: own }),
      } as const;
      const client = new CallTransfer({ baseUrl: `http://127.0.0.1:${port}`, ...options });
      const place = () => Promise.all(Array.from({ length: width }, () => client.calls.create(placement).result()));
      await place();
      const flag = new Int32Array(new SharedArrayBuffer(8));
      server.postMessage({ flag, text: kinds[kind] });
      while (Atomics.load(flag, 1) === 0 || Atomics.load(flag, 0) !== 0);
      const results = await place();
      await server.terminate();
      expect(results.map(({ data, error }) => error ?? data)).toEqual(
        Array.from({ length: width }, () => ({ type: "initiated", callId: "c" })),
      );
    },
  );

  /** Whether a fetch of the caller is called before a turn of the event loop has passed, as under a test's clock. */
  const isCalledAtOnce = async (origin: string) => {
    let [called, passed] = [false, false];
    const answer = async () => {
      called = !passed;
      return Response.json({ type: "initiated", callId: "c" }, { status: 201 });
    };
    const placed = create(origin, { fetch: answer });
    setImmediate(() => {
      passed = true;
    });
    await placed;
    return called;
  };

  it("a fetch of the caller waits while a connection to its origin is open, and not before or after", async () => {
    const { url } = await serverOf(refuse);
    expect(await isCalledAtOnce(url)).toBe(true);
    // By a fetch that has nothing to do with a client.
    await (await fetch(url, { method: "POST" })).text();
    expect(await isCalledAtOnce(url)).toBe(false);
    expect(await isCalledAtOnce("https://api.example.com")).toBe(true);
    await closeAll();
    await expect.poll(() => isCalledAtOnce(url)).toBe(true);
  });

  it("a client that is loaded after the timers were faked sends all the same", async () => {
    const { seen, url } = await serverOf(refuse);
    const loaded = new Worker(
      `const { setImmediate } = globalThis;
      // As Sinon's fakes are, which Vitest and Jest have too: a fake knows what it stands for.
      globalThis.setImmediate = Object.assign(() => {}, { clock: { _setImmediate: setImmediate } });
      const { parentPort, workerData } = require("node:worker_threads");
      import(workerData.sdk).then(async ({ CallTransfer }) => {
        const client = new CallTransfer({ baseUrl: workerData.url, apiKey: "svc_live_watch", logLevel: "off" });
        const { error } = await client.calls.create(workerData.placement).result();
        parentPort.postMessage(error.code);
      });`,
      { eval: true, workerData: { sdk: new URL("../src/index.ts", import.meta.url).href, url, placement } },
    );
    expect(await once(loaded, "message")).toEqual(["conflict"]);
    await loaded.terminate();
    expect(seen.placements).toBe(1);
  });
});
