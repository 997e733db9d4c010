// client.request() and createRawClient() with paths that the caller writes.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import type { CallTransfer } from "../src/client.ts";
import { InvalidArgumentError } from "../src/errors/base.ts";
import { defaultMaxRetries } from "../src/generated/constants.gen.ts";
import { CallTransferCore, OutcomeUnknownError } from "../src/index.ts";
import { createRawClient } from "../src/raw.ts";
import { settle } from "./settle.ts";
import { apiKey, clientOf, json, networkError, problem, type Step } from "./test-server.ts";

fc.configureGlobal({ seed: 1 });

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const placed = () => json(201, { type: "initiated", callId: "c" });
const noCalls = () => json(200, { calls: [], meta: { total: 0 } });
const page = () => new Response("<html>Sign in</html>", { headers: { "content-type": "text/html" } });
const lost = () => networkError("ECONNRESET");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a path that is no operation", () => {
  it.each<[what: string, body: unknown]>([
    ["an object", { id: "c-1" }],
    ["a list", [{ id: "c-1" }]],
    ["text", "ready"],
    ["a number", 0],
    ["null", null],
  ])("resolves with the JSON of its response: %s", async (_, body) => {
    const { client } = clientOf([json(200, body), json(200, body)]);
    expect(await client.request("GET", "/api/v1/contacts")).toEqual(body);
    expect((await client.request("GET", "/api/v1/contacts").withResponse()).data).toEqual(body);
  });

  it.each([
    ["204", new Response(null, { status: 204 })],
    ["an empty body", new Response("", { headers: { "content-type": "application/json" } })],
  ])("resolves with undefined after %s", async (_, response) => {
    expect(await clientOf([response]).client.request("DELETE", "/api/v1/contacts/c-1")).toBeUndefined();
  });

  it("never resolves with a page, and says what to check", async () => {
    const message =
      "GET /api/v1/contacts answered 200 with a body that is not JSON (text/html): check baseUrl and proxies";
    expect(await settle(clientOf([page()]).client.request("GET", "/api/v1/contacts"))).toMatchObject({
      ...{ name: "InvalidResponseError", outcome: "unknown", message },
    });
    expect(await settle(clientOf([page()]).client.request("POST", "/api/v1/contacts"))).toBeInstanceOf(
      OutcomeUnknownError,
    );
    expect(await settle(createRawClient(clientOf([page()]).client).GET("/api/v1/contacts" as never))).toMatchObject({
      name: "InvalidResponseError",
    });
  });

  it("may have any body where createRawClient() is asked for something else than JSON", async () => {
    const get = (path: string) =>
      createRawClient(clientOf([page()]).client).GET(path as never, { parseAs: "text" } as never);
    expect(await get("/api/v1/export")).toMatchObject({ data: "<html>Sign in</html>" });
    expect(await settle(get("/api/v1/roles"))).toMatchObject({ name: "InvalidResponseError" });
  });

  it.each(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "get"])("is retried with the method %s", async (method) => {
    const failures = Array.from({ length: defaultMaxRetries }, (_, at) =>
      at % 2 === 0 ? problem(502, "service_error") : lost(),
    );
    const { client, sent } = clientOf([...failures, lost()]);
    expect(await settle(client.request(method, "/api/v1/contacts/c-1"))).toMatchObject({
      ...{ name: "ConnectionError", operationId: `${method.toUpperCase()} /api/v1/contacts/c-1` },
    });
    expect(sent).toHaveLength(1 + defaultMaxRetries);
  });

  it.each(["POST", "PATCH", "LINK"])("is sent once with the method %s", async (method) => {
    const { client, sent } = clientOf([lost()]);
    const error = await settle(client.request(method, "/api/v1/contacts/c-1"));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(await (error as OutcomeUnknownError).reconcile()).toMatchObject({ candidates: [], complete: false });
    expect(sent).toHaveLength(1);
  });

  it("is named without its query, which is sent with that of the input", async () => {
    const { client, sent } = clientOf([problem(404, "not_found")]);
    const path = "/api/v1/contacts?number=%2B15550100002";
    const error = await settle(client.request("GET", path, { query: { limit: 1 } }));
    expect(error).toMatchObject({ operationId: "GET /api/v1/contacts" });
    expect(String(error)).not.toContain("5550100002");
    expect(sent[0]?.url).toBe(`https://api.example.com${path}&limit=1`);
  });
});

/** Every way to write an operation's path. */
const doors: Readonly<Record<string, (client: CallTransfer, method: string, path: string) => PromiseLike<unknown>>> = {
  "request()": (client, method, path) => client.request(method, path, { body: placement }),
  "request() in lower case": (client, method, path) =>
    client.request(method.toLowerCase(), path, { body: placement, query: { dryRun: false } }),
  "request() with a query": (client, method, path) => client.request(method, `${path}?a=1`, { body: placement }),
  "createRawClient()": (client, method, path) =>
    createRawClient(client)[method as "POST"](path as "/api/v1/calls", { body: placement }),
  "createRawClient() with a query": (client, method, path) =>
    createRawClient(client)[method as "POST"](`${path}?a=1` as "/api/v1/calls", { body: placement }),
};

describe.each(Object.keys(doors))("an operation by %s", (name) => {
  const send = (client: CallTransfer, method: string, path: string) => doors[name]?.(client, method, path) ?? [];

  it("finds lost placements as the operation does", async () => {
    const { client, sent } = clientOf([lost(), noCalls()]);
    const error = await settle(send(client, "POST", "/api/v1/calls") as PromiseLike<unknown>);
    expect(error).toMatchObject({ name: "OutcomeUnknownError", operationId: "createCall" });
    expect(await (error as OutcomeUnknownError).reconcile()).toMatchObject({ candidates: [], complete: true });
    expect(sent[1]?.url).toContain("/api/v1/calls?startDate=");
  });

  it("reads the list before it sends a placement again", async () => {
    const { client, sent } = clientOf([lost(), noCalls(), placed()], { retry: { onUnknownOutcome: "check" } });
    await settle(send(client, "POST", "/api/v1/calls") as PromiseLike<unknown>);
    expect(sent.map(({ init }) => init.method)).toEqual(["POST", "GET", "POST"]);
  });

  it("has the operation's retry class, account and name also where ids are in the path", async () => {
    const id = "d0000000-0000-4000-8000-000000000001";
    const rotation = `/api/v1/transfers/destinations/${id}/rotate-secret`;
    const error = await settle(send(clientOf([lost()]).client, "POST", rotation) as PromiseLike<unknown>);
    expect(error).toMatchObject({ operationId: "rotateDestinationSecret" });
    expect((await (error as OutcomeUnknownError).reconcile()).explanation).toContain("the previous one keeps signing");
    const { client, sent } = clientOf([], { accessToken: "some-token" });
    expect(await settle(send(client, "POST", rotation) as PromiseLike<unknown>)).toMatchObject({
      ...{ name: "ConfigurationError", option: "accountId" },
    });
    expect(sent).toEqual([]);
  });
});

it("middleware and instrumentation see the template of an operation whose ids are in the path", async () => {
  const routes: string[] = [];
  const { client } = clientOf([json(200, { roles: [] })], {
    middleware: [
      (_request, next, { route }) => {
        routes.push(route);
        return next();
      },
    ],
  });
  await client.request("GET", "/api/v1/transfers/members/m-1/availability");
  expect(routes).toEqual(["/api/v1/transfers/members/{memberId}/availability"]);
});

it("a client without methods knows the operations too, but not how to find their results", async () => {
  const fetch = async () => Promise.reject(lost());
  const core = new CallTransferCore({ baseUrl: "https://api.example.com", apiKey, fetch });
  const error = await settle(core.request("POST", "/api/v1/calls", { body: placement }));
  expect(error).toMatchObject({ operationId: "createCall", outcome: "unknown" });
  expect(await (error as OutcomeUnknownError).reconcile()).toMatchObject({ candidates: [], complete: false });
});

it("the type of the data is the caller's", () => {
  const { client } = clientOf([json(200, {})]);
  expectTypeOf(client.request<{ id: string }>("GET", "/api/v1/contacts/c-1")).resolves.toEqualTypeOf<{ id: string }>();
});

describe("a path that leaves the base URL", () => {
  const base = "https://api.example.com/prefix";
  const elsewhere = [
    ".evil.example/x",
    ":4444/x",
    "@evil.example/x",
    "evil",
    "",
    "//evil.example/x",
    "https://evil.example/",
  ];
  const above = [
    "/../x",
    "/..",
    "/.",
    "/a/../x",
    "/%2e%2E/x",
    "/.%2e/x",
    "/a/..%2fx",
    "/a%2F..%5c..%2Fx",
    "/..\\x",
    "/\\evil.example",
    "/%2{a}%2{b}/x",
    "/a/%{a}/x",
  ];
  const damaged = ["/.\t./x", "/a\n/x", "/x\u0000", "/x#/y", "/x\ud800", "\t/x", " /x", "/a/.. "];
  const others = [undefined, null, 7, {}, new URL("https://evil.example/x")];

  it.each([...elsewhere, ...above, ...damaged, ...others])("(%j) is refused, and nothing is sent", async (path) => {
    const { client, sent } = clientOf([json(200, {})], { baseUrl: base });
    const doors = [() => client.request("GET", path as never), () => createRawClient(client).GET(path as never)];
    for (const door of doors) {
      const error = await settle(door());
      expect(error).toBeInstanceOf(InvalidArgumentError);
      expect(String(error)).toContain("path must start with one /, such as /api/v1/roles");
      expect(String((error as Error).stack)).not.toContain(apiKey);
    }
    expect(sent).toEqual([]);
  });

  it("is never requested, whatever the path: it is refused, or resolves below the base URL as it is written", async () => {
    const pointed = fc.string({ unit: fc.constantFrom(..."/.%2eE5cF?#\\:;@ \r\n\ta"), maxLength: 12 });
    const text = fc.oneof(pointed, fc.string({ unit: "binary", maxLength: 12 }));
    const start = fc.constantFrom("", "/", "/api/v1/", "/a/..", "//");
    vi.useRealTimers();
    await fc.assert(
      fc.asyncProperty(fc.tuple(start, text), async ([first, rest]) => {
        const path = first + rest;
        const { client, sent } = clientOf([json(200, {})], { baseUrl: base });
        try {
          await client.request("GET", path);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidArgumentError);
          expect(sent).toHaveLength(0);
          return;
        }
        const { origin, pathname, hash } = new URL(sent[0]?.url ?? "");
        const [written = ""] = path.split("?");
        expect([origin, hash]).toEqual(["https://api.example.com", ""]);
        expect(pathname.startsWith("/prefix/")).toBe(true);
        expect(pathname.split("/")).toHaveLength(`/prefix${written}`.split("/").length);
      }),
      { numRuns: 1000 },
    );
  });
});

it.each<Step>([json(200, {})])("a query may hold what a path may not", async (step) => {
  const { client, sent } = clientOf([step]);
  await client.request("GET", "/api/v1/search?from=/../x");
  expect(sent[0]?.url).toBe("https://api.example.com/api/v1/search?from=/../x");
});
