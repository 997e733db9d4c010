import { setImmediate as endOfTurn } from "node:timers/promises";
import { type Backend, createBackend, createSandboxRegistry, demo } from "@call-transfer/backend";
import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** A way to reach a backend: the platform's `fetch` over a socket, or a `fetch` of ours. */
interface Door {
  readonly fetch: typeof globalThis.fetch;
  readonly url: string;
  readonly backend: Backend;
}

let server: MockServer;
beforeEach(async () => {
  server = await startMockServer({ port: 0, clockMode: "frozen" });
});
afterEach(() => server.close());

const platform = (): Door => ({ fetch: globalThis.fetch, url: server.url, backend: server.backend });
const ours: Readonly<Record<string, () => Door>> = {
  "backend.fetch"() {
    const backend = createBackend();
    return { fetch: backend.fetch, url: "http://mock.test", backend };
  },
  "sandboxes.fetch"() {
    const sandboxes = createSandboxRegistry();
    return { fetch: sandboxes.fetch, url: "http://mock.test", backend: sandboxes.default };
  },
};

const body = JSON.stringify({
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: "+15550200001",
});
const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };
const placement = { method: "POST", headers, body };
const placing = (url: string, init: RequestInit = {}) => new Request(`${url}/api/v1/calls`, { ...placement, ...init });
const reason = new Error("enough");
const later = () => {
  const stop = new AbortController();
  return { signal: stop.signal, stop: () => stop.abort(reason) };
};

/** What a caller sees, and how many calls were placed. */
async function outcomeOf(door: Door, run: (door: Door) => Promise<Response>) {
  const seen = await run(door).then(
    async (response) => ({ status: response.status, read: await readingOf(response) }),
    (error: unknown) => ({ rejected: described(error) }),
  );
  // An aborted request that went on would place its call by then.
  await endOfTurn();
  const own = [...door.backend.state.calls.values()].filter(({ request }) => request.toNumber === "+15550200001");
  return { ...seen, placed: own.length };
}
const readingOf = (response: Response) =>
  response.text().then(
    (text) => Object.keys(text === "" ? {} : JSON.parse(text)),
    (error: unknown) => described(error),
  );
const described = (error: unknown) => (error === reason ? "the reason" : error instanceof Error ? error.name : error);

/** Waits until the request has reached the fault that holds it. */
const held = ({ backend }: Door) => expect.poll(() => backend.faults.list()).toEqual([]);

const cases: readonly [name: string, run: (door: Door) => Promise<Response>][] = [
  ["no signal", ({ fetch, url }) => fetch(placing(url))],
  ["no signal, in init", ({ fetch, url }) => fetch(`${url}/api/v1/calls`, placement)],
  ["aborted, on the Request", ({ fetch, url }) => fetch(placing(url, { signal: AbortSignal.abort(reason) }))],
  ["aborted, in init", ({ fetch, url }) => fetch(placing(url), { signal: AbortSignal.abort(reason) })],
  [
    "aborted, for a URL",
    ({ fetch, url }) => fetch(`${url}/api/v1/calls`, { ...placement, signal: AbortSignal.abort(reason) }),
  ],
  ["aborted without a reason", ({ fetch, url }) => fetch(placing(url, { signal: AbortSignal.abort() }))],
  ["aborted with a text", ({ fetch, url }) => fetch(placing(url, { signal: AbortSignal.abort("enough") }))],
  ["aborted, and an invalid URL", ({ fetch }) => fetch("/nowhere:", { signal: AbortSignal.abort(reason) })],
  [
    "aborted on the Request, and init without a signal",
    ({ fetch, url }) => fetch(placing(url, { signal: AbortSignal.abort(reason) }), { cache: "no-store" }),
  ],
  [
    "aborted on the Request, and init with an undefined signal",
    // @ts-expect-error Types of exact optional properties exclude undefined.
    ({ fetch, url }) => fetch(placing(url, { signal: AbortSignal.abort(reason) }), { signal: undefined }),
  ],
  [
    "aborted on the Request, and init clears the signal",
    ({ fetch, url }) => fetch(placing(url, { signal: AbortSignal.abort(reason) }), { signal: null }),
  ],
  [
    "aborted on the Request, and init has another signal",
    ({ fetch, url }) => fetch(placing(url, { signal: AbortSignal.abort(reason) }), { signal: later().signal }),
  ],
  // @ts-expect-error No signal.
  ["an invalid signal", ({ fetch, url }) => fetch(placing(url), { signal: {} })],
  [
    "a Request whose body was used",
    async ({ fetch, url }) => {
      const request = placing(url);
      await request.text();
      return fetch(request);
    },
  ],
  [
    "aborted at once after the start",
    ({ fetch, url }) => {
      const { signal, stop } = later();
      const answer = fetch(placing(url), { signal });
      stop();
      return answer;
    },
  ],
  ...["hang", { latencyMs: 1000 }].flatMap((fault): typeof cases => [
    [
      `aborted on the Request during ${JSON.stringify(fault)}`,
      async (door) => {
        door.backend.faults.add({ do: fault as "hang" });
        const { signal, stop } = later();
        const answer = door.fetch(placing(door.url, { signal }));
        answer.catch(() => {});
        await held(door);
        stop();
        return answer;
      },
    ],
    [
      `aborted on the Request during ${JSON.stringify(fault)}, called as ky does`,
      async (door) => {
        door.backend.faults.add({ do: fault as "hang" });
        const { signal, stop } = later();
        const answer = door.fetch(placing(door.url, { signal }), { cache: "no-store" });
        answer.catch(() => {});
        await held(door);
        stop();
        return answer;
      },
    ],
    [
      `a time limit in init during ${JSON.stringify(fault)}`,
      (door) => {
        door.backend.faults.add({ do: fault as "hang" });
        return door.fetch(placing(door.url), { signal: AbortSignal.timeout(5) });
      },
    ],
  ]),
  [
    "aborted during an upload that could end there",
    async ({ fetch, url }) => {
      const { signal, stop } = later();
      let isSent = false;
      const upload = new ReadableStream({
        pull(controller) {
          if (isSent) stop();
          else controller.enqueue(new TextEncoder().encode(body));
          isSent = true;
        },
      });
      return fetch(`${url}/api/v1/calls`, { ...placement, body: upload, signal, duplex: "half" } as RequestInit);
    },
  ],
  [
    "aborted after the head",
    async ({ fetch, url }) => {
      const { signal, stop } = later();
      const response = await fetch(placing(url), { signal });
      stop();
      return response;
    },
  ],
  [
    "aborted after the head of a slow body",
    async (door) => {
      door.backend.faults.add({ do: "slow_body" });
      const { signal, stop } = later();
      const response = await door.fetch(placing(door.url), { signal });
      stop();
      return response;
    },
  ],
  [
    "aborted after the head, without a body",
    async (door) => {
      const { signal, stop } = later();
      door.backend.faults.add({ do: { status: 204 } });
      const response = await door.fetch(placing(door.url), { signal });
      stop();
      return response;
    },
  ],
  [
    "aborted after the body",
    async ({ fetch, url }) => {
      const { signal, stop } = later();
      const response = await fetch(placing(url), { signal });
      const text = await response.text();
      stop();
      return new Response(text, response);
    },
  ],
];

// The fetch of Node 22 reads a body that was aborted as an AbortError. Later ones give the reason, as the backend does.
const isBeforeNode24 = Number.parseInt(process.versions.node, 10) < 24;

it("a request of these cases that nothing aborts places a call", async () => {
  const outcome = await outcomeOf(platform(), ({ fetch, url }) => fetch(placing(url)));
  expect(outcome).toEqual({ status: 201, read: ["type", "callId"], placed: 1 });
});

describe.each(Object.entries(ours))("%s acts as the platform's fetch over a socket:", (_, open) => {
  for (const [name, run] of cases)
    it.skipIf(isBeforeNode24 && name.startsWith("aborted after the head"))(name, async () => {
      const expected = await outcomeOf(platform(), run);
      expect(await outcomeOf(open(), run)).toEqual(expected);
    });
});

describe.each(Object.entries(ours))("%s, of a request that its client aborts", (_, open) => {
  it("before it begins, notes nothing and changes nothing", async () => {
    const door = open();
    await expect(door.fetch(placing(door.url, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect([door.backend.requests.list(), door.backend.events.latest().events]).toEqual([[], []]);
  });

  it.each(["as it begins", "while it is read"])(
    "during the upload, %s, notes that, and stops reading",
    async (when) => {
      const { backend, fetch, url } = open();
      const { signal, stop } = later();
      const happened: unknown[] = [];
      const endless = new ReadableStream(
        { pull: () => void happened.push("read"), cancel: (why) => void happened.push(why) },
        { highWaterMark: 0 },
      );
      const init = { ...placement, body: endless, signal, duplex: "half" } as RequestInit;
      const answer = expect(fetch(`${url}/api/v1/calls`, init)).rejects.toBe(reason);
      if (when === "while it is read") await expect.poll(() => happened).toEqual(["read"]);
      stop();
      await answer;
      if (when === "while it is read") expect(happened).toEqual(["read", reason]);
      await expect.poll(() => backend.requests.list()).toMatchObject([{ status: 0, decidedBy: { step: "body" } }]);
    },
  );
});
