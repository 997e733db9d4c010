// What every operation sends, held to openapi-fetch's own reading of the same request and to a record of it.
import { type OperationDescription, operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import type { CallTransfer } from "../../packages/sdk/src/client.ts";
import { operationFacts } from "../../packages/sdk/src/generated/operations.gen.ts";
import type { OutgoingRequest } from "../../packages/sdk/src/options/options.ts";
import { createRawClient } from "../../packages/sdk/src/raw.ts";
import { clientOf, json } from "../../packages/sdk/tests/test-server.ts";

type HeaderTexts = Readonly<Record<string, string>>;
type RawInit = { params?: object; body?: unknown };
type Raw = Record<string, (template: string, init: object) => Promise<unknown>>;

/** An operation, called through the client, and the same said to openapi-fetch. */
interface Case {
  readonly operation: string;
  readonly call: (client: CallTransfer, headers: HeaderTexts) => PromiseLike<unknown>;
  readonly init: RawInit;
}

const body = { name: "Früh & spät", members: [{ destinationId: "d", ringTimeoutSecs: 20 }], toNumber: "+15550100002" };
const id = "a/b c?#%ü";
/** A value for a query parameter of a type. */
const filters: Readonly<Record<string, unknown>> = { string: "2026-01-01T00:00:00+01:00", integer: 5 };

/** Every operation, with ids, a body and a query that need encoding. Every second query parameter is undefined. */
const cases: readonly Case[] = Object.values(operations).map((operation: OperationDescription) => {
  const { method, path, resource, sdkMethod, pathParameters, queryParameters, hasBody } = operation;
  const entries = Object.entries(queryParameters);
  const query = Object.fromEntries(
    entries.map(([name, type], index) => [name, index % 2 === 0 ? filters[type] : undefined]),
  );
  const input = [...pathParameters.map(() => id), ...(hasBody ? [body] : []), ...(entries.length > 0 ? [query] : [])];
  return {
    operation: `${method} ${path}`,
    call(client, headers) {
      const methods = Reflect.get(client, resource) as Record<string, (...input: unknown[]) => PromiseLike<unknown>>;
      return (
        methods[sdkMethod]?.(...input, { headers }) ?? Promise.reject(new Error(`No client.${resource}.${sdkMethod}`))
      );
    },
    init: {
      ...(hasBody && { body }),
      params: { path: Object.fromEntries(pathParameters.map((name) => [name, id])), query },
    },
  };
});

/** What middleware saw and what went out, as text. */
async function sentBy(baseUrl: string, headers: HeaderTexts, send: (client: CallTransfer) => PromiseLike<unknown>) {
  const seen: OutgoingRequest[] = [];
  const middleware = [
    (request: OutgoingRequest, next: () => Promise<Response>) => {
      seen.push({ ...request, headers: new Headers(request.headers) });
      return next();
    },
  ];
  const { client, sent } = clientOf([json(200, { type: "queued", signingSecret: "s" })], {
    baseUrl,
    headers,
    middleware,
  });
  await send(client);
  return [
    ...seen.map(({ method, url, headers, body }) => [method, url, ...headers, body]),
    ...sent.map(({ url, init, headers }) => [init.method, url, ...headers, init.body]),
  ].map((parts) => parts.map(String));
}

describe("what an operation sends", () => {
  it("is compared for every operation of the client", () => {
    expect(cases.map(({ operation }) => operation).sort()).toEqual(Object.keys(operationFacts).sort());
  });

  it.each(cases)("is the same as with openapi-fetch: $operation", async ({ operation, call, init }) => {
    const [verb = "", template = ""] = operation.split(" ");
    const headers = { "X-Team": "b", Accept: "text/html", "x-latin": "café" };
    for (const baseUrl of ["https://api.example.com", "https://example.com/proxy//"]) {
      const rawOf = (one: CallTransfer) =>
        (createRawClient(one) as unknown as Raw)[verb]?.(template, { ...init, headers });
      const ofClient = { "x-team": "a", "x-empty": "" };
      const expected = await sentBy(baseUrl, ofClient, async (one) => rawOf(one));
      expect(await sentBy(baseUrl, ofClient, (one) => call(one, headers))).toEqual(expected);
    }
  });

  it("has an encoded id, body or query, and the headers of the client and of the request", async () => {
    const [client, own] = [{ "X-Team": "a", "x-kept": "k", "User-Agent": "app/1" }, { "x-team": "b" }];
    const recorded = ["rotate-secret", "POST /api/v1/transfers/destination-groups", "GET /api/v1/calls"];
    const sent = [];
    for (const { call } of recorded.flatMap((part) => cases.find(({ operation }) => operation.includes(part)) ?? []))
      sent.push((await sentBy("https://example.com/proxy/", client, (one) => call(one, own)))[0]);
    expect(sent.map((parts) => parts?.join(" "))).toMatchInlineSnapshot(`
      [
        "POST https://example.com/proxy/api/v1/transfers/destinations/a%2Fb%20c%3F%23%25%C3%BC/rotate-secret user-agent,app/1 x-kept,k x-team,b undefined",
        "POST https://example.com/proxy/api/v1/transfers/destination-groups content-type,application/json user-agent,app/1 x-kept,k x-team,b {"name":"Früh & spät","members":[{"destinationId":"d","ringTimeoutSecs":20}],"toNumber":"+15550100002"}",
        "GET https://example.com/proxy/api/v1/calls?limit=5&status=2026-01-01T00%3A00%3A00%2B01%3A00 user-agent,app/1 x-kept,k x-team,b undefined",
      ]
    `);
  });
});
