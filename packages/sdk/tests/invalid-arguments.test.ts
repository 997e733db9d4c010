// Whatever a caller passes, a method throws nothing but errors of the SDK, and result() throws nothing.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallTransfer } from "../src/client.ts";
import { CallTransferError, InvalidArgumentError, OutcomeUnknownError } from "../src/index.ts";
import { createRawClient } from "../src/raw.ts";
import { clientOf, json, networkError } from "./test-server.ts";

fc.configureGlobal({ seed: 1 });

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
const fails = () => {
  throw new Error("own code");
};
const revoked = Proxy.revocable({}, {});
revoked.revoke();

const bad: readonly unknown[] = [
  ...[undefined, null, "", "..", "\ud800", "a\u0000", "text", 5, Number.NaN, 10n, true, Symbol("s"), fails],
  ...[{}, [], [1], cyclic, new Date(Number.NaN), new Map(), new Blob([]), revoked.proxy],
  ...[
    { toJSON: fails },
    { signal: 5 },
    { offset: Symbol("s") },
    { limit: {} },
    { path: null },
    { query: { a: Symbol("s") } },
  ],
  ...[{ body: cyclic }, { body: undefined }, { params: { path: null } }, { timeoutMs: -1 }, { headers: { "": "" } }],
  Object.defineProperty({}, "limit", { get: fails, enumerable: true }),
];

type Method = (...input: unknown[]) => { result(): Promise<{ ok: boolean; error: unknown }> } & Promise<unknown>;

/** Every operation, and requests and lists by path. */
const methodsOf = (client: CallTransfer): Readonly<Record<string, Method>> => {
  const { accounts, calls, destinationGroups, destinations, members, roles } = client;
  const all = { accounts, calls, destinationGroups, destinations, members, roles };
  const operations = Object.entries(all).flatMap(([noun, resource]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
      .filter((name) => name !== "constructor")
      .map((name) => [`${noun}.${name}`, (Reflect.get(resource, name) as Method).bind(resource)] as const),
  );
  const byPath = (["request", "list"] as const).map((name) => [name, client[name].bind(client) as unknown as Method]);
  return Object.fromEntries([...operations, ...byPath]);
};

/** A client whose server answers each request with an error. */
const answering = () => clientOf([], { fetch: async () => json(404, { code: "not_found" }) }).client;
const names = Object.keys(methodsOf(answering()));
// By index: the generator itself cannot read all of them.
const input = fc.array(fc.nat({ max: bad.length - 1 }), { maxLength: 4 });
const valuesAt = (indexes: readonly number[]) => indexes.map((index) => bad[index]);

const thrownBy = async (run: () => unknown): Promise<unknown> => {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe("bad arguments", () => {
  it("of all eight operations, of request() and of list() give errors of the SDK, which result() returns", async () => {
    expect(names).toHaveLength(10);
    const client = answering();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), input, async (name, indexes) => {
        const values = valuesAt(indexes);
        const method = methodsOf(client)[name] as Method;
        const error = await thrownBy(() => method(...values));
        expect(error).toBeInstanceOf(CallTransferError);
        const result = await method(...values).result();
        expect(result.error).toMatchObject({ name: (error as Error).name, message: (error as Error).message });
      }),
      { numRuns: 1000 },
    );
  });

  it("of createRawClient() and its verbs give errors of the SDK", async () => {
    const verbs = createRawClient(answering());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("GET", "POST", "DELETE"), input, async (verb, indexes) => {
        const values = valuesAt(indexes);
        const error = await thrownBy(() => (verbs as unknown as Record<string, Method>)[verb]?.(...values));
        if (error !== undefined) expect(error).toBeInstanceOf(CallTransferError);
      }),
      { numRuns: 500 },
    );
    for (const value of bad)
      expect(await thrownBy(() => createRawClient(value as never))).toBeInstanceOf(CallTransferError);
  });

  it("of paging and reconcile() give errors of the SDK", async () => {
    const list = () => json(200, { calls: [], meta: { total: 0 } });
    const { client } = clientOf([networkError("ECONNRESET")], { maxRetries: 0 });
    const lost = await client.calls
      .create({ flowId: "f", fromNumber: "+15550100001", toNumber: "+15550100002" })
      .result();
    const pages = clientOf([], { fetch: async () => list() }).client;
    for (const value of bad) {
      for (const run of [
        () => pages.calls.list().toArray(value as never),
        () => pages.calls.list(value as never).toArray({ maxItems: 1 }),
        () => (lost.error as OutcomeUnknownError).reconcile(value as never),
      ]) {
        const error = await thrownBy(run);
        if (error !== undefined) expect(error).toBeInstanceOf(CallTransferError);
      }
    }
    expect(lost.error).toBeInstanceOf(OutcomeUnknownError);
  });
});

it.each<[argument: string, message: string, (client: CallTransfer) => { result(): Promise<{ error: unknown }> }]>([
  ["memberId", "memberId must not be empty", (client) => client.members.getAvailability("")],
  ["memberId", "memberId must be a string, not undefined", (client) => client.members.deleteHours(undefined as never)],
  ["body", "body is missing", (client) => client.calls.create(undefined as never)],
  ["body", "body cannot be read: own code", (client) => client.calls.create({ toJSON: fails } as never)],
  ["status", "status must be a string", (client) => client.calls.list({ status: { a: 1 } } as never)],
  ["path", "path must start with one /", (client) => client.request("GET", "roles")],
  ["method", "method must be an HTTP method", (client) => client.request(5 as never, "/api/v1/roles")],
  ["input", "input must be an object", (client) => client.request("GET", "/api/v1/roles", null as never)],
])("an invalid %s is named: %s", async (argument, message, call) => {
  const { client, sent } = clientOf([]);
  const { error } = await call(client).result();
  expect(error).toBeInstanceOf(InvalidArgumentError);
  expect(error).toMatchObject({ argument, message: expect.stringContaining(message) });
  expect(sent).toEqual([]);
});
