// What every operation sends, held to openapi-fetch's own reading of the same request and to a record of it.
import { describe, expect, it } from "vitest";
import type { CallTransfer } from "../src/client.ts";
import { operationFacts } from "../src/generated/operations.gen.ts";
import type { OutgoingRequest } from "../src/options/middleware.ts";
import { clientOf, json } from "./test-server.ts";

type HeaderTexts = Readonly<Record<string, string>>;
type RawInit = { params?: object; body?: unknown };
type Raw = Record<string, (template: string, init: object) => Promise<unknown>>;

/** An operation, called through the client, and the same said to openapi-fetch. */
interface Case {
  readonly operation: string;
  readonly call: (client: CallTransfer, headers: HeaderTexts) => PromiseLike<unknown>;
  readonly init: RawInit;
}

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const group = { name: "Früh & spät", members: [{ destinationId: "d", ringTimeoutSecs: 20 }] };
const id = "a/b c?#%ü";
const filters = { startDate: "2026-01-01T00:00:00+01:00", limit: 5, offset: undefined };

const cases: readonly Case[] = [
  {
    operation: "POST /api/v1/transfers/destinations/{id}/rotate-secret",
    call: (client, headers) => client.destinations.rotateSecret(id, { headers }),
    init: { params: { path: { id } } },
  },
  {
    operation: "POST /api/v1/transfers/destination-groups",
    call: (client, headers) => client.destinationGroups.create(group, { headers }),
    init: { body: group },
  },
  {
    operation: "DELETE /api/v1/transfers/members/{memberId}/hours",
    call: (client, headers) => client.members.deleteHours(id, { headers }),
    init: { params: { path: { memberId: id } } },
  },
  {
    operation: "GET /api/v1/transfers/members/{memberId}/availability",
    call: (client, headers) => client.members.getAvailability(id, { headers }),
    init: { params: { path: { memberId: id } } },
  },
  {
    operation: "GET /api/v1/roles",
    call: (client, headers) => client.roles.list({ headers }),
    init: {},
  },
  {
    operation: "GET /api/v1/calls",
    call: (client, headers) => client.calls.list(filters, { headers }),
    init: { params: { query: filters } },
  },
  {
    operation: "POST /api/v1/calls",
    call: (client, headers) => client.calls.create(placement, { headers }),
    init: { body: placement },
  },
  {
    operation: "GET /api/v1/accounts",
    call: (client, headers) => client.accounts.list({ headers }),
    init: {},
  },
];

const baseUrls = ["https://api.example.com", "https://api.example.com/", "https://example.com/proxy//"];
const headerShapes: readonly HeaderTexts[] = [
  {},
  { "x-team": "a", "x-empty": "" },
  { "X-Team": "b", Accept: "text/html" },
  { "Content-Type": "application/vnd.example+json", "x-latin": "café" },
  { "content-type": "application/x-www-form-urlencoded" },
];

/** What middleware saw and what went out, as text. */
async function sentBy(baseUrl: string, headers: HeaderTexts, send: (client: CallTransfer) => PromiseLike<unknown>) {
  const seen: OutgoingRequest[] = [];
  const middleware = [
    (request: OutgoingRequest, next: () => Promise<Response>) => {
      seen.push({ ...request, headers: new Headers(request.headers) });
      return next();
    },
  ];
  const { client, sent } = clientOf([json(200, {})], { baseUrl, headers, middleware });
  await send(client);
  return [
    ...seen.map(({ method, url, headers, body }) => [method, url, ...headers, body]),
    ...sent.map(({ url, init, headers }) => [init.method, url, ...headers, init.body]),
  ].map((parts) => parts.map(String));
}

describe("what an operation sends", () => {
  it("is recorded here for every operation", () => {
    expect(cases.map(({ operation }) => operation)).toEqual(Object.keys(operationFacts));
  });

  it.each(cases)("is the same as with openapi-fetch: $operation", async ({ operation, call, init }) => {
    const [verb = "", template = ""] = operation.split(" ");
    for (const baseUrl of baseUrls) {
      for (const client of headerShapes) {
        for (const headers of headerShapes) {
          const raw = ({ raw }: CallTransfer) => (raw as unknown as Raw)[verb]?.(template, { ...init, headers });
          const expected = await sentBy(baseUrl, client, async (one) => raw(one));
          expect(await sentBy(baseUrl, client, (one) => call(one, headers))).toEqual(expected);
        }
      }
    }
  });

  it("stays as recorded", async () => {
    const [client, own] = [{ "X-Team": "a", "x-kept": "k" }, { "x-team": "b" }];
    const sent = [];
    for (const { call } of cases)
      sent.push((await sentBy("https://example.com/proxy/", client, (one) => call(one, own)))[0]);
    expect(sent.map((parts) => parts?.join(" "))).toMatchInlineSnapshot(`
      [
        "POST https://example.com/proxy/api/v1/transfers/destinations/a%2Fb%20c%3F%23%25%C3%BC/rotate-secret x-kept,k x-team,b undefined",
        "POST https://example.com/proxy/api/v1/transfers/destination-groups content-type,application/json x-kept,k x-team,b {"name":"Früh & spät","members":[{"destinationId":"d","ringTimeoutSecs":20}]}",
        "DELETE https://example.com/proxy/api/v1/transfers/members/a%2Fb%20c%3F%23%25%C3%BC/hours x-kept,k x-team,b undefined",
        "GET https://example.com/proxy/api/v1/transfers/members/a%2Fb%20c%3F%23%25%C3%BC/availability x-kept,k x-team,b undefined",
        "GET https://example.com/proxy/api/v1/roles x-kept,k x-team,b undefined",
        "GET https://example.com/proxy/api/v1/calls?startDate=2026-01-01T00%3A00%3A00%2B01%3A00&limit=5 x-kept,k x-team,b undefined",
        "POST https://example.com/proxy/api/v1/calls content-type,application/json x-kept,k x-team,b {"flowId":"flow","fromNumber":"+15550100001","toNumber":"+15550100002"}",
        "GET https://example.com/proxy/api/v1/accounts x-kept,k x-team,b undefined",
      ]
    `);
  });
});
