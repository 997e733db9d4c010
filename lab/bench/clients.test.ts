import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { problemsOf, tableOf } from "./figures.ts";

// The parts of the benchmark are in JavaScript: the workspace does not install what they compare.
const { ours } = await import(new URL("./clients.mjs", import.meta.url).href);
const sdk = fileURLToPath(new URL("../../packages/sdk/src/index.ts", import.meta.url));

it("the benchmark makes a client of the SDK as it is, with each option that it gives to one", async () => {
  const { create } = await ours(sdk);
  const options = { url: "http://127.0.0.1:9", fetch: globalThis.fetch, timeoutMs: 500, maxRetries: 0 };
  expect(() => create(options)).not.toThrow();
});

it("a figure that misses its limit, or is behind a peer without a reason, is a problem, and stands in the table beside it", () => {
  const figure = { what: "GET", value: 1.33, unit: "×", limit: 1.45, peers: { stripe: 1.34, retell: 1.2 } } as const;
  const more = { what: "Rate", value: 0.4, unit: "×", limit: 0.45, isMoreBetter: true, peers: { prism: 0.1 } } as const;
  expect(problemsOf({ ...figure, why: "a reason" })).toEqual([]);
  expect(problemsOf(figure)).toEqual(["GET: behind retell, without a reason"]);
  expect(problemsOf({ ...figure, peers: {}, value: 1.46 })).toEqual(["GET: 1.46× misses 1.45"]);
  expect(problemsOf(more)).toEqual(["Rate: 0.40× misses 0.45"]);
  expect(
    tableOf({ SDK: [{ ...figure, low: 1.3, high: 1.4 }] })
      .split("\n")
      .slice(2),
  ).toEqual(["| **SDK** |  |  |  |", "| GET | 1.33× (1.30 to 1.40) | stripe 1.34×, retell 1.20× | ≤ 1.45× |"]);
});
