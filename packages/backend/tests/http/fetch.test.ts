import { setImmediate as endOfTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createFetch } from "../../src/http/fetch.ts";

// tests/aborted-requests.test.ts compares a backend's fetch with the platform's.
describe("a fetch over a function that has not responded yet", () => {
  const fetch = createFetch(() => new Promise(() => {}));
  const reason = new Error("enough");

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
