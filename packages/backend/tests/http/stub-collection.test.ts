import { expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import type { Stub } from "../../src/generated/models.gen.ts";
import { codeOf, send } from "../test-client.ts";

const path = "/api/v1/contacts";
const collection = "contacts";
export const contacts: readonly Stub[] = [
  { method: "GET", path, collection },
  { method: "POST", path, collection },
  ...(["GET", "PUT", "PATCH", "DELETE"] as const).map((method) => ({ method, path: `${path}/{id}`, collection })),
];
const create = async (backend: Backend, body: object): Promise<string> =>
  Object((await send(backend, "POST /contacts", { body })).body).id;

it("a collection stores, reads back, merges, replaces and removes", async () => {
  const backend = createBackend({ stubs: contacts });
  const created = await send(backend, "POST /contacts", { body: { id: "mine", name: "Ada", tags: ["a"] } });
  const { id } = Object(created.body);
  expect(created).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^[\da-f-]{36}$/), name: "Ada" } });
  expect(await send(backend, `GET /contacts/${id}`)).toMatchObject({ status: 200, body: created.body });
  const merged = { id, name: "Ada", tags: ["a"], city: "London" };
  expect((await send(backend, `PATCH /contacts/${id}`, { body: { city: "London" } })).body).toEqual(merged);
  expect((await send(backend, `PUT /contacts/${id}`, { body: { name: "Eva" } })).body).toEqual({ id, name: "Eva" });
  expect((await send(backend, `DELETE /contacts/${id}`)).status).toBe(204);
  const gone = await send(backend, `GET /contacts/${id}`);
  expect(gone).toMatchObject({ status: 404, body: { code: "resource_not_found", requestId: expect.any(String) } });
});

it("a collection lists in the shape of the API's pages, the newest first", async () => {
  const backend = createBackend({ stubs: contacts });
  for (const name of ["a", "b", "c"]) await create(backend, { name });
  const page = async (query: string) => (await send(backend, `GET /contacts${query}`)).body;
  const names = { contacts: [{ name: "c" }, { name: "b" }, { name: "a" }], meta: { total: 3 } };
  expect(await page("")).toMatchObject(names);
  expect(await page("?limit=1&offset=1")).toMatchObject({ contacts: [{ name: "b" }], meta: { total: 3 } });
  const refused = await send(backend, "GET /contacts?limit=0");
  expect(refused).toMatchObject({ status: 400, body: { code: "validation_failed", errors: [{ field: "limit" }] } });
});

it("a collection refuses a body that is not an object", async () => {
  const backend = createBackend({ stubs: contacts });
  expect(codeOf(await send(backend, "POST /contacts", { body: "{" }))).toBe("invalid_json");
  expect(codeOf(await send(backend, "POST /contacts", { body: [1] }))).toBe("validation_failed");
  expect(codeOf(await send(backend, "POST /contacts", { body: '{"__proto__":{"a":1}}' }))).toBe("bad_request");
});

it("collections are kept apart, and the request log shows what a request changed", async () => {
  const others = contacts.map((stub) => ({
    ...stub,
    path: stub.path.replace("contacts", "leads"),
    collection: "leads",
  }));
  const backend = createBackend({ stubs: [...contacts, ...others] });
  const id = await create(backend, { name: "Ada" });
  expect((await send(backend, `GET /leads/${id}`)).status).toBe(404);
  expect((await send(backend, "GET /leads")).body).toEqual({ leads: [], meta: { total: 0 } });
  const [entry] = backend.requests.list();
  expect(entry).toMatchObject({ changeCount: 1 });
  expect(backend.requests.get(entry?.id ?? 0)?.changes).toMatchObject([{ collection: "stubRecords", id }]);
});

it("a collection is empty after a reset", async () => {
  const backend = createBackend({ stubs: contacts });
  await create(backend, { name: "Ada" });
  backend.reset();
  expect((await send(backend, "GET /contacts")).body).toEqual({ contacts: [], meta: { total: 0 } });
});
