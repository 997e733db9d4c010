import { errorCodes, operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assembleBackend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { createDateFormatter, errorResponse } from "../../src/http/respond.ts";
import { createOperationTable } from "../../src/http/router.ts";
import { codeOf, send } from "../test-client.ts";

const { destinations } = demo;
const groups = "POST /transfers/destination-groups";
const unknownId = "11111111-1111-1111-1111-111111111111";
const group = { name: "A", members: [{ destinationId: destinations.app }] };

describe("every response", () => {
  it("has its request id in header and error body, and the status in both", async () => {
    const answer = await send(createBackend(), "GET /roles", { token: null });
    expect(answer.body).toEqual({
      code: "token_missing",
      status: 401,
      title: errorCodes.token_missing.title,
      detail: errorCodes.token_missing.meaning,
      requestId: answer.headers.get("x-request-id"),
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([401, "application/json"]);
  });

  it.each([
    ["a list", "/calls", demo.apiKey, 200],
    ["a list without a credential", "/roles", null, 401],
    ["a record that does not exist", `/accounts/${demo.accountId}/members/${unknownId}`, demo.apiKey, 404],
    ["a path that only other methods have", "/transfers/destinations/x", demo.apiKey, 404],
  ])("to HEAD is that to GET, without its body: %s", async (_, path, token, status) => {
    const [got, asked] = [createBackend(), createBackend()];
    const answers = [await send(got, `GET ${path}`, { token }), await send(asked, `HEAD ${path}`, { token })];
    const heads = answers.map((one) => [one.status, Object.fromEntries(one.headers)]);
    expect(heads[1]).toEqual(heads[0]);
    expect([answers[1]?.status, answers[1]?.body]).toEqual([status, undefined]);
    expect(asked.requests.list()).toMatchObject([{ method: "HEAD", status }]);
  });

  it("names methods only for a path that has some", async () => {
    expect((await send(createBackend(), "GET /nothing")).headers.has("allow")).toBe(false);
  });

  it("has its date in the form of HTTP, by the backend's clock", async () => {
    const backend = createBackend();
    const dates = [await send(backend, "GET /roles")];
    await backend.clock.advance({ by: 999 });
    dates.push(await send(backend, "GET /roles"));
    await backend.clock.advance({ by: 1 });
    dates.push(await send(backend, "GET /roles"));
    expect(dates.map(({ headers }) => headers.get("date"))).toEqual([
      "Mon, 02 Mar 2026 12:00:00 GMT",
      "Mon, 02 Mar 2026 12:00:00 GMT",
      "Mon, 02 Mar 2026 12:00:01 GMT",
    ]);
    const format = createDateFormatter();
    expect([0, 999, 1000, 0].map(format)).toEqual([
      "Thu, 01 Jan 1970 00:00:00 GMT",
      "Thu, 01 Jan 1970 00:00:00 GMT",
      "Thu, 01 Jan 1970 00:00:01 GMT",
      "Thu, 01 Jan 1970 00:00:00 GMT",
    ]);
  });

  it("to what is no valid HTTP has the error format of the API too", async () => {
    const response = errorResponse("bad_request", "The head is too large.");
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      code: "bad_request",
      status: 400,
      title: errorCodes.bad_request.title,
      detail: "The head is too large.",
      requestId: response.headers.get("x-request-id"),
    });
  });

  it("hides the message of an exception", async () => {
    const table = createOperationTable(operations, {});
    const broken = {
      listRoles() {
        throw new Error("secret");
      },
    };
    const backend = assembleBackend({}, { table, handlers: broken });
    const answer = await send(backend, "GET /roles");
    expect([answer.status, codeOf(answer)]).toEqual([500, "internal_error"]);
    expect(JSON.stringify(answer.body)).not.toContain("secret");
  });
});

describe("the rate limit", () => {
  it("starts a new window when the clock is set back before the current one", async () => {
    const backend = createBackend({ policies: { rateLimit: { requests: 1, windowSecs: 60 } } });
    await send(backend, "GET /roles");
    backend.clock.set({ now: "2026-03-01T12:00:00Z" });
    expect((await send(backend, "GET /roles")).status).toBe(200);
    expect((await send(backend, "GET /roles")).body).toMatchObject({ meta: { retryAfterSecs: 60 } });
  });
});

describe("an operation without a handler", () => {
  const archive = {
    ...operations.createDestinationGroup,
    id: "archiveGroup",
    path: "/api/v1/transfers/destination-groups/{groupId}/archive",
    pathParameters: ["groupId"],
    successes: [{ status: 202, example: { archived: true } }],
  };
  const table = createOperationTable(
    { ...operations, archiveGroup: archive },
    { archiveGroup: { body: z.object({ reason: z.string() }) } },
  );
  const target = `POST /transfers/destination-groups/${unknownId}/archive`;

  it("responds with the first example of the specification", async () => {
    const answer = await send(assembleBackend({}, { table, handlers: {} }), target, { body: { reason: "old" } });
    expect(answer).toMatchObject({ status: 202, body: { archived: true } });
  });

  it.each([
    ["whose success has no body", [{ status: 204, example: null }], 204, undefined],
    [
      "that has no success",
      [],
      500,
      expect.objectContaining({
        code: "internal_error",
        detail: "The specification has no example response.",
      }),
    ],
  ])("%s responds accordingly", async (_, successes, status, body) => {
    const table = createOperationTable(
      { ...operations, archiveGroup: { ...archive, successes } as typeof archive },
      {},
    );
    const answer = await send(assembleBackend({}, { table, handlers: {} }), target, { body: {} });
    expect(answer).toMatchObject({ status, body });
  });
});

describe("the request log", () => {
  const sized = (bytes: number) => {
    const frame = JSON.stringify({ ...group, note: "" }).length;
    return { ...group, note: "x".repeat(bytes - frame) };
  };

  it("keeps request bodies of up to 16 KiB", async () => {
    const backend = createBackend();
    await send(backend, groups, { body: sized(16_384) });
    await send(backend, groups, { body: sized(16_385) });
    expect(backend.requests.get(1)).toHaveProperty("requestBody");
    expect(backend.requests.get(2)).not.toHaveProperty("requestBody");
  });

  it("keeps response bodies of up to 16 KiB", async () => {
    const frame = JSON.stringify({ text: "" }).length;
    const handlers = (bytes: number) => ({
      listRoles: () => ({ status: 200, body: { text: "x".repeat(bytes - frame) } }),
    });
    const kept = async (bytes: number) => {
      const backend = assembleBackend({}, { table: createOperationTable(operations, {}), handlers: handlers(bytes) });
      await send(backend, "GET /roles");
      return backend.requests.get(1);
    };
    expect(await kept(16_384)).toHaveProperty("responseBody");
    expect(await kept(16_385)).not.toHaveProperty("responseBody");
  });

  it.each([
    ["an error", new RangeError("broken"), expect.stringMatching(/^RangeError: broken\n +at /)],
    ["an error without a stack", Object.assign(new Error("broken"), { stack: undefined }), "broken"],
    ["text", "broken", "broken"],
  ])("keeps %s that a handler threw", async (_, thrown, error) => {
    const broken = {
      listRoles() {
        throw thrown;
      },
    };
    const backend = assembleBackend({}, { table: createOperationTable(operations, {}), handlers: broken });
    await send(backend, "GET /roles");
    expect(backend.requests.list()).toEqual([expect.objectContaining({ status: 500, code: "internal_error", error })]);
  });
});

describe("the header Retry-After", () => {
  it.each([
    [1.5, true, "2"],
    [0, true, "0"],
    [1, false, null],
    [undefined, true, null],
  ])("for a wait of %j s, with the policy %s, is %j", async (retryAfterSecs, sendRetryAfterHeader, value) => {
    const backend = createBackend({ policies: { sendRetryAfterHeader } });
    const meta = retryAfterSecs === undefined ? {} : { meta: { retryAfterSecs } };
    backend.faults.add({ do: { code: "service_unavailable", ...meta } });
    expect((await send(backend, "GET /roles")).headers.get("retry-after")).toBe(value);
  });
});

describe("faults", () => {
  it.each([
    [{ status: 503, body: "down" }, "text/plain", "down"],
    [{ status: 503, body: { down: true } }, "application/json", '{"down":true}'],
    [{ status: 503 }, null, ""],
    [{ status: 204, body: "down" }, "text/plain", ""],
    [{ status: 205, body: "down" }, "text/plain", ""],
    [{ status: 304, body: "down" }, "text/plain", ""],
  ])("respond to %j with the content type %j", async (action, type, text) => {
    const backend = createBackend();
    backend.faults.add({ do: action });
    const response = await backend.fetch("http://mock.test/api/v1/roles");
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      action.status,
      type,
      text,
    ]);
  });

  it("have default meta and field errors", async () => {
    const backend = createBackend();
    for (const code of ["rate_limit_exceeded", "assistant_quota_exceeded", "validation_failed"] as const)
      backend.faults.add({ do: { code } });
    expect((await send(backend, "GET /roles")).body).toMatchObject({ meta: { retryAfterSecs: 1 } });
    expect((await send(backend, "GET /roles")).body).toMatchObject({ meta: { resetsAt: "2026-03-02T13:00:00.000Z" } });
    expect((await send(backend, "GET /roles")).body).toMatchObject({ errors: [{ field: "body" }] });
  });

  it("respond with any status, body and headers", async () => {
    const backend = createBackend();
    backend.faults.add({ do: { status: 503, body: "<h1>Down</h1>", headers: { "content-type": "text/html" } } });
    const response = await backend.fetch("http://mock.test/api/v1/roles");
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      503,
      "text/html",
      "<h1>Down</h1>",
    ]);
    expect(response.headers.get("date")).toBe(new Date(backend.clock.now()).toUTCString());
  });
});
