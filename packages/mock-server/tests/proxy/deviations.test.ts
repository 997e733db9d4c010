import type { Deviation } from "@call-transfer/backend/unstable";
import { errorCodes, operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { errorSchema, requestBodySchema, responseBodySchema } from "../../src/proxy/contract.ts";
import { proxyTo, startTarget } from "./target.ts";

const authorization = "Bearer svc_live_test";
const availability = { memberId: "m-1", userId: "u-1", status: "available", busy: false };
const notFound = {
  code: "resource_not_found",
  status: 404,
  title: "Not found",
  detail: "No such member.",
  requestId: "r-1",
};
const group = {
  id: "g-1",
  name: "Night shift",
  strategy: "simultaneous",
  totalTimeoutSecs: 30,
  members: [{ destinationId: "d-1" }],
  createdAt: "2026-03-02T12:00:00Z",
  updatedAt: "2026-03-02T12:00:00Z",
};
const availabilityPath = "/api/v1/transfers/members/m-1/availability";

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The deviations that the journal shows for one request, whose target gives this answer. */
async function deviationsOf(
  { status = 200, headers = { "X-Request-Id": "r-1" }, body }: Answer,
  path = availabilityPath,
  init: RequestInit = { headers: { authorization } },
): Promise<readonly Deviation[] | undefined> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const target = await startTarget((response) =>
    response
      .writeHead(status, { ...(text !== undefined && { "Content-Type": "application/json" }), ...headers })
      .end(text),
  );
  const { url, backend } = await proxyTo(target.url);
  await (await fetch(url + path, init)).arrayBuffer();
  const [entry, ...others] = backend.journal.list();
  expect(others).toEqual([]);
  return entry?.deviations;
}

const createsGroup: RequestInit = {
  method: "POST",
  headers: { authorization, "content-type": "application/json" },
  body: JSON.stringify({ name: "Night shift", members: [{ destinationId: "d-1" }] }),
};

describe("an answer that deviates in one place", () => {
  const { status: _, ...withoutStatus } = availability;
  it.each<[string, Answer, Omit<Deviation, "side">]>([
    ["a missing field", { body: withoutStatus }, { where: "body/status", message: "is missing", section: "§2.4" }],
    [
      "a secret that only another operation shows",
      { body: { ...availability, app: [{ signingSecret: "abc" }] } },
      {
        where: "body/app/0/signingSecret",
        message: "must not be shown: only rotateDestinationSecret may",
        section: "§2.1",
      },
    ],
    [
      "a field of another type",
      { body: { ...availability, busy: "no" } },
      { where: "body/busy", message: "must be of type boolean", section: "§2.4" },
    ],
    [
      "another content type",
      { body: availability, headers: { "X-Request-Id": "r-1", "Content-Type": "text/html" } },
      { where: "header Content-Type", message: "must be application/json", section: "§1" },
    ],
    [
      "an unknown code",
      { status: 404, body: { ...notFound, code: "member_not_found" } },
      {
        where: "body/code",
        message: `"member_not_found" is not one of the ${Object.keys(errorCodes).length} listed values`,
        section: "§2.6",
      },
    ],
    [
      "a code of another status",
      { status: 404, body: { ...notFound, code: "conflict" } },
      { where: "body/code", message: "conflict has the status 409, not 404", section: "§7.2" },
    ],
    [
      "a new value of an enum",
      { body: { ...availability, status: "on_break" } },
      {
        where: "body/status",
        message: '"on_break" is not one of the 3 listed values: available, away, offline',
        section: "§2.4",
      },
    ],
    [
      "no request id",
      { body: availability, headers: {} },
      { where: "header X-Request-Id", message: "is missing", section: "§2.6" },
    ],
    [
      "a status that no operation answers",
      { status: 418, body: { ...notFound, status: 418 } },
      {
        where: "status",
        message: `418 is not documented: getMemberAvailability answers ${operations.getMemberAvailability.statuses.join(", ")}`,
        section: "§4.4",
      },
    ],
    [
      "another request id in the body",
      { status: 404, body: { ...notFound, requestId: "r-2" } },
      { where: "body/requestId", message: "differs from the header X-Request-Id", section: "§2.6" },
    ],
    [
      "another status in the body",
      { status: 404, body: { ...notFound, status: 400 } },
      { where: "body/status", message: "differs from the status line, which has 404", section: "§2.6" },
    ],
    ["no body", {}, { where: "body", message: "is missing", section: "§2.4" }],
    ["a body that is not JSON", { body: "{" }, { where: "body", message: "is not valid JSON", section: "§2.4" }],
  ])("%s is found once, with its place", async (_what, answer, found) => {
    expect(await deviationsOf(answer)).toEqual([{ side: "response", ...found }]);
  });

  it("a success of another status is found once, with its place", async () => {
    const found = await deviationsOf(
      { status: 200, body: group },
      "/api/v1/transfers/destination-groups",
      createsGroup,
    );
    const listed = operations.createDestinationGroup.statuses.join(", ");
    expect(found).toEqual([
      {
        side: "response",
        where: "status",
        message: `200 is not documented: createDestinationGroup answers ${listed}`,
        section: "§4.2",
      },
    ]);
  });
});

describe("an answer that does not deviate", () => {
  it.each<[string, Answer]>([
    ["a success", { body: availability }],
    ["new fields", { body: { ...availability, mood: "good" } }],
    ["an error", { status: 404, body: notFound }],
    [
      "an error that every operation may answer",
      { status: 503, body: { ...notFound, code: "service_unavailable", status: 503 } },
    ],
    ["a code without a status", { status: 418, body: { ...notFound, code: "offer_taken", status: 418 } }],
  ])("%s", async (_what, answer) => {
    expect(await deviationsOf(answer)).toBeUndefined();
  });
});

describe("a request that deviates", () => {
  it.each<[string, string, RequestInit, Omit<Deviation, "side">]>([
    [
      "an unknown path",
      "/api/v1/rolls",
      { headers: { authorization } },
      { where: "path", message: "GET /api/v1/rolls is not an operation: the document has no such path" },
    ],
    [
      "another method",
      "/api/v1/roles",
      { method: "DELETE", headers: { authorization } },
      { where: "path", message: "DELETE /api/v1/roles is not an operation: the path has GET only" },
    ],
    [
      "no credential",
      availabilityPath,
      {},
      { where: "header Authorization", message: "must be Bearer and an access token or an API key", section: "§5.1" },
    ],
    [
      "an access token without an account",
      availabilityPath,
      { headers: { authorization: "Bearer eyJhbGciOiJub25lIn0.e30.x" } },
      {
        where: "header X-Account-Id",
        message: "is missing: an access token needs it for this operation",
        section: "§5.2",
      },
    ],
  ])("%s is found once, with its place", async (_what, path, init, found) => {
    expect(await deviationsOf({ status: 404, body: notFound }, path, init)).toEqual([{ side: "request", ...found }]);
  });

  it.each<[string, string, RequestInit, string]>([
    ["a query parameter", "/api/v1/calls?limit=1000000", { headers: { authorization } }, "query limit"],
    ["a repeated query parameter", "/api/v1/calls?limit=1&limit=2", { headers: { authorization } }, "query limit"],
    [
      "the content type",
      "/api/v1/transfers/destination-groups",
      { ...createsGroup, headers: { authorization, "content-type": "text/plain" } },
      "header Content-Type",
    ],
    [
      "a field",
      "/api/v1/transfers/destination-groups",
      { ...createsGroup, body: JSON.stringify({ name: "", members: [{ destinationId: "d-1" }] }) },
      "body/name",
    ],
    ["a missing body", "/api/v1/transfers/destination-groups", { ...createsGroup, body: null }, "body"],
    ["a broken body", "/api/v1/transfers/destination-groups", { ...createsGroup, body: "{" }, "body"],
  ])("%s is named", async (_what, path, init, where) => {
    const found = await deviationsOf(
      { status: 500, body: { ...notFound, code: "internal_error", status: 500 } },
      path,
      init,
    );
    expect(found?.map((deviation) => [deviation.side, deviation.where])).toEqual([["request", where]]);
  });
});

it("every documented body has a schema that is checked", () => {
  const gaps = Object.values(operations).flatMap((operation) => [
    ...operation.statuses
      .filter((status) => status !== 204 && responseBodySchema(operation, status) === undefined)
      .map((status) => `${operation.id} ${status}`),
    ...(operation.hasBody && requestBodySchema(operation) === undefined ? [`${operation.id} request`] : []),
  ]);
  expect(gaps).toEqual([]);
  expect(errorSchema).toBeDefined();
});
