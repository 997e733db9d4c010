import { expect, it } from "vitest";
import { InputError } from "../src/index.ts";
import { type ManagedSandboxes, serveSandboxes } from "../src/unstable.ts";

/** Sandboxes that answer later, as those of other machines do. */
function remoteSandboxes(names: string[]): ManagedSandboxes & { readonly created: unknown[] } {
  const created: unknown[] = [];
  return {
    created,
    list: async () => names,
    describe: async (name) =>
      name === "gone"
        ? undefined
        : { now: "2026-03-02T12:00:00.000Z", mode: "frozen", rate: 1, requestCount: name.length },
    async create(name, options) {
      if (names.includes(name)) throw new InputError("name", `sandbox "${name}" already exists`);
      created.push({ name, options });
    },
    delete: async (name) => names.includes(name),
  };
}

async function ask(registry: ManagedSandboxes, method: string, path: string, body?: unknown) {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const request = new Request(`https://mock.example.com${path}`, {
    ...init,
    headers: { "Content-Type": "application/json" },
  });
  const response = await serveSandboxes(registry, request, new URL(request.url));
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

it("lists sandboxes in their order, without those that are gone by now", async () => {
  const { status, body } = await ask(remoteSandboxes(["b", "gone", "ab"]), "GET", "/_control/v1/sandboxes");
  expect(status).toBe(200);
  const listed = { now: "2026-03-02T12:00:00.000Z", mode: "frozen", rate: 1 };
  expect(body).toEqual({
    sandboxes: [
      { name: "b", path: "/_sandbox/b", ...listed, requestCount: 1 },
      { name: "ab", path: "/_sandbox/ab", ...listed, requestCount: 2 },
    ],
  });
});

it("creates a sandbox with its options, and answers when it exists", async () => {
  const registry = remoteSandboxes([]);
  const { status, body } = await ask(registry, "POST", "/_control/v1/sandboxes", { name: "a", randomSeed: 7 });
  expect([status, body]).toEqual([201, { name: "a", path: "/_sandbox/a" }]);
  expect(registry.created).toEqual([{ name: "a", options: { randomSeed: 7 } }]);
});

it.each([
  ["a name that is taken", { name: "a" }, 'sandbox "a" already exists'],
  ["a name that is not allowed", { name: "A b" }, "must be 1 to 63 lower-case letters"],
  ["an unknown clock", { name: "b", clockMode: "still" }, "frozen"],
])("refuses %s", async (_, body, message) => {
  const registry = remoteSandboxes(["a"]);
  const refused = await ask(registry, "POST", "/_control/v1/sandboxes", body);
  expect(refused.status).toBe(400);
  expect(refused.body.error.code).toBe("invalid_input");
  expect(refused.body.error.message).toContain(message);
  expect(registry.created).toEqual([]);
});

it("deletes a sandbox, and says that there is none", async () => {
  const registry = remoteSandboxes(["a"]);
  expect((await ask(registry, "DELETE", "/_control/v1/sandboxes/a")).status).toBe(204);
  const missing = await ask(registry, "DELETE", "/_control/v1/sandboxes/b");
  expect([missing.status, missing.body.error.message]).toEqual([404, 'There is no sandbox "b".']);
});

it.each([
  ["GET", "/_control/v1/clock"],
  ["POST", "/_control/v1/reset"],
  ["PUT", "/_control/v1/sandboxes"],
])("finds no %s %s", async (method, path) => {
  const { status, body } = await ask(remoteSandboxes([]), method, path);
  expect([status, body.error.code]).toEqual([404, "not_found"]);
});
