import { setImmediate as endOfTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { createFetch } from "../../src/http/transport.ts";

const reason = new Error("enough");
let answer: Promise<Response>;

// packages/mock-server/tests/aborted-requests.test.ts compares a backend's fetch with the platform's.
describe("a fetch over a function that has not responded yet", () => {
  const fetch = createFetch(() => new Promise(() => {}));

  it("rejects when its caller aborts", async () => {
    const stop = new AbortController();
    const answer = fetch("http://mock.test", { signal: stop.signal });
    stop.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  it("rejects when its caller aborts, although nothing else refers to the Request", async () => {
    const stop = new AbortController();
    const answer = fetch(new Request("http://mock.test", { signal: stop.signal }));
    await endOfTurn();
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    await endOfTurn();
    stop.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });
});

it("a body that cannot be cancelled ends nothing but its own request", async () => {
  const { fetch } = createBackend();
  const stop = new AbortController();
  const pulled = new Promise<void>((resolve) => {
    const body = new ReadableStream({
      pull() {
        resolve();
        return new Promise(() => {});
      },
      cancel: () => Promise.reject(new Error("cancel failed")),
    });
    const headers = { Authorization: `Bearer ${demo.apiKey}`, "Content-Type": "application/json" };
    const init = { method: "POST", headers, body, signal: stop.signal, duplex: "half" };
    answer = fetch("http://mock.test/api/v1/calls", init as RequestInit);
  });
  await pulled;
  stop.abort(reason);
  // Vitest reports an unhandled rejection.
  await expect(answer).rejects.toBe(reason);
  await endOfTurn();
});

describe("a backend's fetch", () => {
  const url = "http://mock.test/api/v1/roles";
  const headers = { Authorization: `Bearer ${demo.apiKey}`, "Content-Type": "application/json" };

  it("gives no body after an abort", async () => {
    const stop = new AbortController();
    const response = await createBackend().fetch(url, { headers, signal: stop.signal });
    stop.abort(reason);
    await expect(response.text()).rejects.toBe(reason);
  });

  it("responds with internal_error to a body that breaks off", async () => {
    const backend = createBackend();
    const body = new ReadableStream({ pull: (controller) => controller.error(reason) });
    const request = { method: "POST", url: "http://mock.test/api/v1/calls", headers: new Headers(headers), body };
    const { response } = await backend.handle(request);
    expect([response.status, backend.requests.latest?.decidedBy.step]).toEqual([500, "operation"]);
  });
});
