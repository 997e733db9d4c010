import { expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { Stub } from "../../src/generated/models.gen.ts";
import { codeOf, control, send } from "../test-client.ts";

const contact: Stub = {
  method: "GET",
  path: "/api/v1/contacts/{contactId}",
  response: { body: { id: "{{path.contactId}}", name: "Ada" } },
};
const withStubs = (...stubs: Stub[]): Backend => createBackend({ stubs, controlPlane: true });

it("a stub answers a request that no operation matches, with values of the request", async () => {
  const backend = withStubs(contact);
  const answer = await send(backend, "GET /contacts/c%201");
  expect(answer).toMatchObject({ status: 200, body: { id: "c 1", name: "Ada" } });
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("x-request-id")).not.toBeNull();
  expect(await send(backend, "GET /contacts")).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect((await send(backend, "DELETE /contacts/1")).status).toBe(404);
});

it("a stub fills in every template, and keeps the type of a value that is a whole text", async () => {
  const body = {
    id: "{{id}}",
    again: "{{ id }}",
    at: "{{now}}",
    page: "{{query.page}}",
    test: "{{header.X-Test}}",
    age: "{{body.age}}",
    tags: ["{{body.tags}}", "first: {{body.tags[0]}}"],
    missing: "{{body.none}}",
    text: "{{query.none}}|{{body.tags}}|{{body.age}}",
  };
  const backend = withStubs({ method: "POST", path: "/api/v1/echo", response: { status: 201, body } });
  const sent = { age: 36, tags: ["a", "b"] };
  const answer = await send(backend, "POST /echo?page=2", { body: sent, headers: { "x-test": "yes" } });
  const id = expect.stringMatching(/^[\da-f-]{36}$/);
  expect(answer).toMatchObject({ status: 201, body: { id, at: "2026-03-02T12:00:00.000Z", page: "2", test: "yes" } });
  expect(answer.body).toMatchObject({ age: 36, tags: [["a", "b"], "first: a"], missing: null });
  expect(answer.body).toMatchObject({ text: '|["a","b"]|36', again: Object(answer.body).id });
});

it.each([
  ["Hello \\{{first_name}}", "Hello {{first_name}}"],
  ["\\{{id}}", "{{id}}"],
  ["\\{{ of {{query.q}}: \\{{{q}}}", "{{ of 1: {{{q}}}"],
  ["C:\\\\{{query.q}} and a \\ alone", "C:\\1 and a \\ alone"],
])("a stub says %j as %j, also in a header and in the name of a field", async (text, said) => {
  const response = { headers: { "x-text": text }, body: [text, { "\\{{name}}": 1 }] };
  const backend = withStubs({ method: "GET", path: "/api/v1/x", response });
  const answer = await send(backend, "GET /x?q=1");
  expect([answer.headers.get("x-text"), answer.body]).toEqual([said, [said, { "{{name}}": 1 }]]);
});

it("a stub reads only own fields of the body", async () => {
  const backend = withStubs({
    method: "POST",
    path: "/x",
    response: { body: ["{{body.toString}}", "{{body.a.length}}"] },
  });
  const init = { method: "POST", headers: { authorization: `Bearer ${demo.apiKey}` }, body: '{"a":"text"}' };
  const response = await backend.fetch("http://mock.test/x", init);
  expect(await response.json()).toEqual([null, null]);
});

it("sends status, headers and a text as they are", async () => {
  const response = {
    status: 418,
    headers: { "Content-Type": "text/csv", "X-Id": "{{path.id}}", Location: "/files/{{query.q}}" },
    body: "id\n{{path.id}}",
  };
  const backend = withStubs({ method: "GET", path: "/files/{id}", response });
  const url = `http://mock.test/files/7?q=${encodeURIComponent("a\r\nSet-Cookie: b")}`;
  const answer = await backend.fetch(url, { headers: { authorization: `Bearer ${demo.apiKey}` } });
  expect([answer.status, await answer.text()]).toEqual([418, "id\n7"]);
  expect(answer.headers.get("content-type")).toBe("text/csv");
  expect(answer.headers.get("x-id")).toBe("7");
  expect(answer.headers.get("location")).toBe("/files/a??Set-Cookie: b");
});

it("a stub requires the credentials of the API, and neither account nor scope", async () => {
  const backend = withStubs(contact);
  const code = async (token: string | null) => codeOf(await send(backend, "GET /contacts/1", { token }));
  expect(await code(null)).toBe("token_missing");
  expect(await code("svc_live_unknown")).toBe("api_key_invalid");
  expect(await code(backend.credentials.createApiKey({ state: "revoked" }).key)).toBe("api_key_revoked");
  expect(await code(backend.credentials.createApiKey({ allowedIps: ["192.0.2.1"] }).key)).toBe("api_key_ip_restricted");
  expect(await code(backend.credentials.createApiKey({ scopes: [] }).key)).toBeUndefined();
  const token = await backend.credentials.createAccessToken({ userId: demo.users.agent });
  expect(await code(token)).toBeUndefined();
  backend.updatePolicies({ rateLimit: { requests: 1, windowSecs: 60 } });
  expect(await code(demo.apiKey)).toBeUndefined();
  expect(await code(demo.apiKey)).toBe("rate_limit_exceeded");
});

it("a stub answers without a credential if the stub is public", async () => {
  const login: Stub = { method: "POST", path: "/api/v1/login", public: true, response: { body: { ok: true } } };
  const answer = await send(withStubs(login), "POST /login", { token: null, body: {} });
  expect(answer).toMatchObject({ status: 200, body: { ok: true } });
});

it("a stub takes one response after the other, and repeats the last", async () => {
  const responses = [{ status: 202 }, { status: 500 }, { body: "done" }];
  const backend = withStubs({ method: "GET", path: "/job", public: true, responses });
  const status = async () => (await backend.fetch("http://mock.test/job")).status;
  expect([await status(), await status(), await status(), await status()]).toEqual([202, 500, 200, 200]);
});

it("a stub compares headers, query and body as faults do, and the stub that says most answers", async () => {
  const path = "/api/v1/search";
  const stub = (name: string, match?: Stub["match"]): Stub => ({
    ...{ method: "POST", path, response: { body: { name } } },
    ...(match && { match }),
  });
  const backend = withStubs(
    stub("any"),
    stub("text", { query: { q: "a*" } }),
    stub("body", { body: { "tags[0]": "x*", count: 1 } }),
    stub("header", { headers: { "X-Test": "slow" } }),
  );
  const name = async (query: string, body: object, headers = {}) =>
    Object((await send(backend, `POST /search${query}`, { body, headers })).body).name;
  expect(await name("", {})).toBe("any");
  expect(await name("?q=abc", {})).toBe("text");
  expect(await name("", { tags: ["xy"], count: 1 })).toBe("body");
  expect(await name("", { tags: ["xy"], count: 2 })).toBe("any");
  expect(await name("", {}, { "x-test": "slow" })).toBe("header");
});

it("a stub prefers a literal path to one with a parameter", async () => {
  const backend = withStubs(contact, { method: "GET", path: "/api/v1/contacts/search", response: { body: { q: 1 } } });
  expect((await send(backend, "GET /contacts/search")).body).toEqual({ q: 1 });
});

it("a stub obeys faults: one for every request, and one for its path", async () => {
  const backend = withStubs(contact);
  backend.faults.add("* 503 once");
  expect((await send(backend, "GET /contacts/1")).status).toBe(503);
  backend.faults.add({ match: { path: "/api/v1/contacts/*" }, do: { code: "resource_not_found" } });
  expect(codeOf(await send(backend, "GET /contacts/1"))).toBe("resource_not_found");
  backend.faults.add("GET /api/v1/contacts* 404");
  expect(codeOf(await send(backend, "GET /contacts/1"))).toBe("not_found");
  backend.stubs.add({ ...contact, method: "PATCH" });
  backend.faults.add("PATCH /api/v1/contacts/* 503");
  expect((await send(backend, "PATCH /contacts/1", { body: {} })).status).toBe(503);
  const unnamed = () => backend.faults.add("GET /api/v1/contacts/{contactId} 503");
  expect(unnamed).toThrow("To name a stub, put a * into the path.");
  backend.faults.add("* truncate once");
  await expect(send(backend, "GET /contacts/1")).rejects.toThrow("terminated");
  expect((await send(backend, "GET /contacts/1")).status).toBe(200);
});

it("a stub is named in the request log, and neither unmatched nor part of the coverage", async () => {
  const backend = withStubs(contact);
  const before = JSON.stringify(backend.requests.coverage());
  await send(backend, "GET /contacts/1");
  const [entry] = backend.requests.list();
  expect(entry).toMatchObject({ stub: "stub-1", status: 200, decidedBy: { step: "stub" } });
  expect(entry).not.toHaveProperty("operationId");
  expect(entry).not.toHaveProperty("closestOperations");
  expect((await control(backend, "GET /requests?unmatched=true")).body).toEqual({ requests: [] });
  expect(JSON.stringify(backend.requests.coverage())).toBe(before);
  expect(backend.stubs.list()).toMatchObject([{ id: "stub-1", hits: 1 }]);
  expect(await backend.replay(1)).toMatchObject({ stub: "stub-1", status: 200 });
});

it("a stub refuses a body that an operation would refuse for its depth or its names", async () => {
  const backend = withStubs({ method: "POST", path: "/api/v1/echo", response: { body: "{{body.a}}" } });
  const init = { method: "POST", headers: { authorization: `Bearer ${demo.apiKey}` } };
  const sent = async (body: string) => {
    const response = await backend.fetch("http://mock.test/api/v1/echo", { ...init, body });
    return { status: response.status, ...(await response.json()) };
  };
  const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  expect(await sent(deep)).toMatchObject({ status: 400, detail: "The request body is nested deeper than 64 levels." });
  const named = '{"a":{"__proto__":{"isAdmin":true}}}';
  expect(await sent(named)).toMatchObject({ status: 400, detail: expect.stringContaining("named __proto__") });
});

it.each<[string, unknown]>([
  ["one text", "{{body.a}} ".repeat(60_000)],
  ["a list of values", Array.from({ length: 60_000 }, () => "{{body.a}}")],
  ["values that are lists", Array.from({ length: 60_000 }, () => "{{body.list}}")],
])("a stub whose templates multiply a body in %s fails at once, and the log says why", async (_, body) => {
  const backend = withStubs({ method: "POST", path: "/api/v1/echo", response: { body } });
  const sent = { a: "x".repeat(400_000), list: ["x".repeat(400_000)] };
  expect(await send(backend, "POST /echo", { body: sent })).toMatchObject({ status: 500 });
  expect(backend.requests.list()[0]?.error).toContain("is longer than 8388608 characters. Use fewer templates");
});

it("the request log hides a secret of the request that a stub repeats under another name", async () => {
  const response = {
    headers: { "x-repeated": "{{query.api_key}}" },
    body: { t: 'so: {{body.access_token}}"', by: "{{header.authorization}}" },
  };
  const backend = withStubs({ method: "POST", path: "/api/v1/echo", public: true, response });
  const init = { body: { access_token: 'opaque-"1', page: "12345678" }, headers: { authorization: "Basic b3BhcXVl" } };
  const sent = await send(backend, "POST /echo?api_key=query-secret", init);
  expect(sent.body).toEqual({ t: 'so: opaque-"1"', by: "Basic b3BhcXVl" });
  const hidden = backend.requests.get(1);
  expect(hidden?.responseBody).toEqual({ t: 'so: [redacted]"', by: "[redacted]" });
  expect(hidden?.responseHeaders).toMatchObject({ "x-repeated": "[redacted]" });
  expect(backend.requests.get(1, { redact: false })?.responseBody).toEqual(sent.body);
});
