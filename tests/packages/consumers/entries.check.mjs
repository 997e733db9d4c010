// Every entry of the installed packages, by import and by require: a first use, as its page begins. Runs in a project that has
// them. Written in JavaScript because Node 20 does not run TypeScript.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";

const baseUrl = "https://api.example.com";
const roles = '{"roles":[]}';
const answer = async () => new Response(roles, { headers: { "content-type": "application/json" } });
const clientOf = async (load) => {
  const { CallTransfer } = await load("@call-transfer/sdk");
  return new CallTransfer({ baseUrl, apiKey: "key", accountId: "a", fetch: answer });
};
const unused = () => Promise.reject(new Error("must not be called"));

/** What a project does first with each entry. Others have to be added here. */
const uses = {
  "@call-transfer/backend": async ({ createBackend }) => {
    const backend = createBackend();
    const { key } = backend.credentials.createApiKey({ accountId: [...backend.state.accounts.keys()][0] });
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await backend.fetch("http://localhost/api/v1/roles", { headers })).status, 200);
  },
  "@call-transfer/backend/msw": ({ callTransferHandlers }, load) => useMsw(callTransferHandlers, load),
  "@call-transfer/backend/unstable": ({ formatDuration }) => assert.equal(typeof formatDuration(1000), "string"),
  "@call-transfer/contract": ({ cases }) => assert.ok(cases.length > 100),
  "@call-transfer/contract/webhooks": async ({ eventStoreCases: [first] }, load) => {
    const { redisEventStore } = await load("@call-transfer/sdk/webhooks/redis");
    await first.run(() => redisEventStore(async () => ["claimed", "1"]));
  },
  "@call-transfer/mcp": async ({ createMcpServer }) =>
    assert.ok(await createMcpServer({ platform: { client: { baseUrl, apiKey: "key" } } })),
  "@call-transfer/mock-server": async ({ startMockServer }) => {
    const server = await startMockServer({ port: 0 });
    const { status } = await fetch(`${server.url}/_inspector/`).finally(() => server.close());
    assert.equal(status, 200);
  },
  "@call-transfer/mock-server/attack": ({ attackReceiver }) =>
    assert.rejects(attackReceiver({ url: [], secret: "s" }), TypeError),
  "@call-transfer/mock-server/backend": ({ createBackend, InputError }) =>
    assert.throws(() => createBackend({ clockRate: -1 }), InputError),
  "@call-transfer/mock-server/inspector": ({ mountInspector }) => assert.equal(typeof mountInspector, "function"),
  "@call-transfer/mock-server/msw": ({ callTransferHandlers }, load) => useMsw(callTransferHandlers, load),
  "@call-transfer/mock-server/playwright": ({ callTransferFixtures }) => assert.ok(callTransferFixtures.callTransfer),
  "@call-transfer/mock-server/unstable": ({ isSandboxName }) => assert.equal(isSandboxName("default"), true),
  "@call-transfer/mock-server/vitest": ({ callTransferFixtures }) => assert.ok(callTransferFixtures.callTransfer),
  "@call-transfer/mock-server/worker": async ({ default: worker }) =>
    assert.equal((await worker.fetch(new Request("http://localhost/api/v1/roles"), {})).status, 500),
  "@call-transfer/sdk": async (_, load) =>
    assert.deepEqual(await (await clientOf(load)).roles.list(), JSON.parse(roles)),
  "@call-transfer/sdk/otel": ({ openTelemetry }) => assert.equal(typeof openTelemetry().startRequest, "function"),
  "@call-transfer/sdk/query": async ({ listRolesQueryOptions }, load) => {
    const { queryFn } = listRolesQueryOptions(await clientOf(load));
    assert.deepEqual(await queryFn({ signal: new AbortController().signal }), JSON.parse(roles));
  },
  "@call-transfer/sdk/raw": async ({ createRawClient }, load) =>
    assert.deepEqual((await createRawClient(await clientOf(load)).GET("/api/v1/roles")).data, JSON.parse(roles)),
  "@call-transfer/sdk/webhooks": async ({ signWebhook, verifyWebhook }) => {
    const body = '{"type":"any"}';
    const headers = { "Service-Signature": await signWebhook(body, { secret: "secret" }) };
    assert.equal((await verifyWebhook({ body, headers }, { secret: "secret" })).type, "any");
  },
  "@call-transfer/sdk/webhooks/postgres": ({ postgresInbox, inboxTableSql }) => {
    assert.match(inboxTableSql(), /^create table/);
    assert.equal(typeof postgresInbox({ transaction: unused, query: unused }).coordinate, "function");
  },
  "@call-transfer/sdk/webhooks/redis": async ({ redisEventStore }) =>
    assert.deepEqual(await redisEventStore(async () => ["claimed", "1"]).claim("key", "owner", 1000), {
      state: "claimed",
    }),
  "@call-transfer/spec": ({ operations, errorCodes }) =>
    assert.ok(operations.createCall && errorCodes.validation_failed),
  "@call-transfer/spec/schemas": (schemas) => assert.ok(Object.keys(schemas).length > 10),
  "@call-transfer/spec/validate": ({ validateResponses }) =>
    assert.throws(() => validateResponses()("listRoles", {}), TypeError),
};

/** The handlers of a backend answer the client through MSW's own function. */
async function useMsw(callTransferHandlers, load) {
  const [{ createBackend }, { http, getResponse }] = [await load("@call-transfer/backend"), await import("msw")];
  const backend = createBackend();
  const handlers = callTransferHandlers({ http, backend, baseUrl });
  const response = await getResponse(handlers, new Request(`${baseUrl}/api/v1/roles`));
  assert.equal(response?.status, 401);
}

const project = process.cwd();
const require = createRequire(join(project, "package.json"));
const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** The entries of what is installed, except those that only this repository can load. */
const entries = Object.keys(dependencies).flatMap((name) => {
  const path = join(project, "node_modules", name, "package.json");
  const { exports } = JSON.parse(readFileSync(path, "utf8"));
  return Object.entries(exports)
    .filter(([subpath, target]) => typeof target === "object" && subpath !== "./control-client")
    .map(([subpath]) => name + subpath.slice(1));
});

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const requiresModules = major > 22 || (major === 22 && minor >= 12);
const ways = [
  ["import", (specifier) => import(specifier)],
  ...(requiresModules ? [["require", async (specifier) => require(specifier)]] : []),
];

it("has a first use for each entry that is installed, and for no other", () => {
  assert.deepEqual(Object.keys(uses).sort(), entries.sort());
});

for (const [way, load] of ways)
  describe(`by ${way}`, () => {
    for (const [name, use] of Object.entries(uses)) it(name, async () => void (await use(await load(name), load)));
  });
