// The store of a sandbox in the storage of a Durable Object.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { sandboxStoreCases } from "../../packages/backend/tests/store/cases.ts";
import { startWorkerd } from "./workerd.ts";

const workerd = await startWorkerd({ entry: new URL("./store-worker.ts", import.meta.url) });
after(() => workerd.stop());

const ask = async (name: string): Promise<string> => (await fetch(workerd.url, { method: "POST", body: name })).text();

describe("the storage of a Durable Object", () => {
  for (const { name } of sandboxStoreCases) {
    it(name, async () => assert.equal(await ask(name), "passed"));
  }

  it("changes nothing in a commit that fails, and goes on", async () => {
    assert.equal(await ask("a failed commit"), "a=1 c=3");
  });
});
