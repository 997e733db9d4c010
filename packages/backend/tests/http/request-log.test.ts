import type { OperationDescription } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import type { RequestEntry } from "../../src/generated/models.gen.ts";
import type { RecordedExchange } from "../../src/http/request-detail.ts";
import { createRequestLog } from "../../src/http/request-log.ts";

const operation = {
  id: "listRoles",
  statuses: [200, 401],
  errorCodes: ["token_missing"],
} as unknown as OperationDescription;
const exchange: RecordedExchange = { url: new URL("http://mock.test/api/v1/roles"), headers: new Headers() };
const entryOf = (change: Partial<RequestEntry> = {}) => ({
  durationMs: 1,
  decidedBy: { step: "operation", section: "§4.5" } as const,
  at: "2026-03-02T12:00:00.000Z",
  method: "GET",
  path: "/api/v1/roles",
  operationId: "listRoles",
  status: 200,
  requestId: "r",
  ...change,
});

/** A request log with a number of requests. */
function requestLogOf(count: number) {
  const requests = createRequestLog([operation]);
  for (let index = 0; index < count; index += 1) requests.add(entryOf(), exchange);
  return requests;
}
const idsOf = (entries: readonly RequestEntry[]) => entries.map(({ id }) => id);

describe("the request log's list", () => {
  const requests = createRequestLog([operation]);
  requests.add(entryOf(), exchange);
  requests.add(entryOf({ method: "POST", status: 201 }), exchange);
  requests.add(entryOf({ path: "/api/v1/calls", operationId: "listCalls" }), exchange);
  requests.add(entryOf({ status: 401 }), exchange);

  it.each([
    ["nothing", {}, [1, 2, 3, 4]],
    ["an operation", { operationId: "listCalls" }, [3]],
    ["a method in any case", { method: "post" }, [2]],
    ["a path", { path: "/api/v1/roles" }, [1, 2, 4]],
    ["a status", { status: 200 }, [1, 3]],
    ["an earlier entry", { after: 2 }, [3, 4]],
    ["several", { status: 200, path: "/api/v1/roles" }, [1]],
  ])("is selected by %s", (_, filter, ids) => {
    expect(idsOf(requests.list(filter))).toEqual(ids);
  });
});

describe("the phone numbers of a request", () => {
  const number = "+14155550167";
  const requests = createRequestLog([operation]);
  requests.add(entryOf(), {
    url: new URL(`http://mock.test/api/v1/calls?to=${encodeURIComponent(number)}`),
    headers: new Headers({ "x-caller": number }),
    requestBody: { toNumber: number, notes: [`call ${number}`] },
    responseText: JSON.stringify({ detail: `No route to ${number}.` }),
  });

  it("are whole, because they are test data", () => {
    const { requestBody, query, responseBody } = requests.get(1) ?? {};
    expect({ requestBody, query, responseBody }).toEqual({
      requestBody: { toNumber: number, notes: [`call ${number}`] },
      query: { to: number },
      responseBody: { detail: `No route to ${number}.` },
    });
  });
});

it("the request log keeps the latest thousand, and the details of the latest two hundred", () => {
  const requests = requestLogOf(1201);
  expect([requests.list().length, requests.list()[0]?.id, requests.list().at(-1)?.id]).toEqual([1000, 202, 1201]);
  expect(requests.get(201)).toBeUndefined();
  expect(requests.get(202)).toMatchObject({ id: 202 });
  expect(requests.get(1001)).not.toHaveProperty("headers");
  expect(requests.get(1002)).toMatchObject({ id: 1002, headers: {}, query: {} });
  expect(requests.get(1201)).toMatchObject({ id: 1201, headers: {}, query: {} });
  expect([requests.get(1202), requests.get(0), requests.get(-1)]).toEqual([undefined, undefined, undefined]);
});

it("clearing forgets entries, details and counts, and goes on counting ids", () => {
  const requests = requestLogOf(3);
  requests.clear();
  expect([requests.list(), requests.get(1)]).toEqual([[], undefined]);
  expect(requests.coverage()[0]?.statuses[0]?.count).toBe(0);
  expect(requests.add(entryOf(), exchange).id).toBe(4);
  expect(requests.get(4)?.headers).toEqual({});
  for (let id = 5; id <= 1204; id += 1) expect(requests.add(entryOf(), exchange).id).toBe(id);
  expect([requests.list()[0]?.id, requests.list().at(-1)?.id]).toEqual([205, 1204]);
  expect([requests.get(3), requests.get(204), requests.get(205)?.id]).toEqual([undefined, undefined, 205]);
  expect([requests.get(1004)?.headers, requests.get(1005)?.headers]).toEqual([undefined, {}]);
});
