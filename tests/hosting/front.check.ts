// What stands in front of the sandboxes of a hosted mock server: selection, gate, control plane and inspector.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { MockServer, type Question } from "./hosted-server.ts";
import { controlToken } from "./workerd.ts";

const { path: roles } = operations.listRoles;
const { path: calls } = operations.createCall;

const origin = "https://app.example.com";
const control = { Authorization: `Bearer ${controlToken}` };

let server: MockServer;
before(async () => {
  server = await MockServer.start({ settings: { SANDBOX_HOST: "*.mock.example.com", CORS_ORIGINS: origin } });
  for (const name of ["one", "two"])
    await server.control("default", "POST", "/sandboxes", { name, randomSeed: name.length + name.charCodeAt(0) });
});
after(() => server.stop());

/** How many requests to the API each sandbox has had. */
async function requestCounts(): Promise<Record<string, number>> {
  const { sandboxes } = await server.control("default", "GET", "/sandboxes");
  return Object.fromEntries(
    sandboxes.map((each: { name: string; requestCount: number }) => [each.name, each.requestCount]),
  );
}

describe("a request reaches the sandbox", () => {
  const ways: readonly [by: string, path: string, question: Question, name: string][] = [
    ["that its path names", `/_sandbox/one${roles}`, {}, "one"],
    ["that its header names", roles, { headers: { "X-Sandbox": "two" } }, "two"],
    ["that its host name names", roles, { host: "one.mock.example.com" }, "one"],
    ["default, if nothing names one", roles, { host: "mock.example.com" }, "default"],
  ];
  for (const [by, path, question, name] of ways) {
    it(by, async () => {
      const earlier = await requestCounts();
      assert.equal((await server.ask(path, question)).status, 200);
      assert.deepEqual(await requestCounts(), { ...earlier, [name]: (earlier[name] ?? 0) + 1 });
    });
  }

  it("none, if its parts name different ones", async () => {
    const clash = "select different sandboxes. Send only one.";
    const byPath = await server.ask(`/_sandbox/one${roles}`, { host: "two.mock.example.com" });
    assert.deepEqual([byPath.status, byPath.body.detail], [400, `The path and the host name ${clash}`]);
  });

  it("none, if there is no sandbox of its name", async () => {
    const headers = { "X-Sandbox": "other" };
    const hint =
      'There is no sandbox "other". Create it with: call-transfer-mock sandbox create other (operation createSandbox). Sandboxes are deleted after 30 days';
    const ofApi = await server.ask(roles, { headers });
    assert.equal(ofApi.status, 404);
    assert.ok(ofApi.body.detail.startsWith(hint), ofApi.body.detail);
    const ofControl = await server.ask("/_control/v1/clock", { headers: { ...headers, ...control } });
    assert.ok(ofControl.body.error.message.startsWith(hint), JSON.stringify(ofControl.body));
    assert.deepEqual(Object.keys(await requestCounts()), ["default", "one", "two"]);
  });

  it("and never one that a header of the Worker's own names", async () => {
    const headers = { "X-Mock-Order": "delete one" };
    assert.equal((await server.ask(`/_sandbox/one${roles}`, { headers })).status, 200);
    const { requests } = await server.control("one", "GET", "/requests?limit=1");
    const { headers: recorded } = await server.control("one", "GET", `/requests/${requests.at(-1).id}`);
    assert.doesNotMatch(JSON.stringify(recorded ?? {}), /x-mock-order/i);
  });
});

describe("the control plane", () => {
  it("requires the token, in the header or in the address", async () => {
    const ask = (headers: Record<string, string>, query = "") => server.ask(`/_control/v1/clock${query}`, { headers });
    assert.equal((await ask(control)).status, 200);
    assert.equal((await ask({ Authorization: "" }, `?token=${controlToken}`)).status, 200);
    const missing = await ask({ Authorization: "" });
    assert.deepEqual([missing.status, missing.body.detail.slice(0, 29)], [403, "The control token is missing."]);
    for (const wrong of [`${controlToken}x`, controlToken.slice(1), controlToken.toUpperCase(), demo.apiKey]) {
      const { status, body } = await ask({ Authorization: `Bearer ${wrong}` });
      assert.deepEqual([status, body.detail.slice(0, 27)], [403, "The control token is wrong."], wrong);
    }
  });

  it("requires it in every sandbox and under every host name", async () => {
    assert.equal((await server.ask("/_sandbox/one/_control/v1/reset", { method: "POST" })).status, 403);
    assert.equal(
      (await server.ask("/_control/v1/reset", { method: "POST", host: "one.mock.example.com" })).status,
      403,
    );
    assert.equal((await server.ask("/_control/v1/sandboxes", { method: "DELETE" })).status, 403);
  });

  it("lists, creates and deletes sandboxes", async () => {
    const created = await server.control("default", "POST", "/sandboxes", { name: "new", clockMode: "frozen", now: 0 });
    assert.deepEqual(created, { name: "new", path: "/_sandbox/new" });
    const { sandboxes } = await server.control("one", "GET", "/sandboxes");
    const frozen = { now: "1970-01-01T00:00:00.000Z", mode: "frozen", rate: 1, requestCount: 0 };
    assert.deepEqual(sandboxes.at(-1), { name: "new", path: "/_sandbox/new", ...frozen });
    await server.control("default", "DELETE", "/sandboxes/new");
    assert.deepEqual(Object.keys(await requestCounts()), ["default", "one", "two"]);
    await assert.rejects(server.control("default", "DELETE", "/sandboxes/new"), /404.*There is no sandbox \\"new\\"/);
    await assert.rejects(server.control("new", "GET", "/clock"), /404/);
  });

  it("creates a sandbox again that was deleted, as new", async () => {
    await server.control("default", "POST", "/sandboxes", { name: "again" });
    await server.ask(`/_sandbox/again${roles}`);
    await server.control("default", "DELETE", "/sandboxes/again");
    await server.control("default", "POST", "/sandboxes", { name: "again" });
    assert.equal((await requestCounts()).again, 0);
    await server.control("default", "DELETE", "/sandboxes/again");
  });

  it("creates one of two sandboxes of a name that are created at the same time", async () => {
    const twice = [1, 2].map((randomSeed) =>
      server.control("default", "POST", "/sandboxes", { name: "race", randomSeed }),
    );
    const outcomes = (await Promise.allSettled(twice)).map(({ status }) => status);
    assert.deepEqual(outcomes.toSorted(), ["fulfilled", "rejected"]);
    assert.ok("race" in (await requestCounts()));
    await server.control("default", "DELETE", "/sandboxes/race");
  });
});

it("a page of another origin uses the API if its origin is allowed, and is told what to change otherwise", async () => {
  const asked = { Origin: origin, "Access-Control-Request-Method": "POST" };
  const preflight = await server.ask(`/_sandbox/one${calls}`, { method: "OPTIONS", headers: asked });
  assert.deepEqual([preflight.status, preflight.headers["access-control-allow-origin"]], [204, origin]);
  const { status, headers } = await server.ask(roles, { headers: { Origin: origin } });
  assert.deepEqual([status, headers["access-control-allow-origin"]], [200, origin]);
  const refused = await server.ask(roles, { headers: { Origin: "https://evil.example" } });
  assert.equal(refused.status, 403);
  assert.match(refused.body.detail, /Add https:\/\/evil\.example to CORS_ORIGINS in wrangler\.jsonc/);
});

describe("the inspector", () => {
  const accept = { Accept: "text/html" };

  it("is sent with its security headers, and so are its files", async () => {
    const page = await server.ask("/_inspector/", { headers: accept });
    assert.equal(page.status, 200);
    const [, script = ""] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page.body) ?? [];
    const file = await server.ask(`/_inspector/${script}`);
    assert.deepEqual([file.status, file.headers["content-type"]], [200, "text/javascript; charset=utf-8"]);
    for (const { headers } of [page, file]) {
      assert.match(headers["content-security-policy"] as string, /^default-src 'none'; script-src 'self';/);
      assert.equal(headers["x-content-type-options"], "nosniff");
    }
    assert.equal(file.headers["cache-control"], "public, max-age=31536000, immutable");
  });

  it("is where a browser arrives that opens the root, in the sandbox of the host name", async () => {
    const root = await server.ask("/", { headers: accept });
    assert.deepEqual([root.status, root.headers.location], [302, "_inspector/"]);
    const ofHost = await server.ask("/", { headers: accept, host: "one.mock.example.com" });
    assert.equal(ofHost.headers.location, "_inspector/#/one");
  });

  it("is nowhere else: its files cannot be read past the Worker", async () => {
    for (const path of ["/index.html", "/assets/", "/_inspector/..%2findex.html", "/_inspector/assets/none.js"])
      assert.notEqual((await server.ask(path, { headers: accept })).status, 200, path);
  });
});

it("a fault that loses the answer is played as 502, since a Worker cannot close a connection without a response", async () => {
  const fault = { match: { operationId: "listRoles" }, do: "reset", when: { times: 1 } };
  await server.control("one", "POST", "/faults", fault);
  const { status, body } = await server.ask(`/_sandbox/one${roles}`);
  assert.equal(status, 502);
  assert.match(body, /closes the connection here without a response/);
});

it("says that it runs, to everyone", async () => {
  const { status, body } = await server.ask("/health", {
    headers: { Origin: "https://evil.example", Authorization: "" },
  });
  assert.deepEqual([status, body], [200, { status: "ok" }]);
});
