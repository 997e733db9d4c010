// What goes to the API and to fetch besides what the SDK has a name for.
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../src/errors/base.ts";
import type { OutcomeUnknownError } from "../src/errors/outcome-unknown-error.ts";
import type { RequestOptions } from "../src/options/options.ts";
import { createRawClient } from "../src/raw.ts";
import { clientOf, json, networkError } from "./test-server.ts";

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const placed = () => json(201, { type: "initiated", callId: "c" });
const page = (ids: string[], total: number) => json(200, { calls: ids.map((id) => ({ id })), meta: { total } });

describe("extraBody", () => {
  it("adds fields to a body, and named fields win", async () => {
    const { client, sent } = clientOf([placed()]);
    await client.calls.create(placement, { extraBody: { campaign: "spring", toNumber: "+1" } });
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual({ ...placement, campaign: "spring" });
  });

  it.each<[what: string, send: (options: RequestOptions) => PromiseLike<unknown>]>([
    ["an operation without a body", (options) => clientOf([]).client.roles.list(options)],
    ["a body that is a list", (options) => clientOf([]).client.request("POST", "/api/v1/new", { body: [1] }, options)],
    ["a body that is text", (options) => clientOf([]).client.request("POST", "/api/v1/new", { body: "a" }, options)],
  ])("is refused for %s", async (_, send) => {
    const error = await send({ extraBody: { a: 1 } }).then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: "extraBody" });
  });
});

describe("values that spread to nothing", () => {
  it.each<[name: string, options: RequestOptions]>([
    ["extraQuery", { extraQuery: new URLSearchParams("a=1") as never }],
    ["extraBody", { extraBody: new Map([["a", 1]]) as never }],
    ["extraBody", { extraBody: { toJSON: () => ({ toNumber: "+1" }) } }],
  ])("are refused as %s", async (name, options) => {
    const { client, sent } = clientOf([]);
    await expect(client.calls.create(placement, options)).rejects.toThrow(
      `${name} must be an object of names and values`,
    );
    expect(sent).toEqual([]);
  });

  it.each([new FormData(), new URLSearchParams("a=1"), new Map(), new Blob(), () => 1, { toJSON: () => undefined }])(
    "are refused as a body",
    async (body) => {
      const { client, sent } = clientOf([]);
      await expect(client.request("POST", "/api/v1/new", { body })).rejects.toThrow("body must be JSON, not ");
      expect(sent).toEqual([]);
    },
  );
});

describe("extraQuery", () => {
  it("adds parameters to each page of a list, and named ones win", async () => {
    const { client, sent } = clientOf([page(["a"], 2), page(["b"], 2)]);
    const calls = client.calls.list({ limit: 1 }, { extraQuery: { campaign: "spring", limit: 9 } });
    expect(await calls.toArray({ maxItems: 10 })).toHaveLength(2);
    const queries = sent.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
    expect(queries).toEqual([
      { campaign: "spring", limit: "1" },
      { campaign: "spring", limit: "1", offset: "1" },
    ]);
  });

  it("adds parameters to an operation without a query", async () => {
    const { client, sent } = clientOf([json(200, { roles: [] })]);
    await client.roles.list({ extraQuery: { verbose: true } });
    expect(sent[0]?.url).toBe("https://api.example.com/api/v1/roles?verbose=true");
  });
});

describe("fetchOptions", () => {
  it("reach fetch: the client's, and the request's over them", async () => {
    const dispatcher = { dispatch: () => true };
    const { client, sent } = clientOf([placed()], { fetchOptions: { dispatcher, cache: "no-store" } });
    await client.calls.create(placement, { fetchOptions: { cache: "reload", keepalive: true } });
    expect(sent[0]?.init).toMatchObject({ dispatcher, cache: "reload", keepalive: true, method: "POST" });
  });

  it("are copied: a later change does not reach fetch", async () => {
    const fetchOptions: Record<string, unknown> = { cache: "no-store" };
    const { client, sent } = clientOf([json(200, { roles: [] })], { fetchOptions });
    fetchOptions.body = "other";
    await client.roles.list();
    expect(sent[0]?.init).not.toHaveProperty("body");
  });

  it("reach fetch from createRawClient(), which refuses extra fields", async () => {
    const { client, sent } = clientOf([json(200, { roles: [] })]);
    await createRawClient(client).GET("/api/v1/roles", { fetchOptions: { cache: "no-store" } });
    expect(sent[0]?.init).toMatchObject({ cache: "no-store" });
    await expect(createRawClient(client).GET("/api/v1/roles", { extraQuery: { a: 1 } })).rejects.toThrow(
      "extraQuery is not an option of createRawClient()",
    );
  });

  it("reach the requests that reconcile a lost placement, with its limits of time", async () => {
    const { client, sent } = clientOf([networkError("ECONNRESET"), page([], 0)]);
    const error = await client.calls
      .create(placement, { fetchOptions: { cache: "reload" }, totalTimeoutMs: 20_000, extraBody: { a: 1 } })
      .catch((thrown: unknown) => thrown);
    expect(await (error as OutcomeUnknownError).reconcile()).toMatchObject({ candidates: [], complete: true });
    expect(sent[1]?.init).toMatchObject({ cache: "reload", method: "GET" });
  });

  it.each(["method", "headers", "body", "signal", "redirect"])("cannot replace %s, which the SDK sets", (name) => {
    const problem =
      "fetchOptions must be an object that fetch accepts, without method, headers, body, signal and redirect";
    expect(() => clientOf([], { fetchOptions: { [name]: undefined } as never })).toThrow(problem);
  });
});

it("createRawClient() shows no name of an option that may be a secret", () => {
  const { client } = clientOf([]);
  expect(() => createRawClient(client, { sk_live_51abcdefghijklmnop: 1 } as never)).toThrow(
    /^\(a name that may be a secret\) is not an option of createRawClient\(\)/,
  );
});

describe("the options of a client", () => {
  it.each(["extraBody", "extraQuery", "signal"])("do not include %s, which belongs to one request", (name) => {
    expect(() => clientOf([], { [name]: {} } as never)).toThrow(`${name} is not an option`);
  });
});
