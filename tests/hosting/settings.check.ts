// The settings of a hosted mock server, and the Worker as wrangler bundles it from the built package.
import assert from "node:assert/strict";
import { after, it } from "node:test";
import { operations } from "@call-transfer/spec";
import { MockServer } from "./hosted-server.ts";
import { bundleWorker } from "./workerd.ts";

const roles = operations.listRoles.path;

const servers: MockServer[] = [];
after(() => Promise.all(servers.map((server) => server.stop())));

async function start(settings: Record<string, unknown>): Promise<MockServer> {
  const server = await MockServer.start({ settings });
  servers.push(server);
  return server;
}

it("without a token, the control plane refuses everything and says how to set it", async () => {
  const server = await start({ CONTROL_TOKEN: undefined });
  for (const headers of [{ Authorization: "Bearer undefined" }, { Authorization: "Bearer " }]) {
    const { status, body } = await server.ask("/_control/v1/health", { headers });
    assert.equal(status, 403);
    assert.match(body.detail, /Set one: npx wrangler secret put CONTROL_TOKEN/);
  }
  assert.equal((await server.ask(roles)).status, 200);
});

it("with AUTO_SANDBOXES, a request creates its sandbox, up to MAX_SANDBOXES", async () => {
  const server = await start({ AUTO_SANDBOXES: "true", MAX_SANDBOXES: "3" });
  assert.equal((await server.ask(`/_sandbox/a${roles}`)).status, 200);
  const both = [1, 2].map(() => server.ask(`/_sandbox/b${roles}`));
  assert.deepEqual(
    (await Promise.all(both)).map(({ status }) => status),
    [200, 200],
  );
  const { status, body } = await server.ask(`/_sandbox/c${roles}`);
  assert.equal(status, 404);
  assert.match(body.detail, /^Sandbox "c" could not be created: name: the limit of 3 sandboxes is reached/);
  assert.equal((await server.ask(`/_sandbox/A_b${roles}`)).status, 404);
  const { sandboxes } = await server.control("default", "GET", "/sandboxes");
  assert.deepEqual(
    sandboxes.map(({ name }: { name: string }) => name),
    ["default", "a", "b"],
  );
  await server.control("default", "DELETE", "/sandboxes/a");
  assert.equal((await server.ask(`/_sandbox/c${roles}`)).status, 200);
});

it("SANDBOX_OPTIONS are the options of default and of sandboxes that name none", async () => {
  const options = { clockMode: "frozen", now: "2026-01-01T00:00:00Z" };
  const server = await start({ SANDBOX_OPTIONS: options });
  await server.control("default", "POST", "/sandboxes", { name: "own", now: "2027-01-01T00:00:00Z" });
  for (const [name, year] of [
    ["default", 2026],
    ["own", 2027],
  ] as const) {
    const { mode, now } = await server.control(name, "GET", "/clock");
    assert.deepEqual([mode, now], ["frozen", `${year}-01-01T00:00:00.000Z`]);
  }
});

it("a wrong setting is named in every response", async () => {
  const server = await start({ SANDBOX_IDLE_DAYS: "many" });
  const { status, body } = await server.ask(roles);
  assert.equal(status, 500);
  assert.match(
    body.detail,
    /^The Worker's setting SANDBOX_IDLE_DAYS: must be a number of days.* Correct it and deploy again\.$/,
  );
});

it("the built package needs no module of Node, and runs", async () => {
  const script = await bundleWorker({ isBuilt: true });
  assert.deepEqual(script.match(/(?:from\s*|import\(|require\()["'](?:node:|fs|path|crypto)[^"']*["']/g), null);
  const server = await MockServer.start({ isBuilt: true });
  assert.equal((await server.ask(roles)).status, 200);
  await server.control("default", "POST", "/sandboxes", { name: "a" });
  assert.equal((await server.ask("/_inspector/")).status, 200);
  await server.stop();
});
