// The Worker as wrangler bundles it from the built package.
import assert from "node:assert/strict";
import { it } from "node:test";
import { operations } from "@call-transfer/spec";
import { MockServer } from "./hosted-server.ts";
import { bundleWorker } from "./workerd.ts";

const roles = operations.listRoles.path;

it("the built package needs no module of Node, and runs", async () => {
  const script = await bundleWorker({ isBuilt: true });
  assert.deepEqual(script.match(/(?:from\s*|import\(|require\()["'](?:node:|fs|path|crypto)[^"']*["']/g), null);
  const server = await MockServer.start({ isBuilt: true });
  assert.equal((await server.ask(roles)).status, 200);
  await server.control("default", "POST", "/sandboxes", { name: "a" });
  assert.equal((await server.ask("/_inspector/")).status, 200);
  await server.stop();
});
