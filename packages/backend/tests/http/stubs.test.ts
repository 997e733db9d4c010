import { expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { Stub } from "../../src/generated/models.gen.ts";
import { createSandboxRegistry } from "../../src/sandboxes.ts";
import { storage } from "../store/storage.ts";
import { control, send } from "../test-client.ts";

const stub = (path: string, body: unknown = {}): Stub => ({ method: "GET", path, response: { body } });
const sequence: Stub = { method: "GET", path: "/api/v1/job", responses: [{ status: 202 }, { status: 200 }] };

it("a stub is added, listed and deleted by the control plane", async () => {
  const backend = createBackend({ controlPlane: true });
  expect(await control(backend, "POST /stubs", stub("/a"))).toEqual({ status: 201, body: { id: "stub-1" } });
  expect((await control(backend, "POST /stubs", stub("/b"))).body).toEqual({ id: "stub-2" });
  const listed = [
    { ...stub("/a"), id: "stub-1", hits: 0 },
    { ...stub("/b"), id: "stub-2", hits: 0 },
  ];
  expect((await control(backend, "GET /stubs")).body).toEqual({ stubs: listed });
  expect((await control(backend, "DELETE /stubs?id=stub-1")).status).toBe(204);
  expect(backend.stubs.list()).toEqual(listed.slice(1));
  const missing = {
    status: 404,
    body: { error: { code: "not_found", message: "There is no stub stub-1.", field: "id" } },
  };
  expect(await control(backend, "DELETE /stubs?id=stub-1")).toEqual(missing);
  await control(backend, "POST /stubs", stub("/c"));
  expect((await control(backend, "DELETE /stubs")).status).toBe(204);
  expect(backend.stubs.list()).toEqual([]);
});

it("the control plane names the invalid field of a stub", async () => {
  const backend = createBackend({ controlPlane: true });
  const refused = await control(backend, "POST /stubs", { ...stub("/a"), response: { status: 99 } });
  const message = "response.status: must be at least 200";
  expect(refused).toEqual({
    status: 400,
    body: { error: { code: "invalid_input", message, field: "response.status" } },
  });
});

it.each<[string, unknown, string]>([
  ["no object", "x", "a stub must be an object with method, path and response"],
  ["an unknown field", { ...stub("/a"), respons: 1 }, "respons: is not a known field. Did you mean response?"],
  ["an unknown method", { ...stub("/a"), method: "get" }, "method: must be one of GET, POST, PUT, PATCH, DELETE"],
  ["no answer", { method: "GET", path: "/a" }, "a stub has either response or responses"],
  ["two answers", { ...stub("/a"), responses: [{}] }, "a stub has either response or responses"],
  ["no responses", { method: "GET", path: "/a", responses: [] }, "responses: must have at least 1 entries"],
  [
    "a relative path",
    stub("contacts"),
    "path: must be a whole path as requests have it, such as /api/v1/contacts/{contactId}",
  ],
  ["a query", stub("/a?b=1"), "path: must be a path alone. A query belongs into match.query"],
  [
    "a path that leads up",
    stub("/a/../b"),
    "path: must be a whole path as requests have it, such as /api/v1/contacts/{contactId}",
  ],
  [
    "a part of a segment",
    stub("/a/x-{id}"),
    'path: "x-{id}" is not a parameter. A parameter is a whole segment, such as {contactId}',
  ],
  ["a parameter twice", stub("/a/{id}/{id}"), "path: has two parameters of the same name"],
  ["a path of the server", stub("/_control/v1/faults"), "path: is a path of the mock server itself. Use another one"],
  ["the root", stub("/"), "path: is a path of the mock server itself. Use another one"],
  ["the health check", stub("/health"), "path: is a path of the mock server itself. Use another one"],
  [
    "a match with an invalid header name",
    { ...stub("/a"), match: { headers: { "a b": "c" } } },
    'match.headers: "a b" is not a header name',
  ],
  [
    "a match with an invalid field path",
    { ...stub("/a"), match: { body: { "a[": "c" } } },
    'match.body: "a[" is not the path of a field, such as members[0].destinationId',
  ],
  [
    "a framing header",
    { method: "GET", path: "/a", response: { headers: { "Content-Length": "1" } } },
    "response.headers.Content-Length: is set by the server. Remove it.",
  ],
])("refuses %s", (_, wrong, message) => {
  const backend = createBackend();
  const add = () => backend.stubs.add(wrong as Stub);
  expect(add).toThrow(expect.objectContaining({ message }));
});

it("refuses a stub that an operation of the API would answer, and names the fault to use", () => {
  const { stubs, faults } = createBackend();
  const add = (method: Stub["method"], path: string) => () => stubs.add({ method, path, response: {} });
  expect(add("POST", "/api/v1/calls")).toThrow("POST /api/v1/calls is answered by the operation createCall");
  expect(add("PATCH", "/api/v1/transfers/members/{id}/availability")).not.toThrow();
  expect(add("GET", "/api/v1/roles")).toThrow(/add a fault: \{.*"operationId":"listRoles"/);
  const [, fault = ""] = /add a fault: (.*)$/.exec(String(messageOf(add("GET", "/api/v1/roles")))) ?? [];
  expect(faults.add(JSON.parse(fault))).toBe("fault-1");
  // The operation would answer each request to such a path.
  expect(add("GET", "/api/v1/transfers/members/m-1/availability")).toThrow("is answered by the operation");
});

function messageOf(task: () => unknown): unknown {
  try {
    return task();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

it("a stub never answers in the place of an operation, however wide its path is", async () => {
  const backend = createBackend({ stubs: [stub("/api/v1/{anything}", { stubbed: true })] });
  expect((await send(backend, "GET /roles")).body).toHaveProperty("roles");
  expect((await send(backend, "GET /other")).body).toEqual({ stubbed: true });
});

it("refuses a duplicate: the same method, path and match, whatever the names of the parameters", () => {
  const { stubs } = createBackend();
  const match = { query: { a: "1", b: "2" } };
  stubs.add({ ...stub("/a/{id}"), match });
  expect(() => stubs.add({ ...stub("/a/{other}"), match: { query: { b: "2", a: "1" } } })).toThrow(
    "path: stub-1 has the same method, path and match. Delete one of the two.",
  );
  expect(stubs.add(stub("/a/{other}"))).toBe("stub-2");
});

it("a backend holds at most 1000 stubs", () => {
  const stubs = Array.from({ length: 1000 }, (_, index) => stub(`/${index}`));
  const backend = createBackend({ stubs });
  expect(() => backend.stubs.add(stub("/more"))).toThrow("more than 1000 stubs are not allowed");
});

it("a stub is in the initial state of every sandbox, and each changes its own", async () => {
  const sandboxes = createSandboxRegistry({ stubs: [sequence], autoSandboxes: true });
  const status = async (name: string) => {
    const headers = { authorization: `Bearer ${demo.apiKey}`, "x-sandbox": name };
    return (await sandboxes.fetch("http://mock.test/api/v1/job", { headers })).status;
  };
  expect([await status("one"), await status("two")]).toEqual([202, 202]);
  sandboxes.get("one")?.stubs.clear();
  expect([await status("one"), await status("two")]).toEqual([404, 200]);
  sandboxes.close();
});

it("a stub comes back with a reset as it was at the start", async () => {
  const backend = createBackend({ stubs: [sequence] });
  await send(backend, "GET /job");
  backend.stubs.add(stub("/more"));
  backend.reset();
  expect(backend.stubs.list()).toEqual([{ ...sequence, id: "stub-1", hits: 0 }]);
  expect((await send(backend, "GET /job")).status).toBe(202);
});

it("a stub continues from a snapshot, with its sequence", async () => {
  const backend = createBackend({ stubs: [sequence] });
  await send(backend, "GET /job");
  const other = createBackend();
  other.restore(JSON.parse(JSON.stringify(backend.snapshot())));
  expect(other.stubs.list()).toEqual(backend.stubs.list());
  expect((await send(other, "GET /job")).status).toBe(200);
  expect(other.stubs.add(stub("/next"))).toBe("stub-2");
});

it("a restore leaves everything as it is if the stubs of a snapshot are invalid", () => {
  const backend = createBackend({ stubs: [sequence] });
  backend.faults.add("createCall 503");
  const snapshot = createBackend().snapshot();
  const all = [{ ...stub("roles"), id: "stub-1", hits: 0 }];
  expect(() => backend.restore({ ...snapshot, stubs: { last: 1, waiting: all } })).toThrow("stubs.waiting[0].path");
  expect([backend.stubs.list().length, backend.faults.list().length]).toEqual([1, 1]);
});

it("a stub that was kept does no harm where a newer version has an operation for it", async () => {
  const snapshot = createBackend().snapshot();
  const backend = createBackend();
  const all = [{ ...stub("/api/v1/roles", { stubbed: true }), id: "stub-1", hits: 0 }];
  backend.restore({ ...snapshot, stubs: { last: 1, waiting: all } });
  expect((await send(backend, "GET /roles")).body).toHaveProperty("roles");
});

it("a stub survives the end of the process, with its sequence", async () => {
  const { open } = storage();
  const first = createBackend({ store: open(), stubs: [sequence] });
  await send(first, "GET /job");
  first.stubs.add(stub("/api/v1/later", { later: true }));
  first.close();
  const second = createBackend({ store: open() });
  expect(second.resumed).toBe(true);
  expect((await send(second, "GET /job")).status).toBe(200);
  expect((await send(second, "GET /later")).body).toEqual({ later: true });
});

it("an expression in a path or a criterion stands for itself", async () => {
  const backend = createBackend();
  const match = { query: { q: "(a+)+$" } };
  backend.stubs.add({ ...stub("/api/v1/(x+)+"), match });
  const status = async (query: string) => (await send(backend, `GET /(x+)+?q=${encodeURIComponent(query)}`)).status;
  expect([await status("(a+)+$"), await status("aaaa")]).toEqual([200, 404]);
});

it.each<[string, object, string]>([
  ["an id twice", { id: "stub-1" }, "stubs.waiting[1].id: stub-1 is there twice. Remove one of the two."],
  ["another id", { id: "x" }, "stubs.waiting[1].id: must be the id of a stub, such as stub-1"],
  ["a negative count", { hits: -5 }, "stubs.waiting[1].hits: must be a whole number of at least 0"],
  ["a count that is a text", { hits: "1" }, "stubs.waiting[1].hits: must be a whole number of at least 0"],
])("a snapshot with %s is refused", (_, change, message) => {
  const backend = createBackend({ stubs: [{ method: "GET", path: "/a", response: {} }] });
  const snapshot = backend.snapshot();
  const second = { id: "stub-2", hits: 0, method: "GET", path: "/b", response: {}, ...change };
  const { last, waiting } = snapshot.stubs;
  const stubs = { last, waiting: [...waiting, second] };
  expect(() => backend.restore({ ...snapshot, stubs })).toThrow(message);
});
