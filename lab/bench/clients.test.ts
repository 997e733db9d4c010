import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

// The benchmark is in JavaScript, since Node 20 runs parts of it.
const { ours } = await import(new URL("./sdk/clients.mjs", import.meta.url).href);
const sdk = fileURLToPath(new URL("../../packages/sdk/src/index.ts", import.meta.url));

it("the benchmark makes a client of the SDK as it is, with each option that it gives to one", async () => {
  const { create } = await ours(sdk);
  const options = { url: "http://127.0.0.1:9", fetch: globalThis.fetch, timeoutMs: 500, maxRetries: 0 };
  expect(() => create(options)).not.toThrow();
});
