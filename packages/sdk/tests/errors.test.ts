import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, expectTypeOf, it, vi } from "vitest";
import type { ErrorCode } from "../src/generated/error-codes.gen.ts";
import type { FieldError } from "../src/generated/models.gen.ts";
import {
  type AnyApiError,
  ApiError,
  BadRequestError,
  CallTransferError,
  isApiError,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitError,
  RequestError,
  ServerError,
} from "../src/index.ts";
import { apiKey, clientOf, json, problem } from "./test-server.ts";

async function errorOf(answer: Response): Promise<unknown> {
  const { client } = clientOf([answer], { maxRetries: 0 });
  return client.roles.list().then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("any request error", () => {
  it("has the ID of the last response, also where that response was unusable", async () => {
    const page = new Response("<html>", { headers: { "content-type": "text/html", "x-request-id": "req-9" } });
    expect(await errorOf(page)).toMatchObject({ name: "InvalidResponseError", requestId: "req-9" });
  });
});

describe("a promise of a response", () => {
  it("is the same for every call of withResponse(), so that one handler is enough", async () => {
    const { client } = clientOf([problem(404, "resource_not_found")]);
    const request = client.roles.list();
    expect(request.withResponse()).toBe(request.withResponse());
    await expect(request).rejects.toThrow("resource_not_found");
  });

  it("may come from a fetch that returns the same object again", async () => {
    const same = json(201, { type: "initiated", callId: "c" });
    const { client } = clientOf([same, same]);
    const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
    expect(await client.calls.create(placement)).toEqual(await client.calls.create(placement));
  });
});

describe("the request ID of a response whose header and body name different ones", () => {
  const answer = () =>
    json(503, { code: "service_error", requestId: "of-the-body" }, { "x-request-id": "of-the-header" });

  it("is the header's, wherever the SDK shows it", async () => {
    const shown: unknown[] = [];
    const note = (message: string) => shown.push(message);
    const { client } = clientOf([answer(), answer()], {
      ...{ maxRetries: 1, random: () => 0, logger: { debug: note, info: note, warn: note, error: note } },
      onRetry: ({ attempt }) => shown.push(attempt.requestId),
      instrumentation: {
        startRequest: () => ({
          startAttempt: () => ({
            wrapSend: (_url, send) => send(),
            end: ({ attempt }) => shown.push(attempt?.requestId),
          }),
          end: ({ attempts }) => shown.push(...attempts.map(({ requestId }) => requestId)),
        }),
      },
    });
    const error = (await client.roles.list().catch((thrown: unknown) => thrown)) as ApiError;
    expect(error.requestId).toBe("of-the-header");
    expect(error.attempts.map(({ requestId }) => requestId)).toEqual(["of-the-header", "of-the-header"]);
    expect(error.message).toContain("(request of-the-header)");
    expect(shown.filter((text) => String(text).includes("of-the-header")).length).toBeGreaterThan(6);
    expect(shown.join()).not.toContain("of-the-body");
    // The body itself is the server's.
    expect(error.body).toMatchObject({ requestId: "of-the-body" });
  });
});

describe("ApiError", () => {
  it.each([
    [400, "BadRequestError"],
    [401, "AuthenticationError"],
    [402, "PaymentRequiredError"],
    [403, "PermissionDeniedError"],
    [404, "NotFoundError"],
    [409, "ConflictError"],
    [410, "GoneError"],
    [418, "ApiError"],
    [422, "UnprocessableEntityError"],
    [429, "RateLimitError"],
    [502, "ServerError"],
  ])("of status %i is a %s", async (status, name) => {
    const error = await errorOf(problem(status, "forbidden"));
    expect(error).toMatchObject({ name, status });
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toBeInstanceOf(Error);
  });

  it("carries every field of the error body", async () => {
    const errors = [{ field: "name", code: "required", message: "name is required." }];
    const error = await errorOf(problem(400, "validation_failed", { errors, meta: { extra: 1 } }));
    expect(error).toMatchObject({
      code: "validation_failed",
      title: "Title",
      detail: "Detail.",
      errors,
      meta: { extra: 1 },
      requestId: "req-1",
    });
    const message = "listRoles answered 400 validation_failed: Detail. (name required) (request req-1)";
    expect((error as Error).message).toBe(message);
  });

  it("keeps up to 2,000 characters of a body that is not the API's, without the credential", async () => {
    const blocked = await errorOf(new Response(`error code: 1020 for ${apiKey}`, { status: 403 }));
    expect(blocked).toMatchObject({
      code: undefined,
      bodyText: "error code: 1020 for [redacted]",
      message: 'listRoles answered 403 without an API error body: "error code: 1020 for [redacted]"',
    });
    expect(await errorOf(new Response("", { status: 404 }))).toMatchObject({
      message: "listRoles answered 404 without an API error body (check baseUrl)",
    });
    const long = (await errorOf(new Response("x".repeat(5000), { status: 403 }))) as ApiError;
    expect(long.bodyText).toHaveLength(2000);
    expect(long.message.length).toBeLessThan(400);
    const page = await errorOf(new Response("<html><title>Access\ndenied</title><p>…", { status: 403 }));
    expect((page as Error).message).toContain(': "Access denied"');
    expect(await errorOf(problem(403, "forbidden"))).toMatchObject({ bodyText: undefined });
  });

  it.each<[string, object]>([
    ["fields that are no text", { errors: [{ field: { toString: 1 }, code: { toString: 1 }, message: 1 }] }],
    ["errors that are no list", { errors: { length: 1, 0: {} } }],
    ["a code, a detail and meta that are no text", { code: { toString: 1 }, detail: { toString: 1 }, meta: "none" }],
  ])("with a hostile body (%s) is still an ApiError", async (_name, hostile) => {
    const error = await errorOf(json(400, { code: "validation_failed", status: 400, ...hostile }));
    expect(error).toBeInstanceOf(ApiError);
    expect(() => inspect(error) + JSON.stringify(error)).not.toThrow();
  });

  it("lists well-formed field errors, and keeps the others in problem", async () => {
    const good = { field: "name", code: "required", message: "name is required." };
    const errors = [{ field: 1 }, good];
    expect(await errorOf(problem(400, "validation_failed", { errors }))).toMatchObject({
      errors: [good],
      body: { errors },
    });
  });

  it("has a short message on one line without terminal escapes, whatever the API sent", async () => {
    const hostile = "\u001b[2J\u202e\r\n\u2028";
    const text = (length: number) => hostile + "d".repeat(length);
    const headers = { "x-request-id": `id-${"i".repeat(5000)}` };
    const body = {
      code: `c${text(5000)}`,
      detail: text(60_000),
      errors: Array.from({ length: 50 }, () => ({ field: text(5000), code: text(5000), message: "" })),
    };
    const { message } = (await errorOf(json(400, body, headers))) as Error;
    expect(message).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\u202e]*$/u);
    expect(message.length).toBeLessThan(2000);
  });

  it("accepts a code that is newer than this version, and none that is no text", async () => {
    expect(await errorOf(problem(409, 7 as never))).toMatchObject({ name: "ConflictError", code: undefined });
    const error = await errorOf(problem(409, "brand_new_code"));
    expect(error).toMatchObject({ name: "ConflictError", code: "brand_new_code", body: { code: "brand_new_code" } });
  });

  it("has an empty errors list if the code implies field errors and none came", async () => {
    expect(await errorOf(problem(400, "validation_failed"))).toMatchObject({ errors: [] });
    expect(await errorOf(problem(400, "bad_request"))).toMatchObject({ errors: undefined });
  });

  it("narrows its types by guard, by switch and by instanceof", async () => {
    const error = await errorOf(problem(429, "rate_limit_exceeded"));
    if (!isApiError(error)) throw new Error("not narrowed");
    expectTypeOf(error).toEqualTypeOf<AnyApiError>();
    expectTypeOf(error.code).toEqualTypeOf<ErrorCode | undefined>();
    if (isApiError(error, "validation_failed")) {
      expectTypeOf(error.status).toEqualTypeOf<400>();
      expectTypeOf(error.errors).toEqualTypeOf<readonly FieldError[]>();
    }
    switch (error.code) {
      case "rate_limit_exceeded":
        expectTypeOf(error.status).toEqualTypeOf<429>();
        break;
      case "offer_taken":
        expectTypeOf(error.status).toEqualTypeOf<number>();
        break;
      default:
        throw new Error("not switched");
    }
    expect(isApiError(error, "rate_limit_exceeded", "queue_full")).toBe(true);
    expect(isApiError(error, "queue_full")).toBe(false);
    expect(isApiError(new Error("other"))).toBe(false);
  });

  it("of a status class has the status and the codes that come with it", async () => {
    const error = await errorOf(problem(429, "rate_limit_exceeded"));
    if (!(error instanceof RateLimitError)) throw new Error("not narrowed");
    expectTypeOf(error.status).toEqualTypeOf<429>();
    type Codes = "rate_limit_exceeded" | "queue_full" | "assistant_quota_exceeded";
    type WithoutStatus =
      | "offer_taken"
      | "offer_taken_self"
      | "offer_expired"
      | "already_taken"
      | "takeover_unsupported"
      | "unsupported_kind";
    expectTypeOf(error.code).toEqualTypeOf<Codes | WithoutStatus | undefined>();
    expectTypeOf(error).toExtend<RateLimitError>();
    const other = await errorOf(problem(400, "validation_failed"));
    if (!(other instanceof BadRequestError) || other.code !== "validation_failed") throw new Error("not narrowed");
    expectTypeOf(other.errors).toEqualTypeOf<readonly FieldError[]>();
    const failed = await errorOf(new Response("", { status: 504 }));
    if (!(failed instanceof ServerError)) throw new Error("not narrowed");
    expectTypeOf(failed.status).toEqualTypeOf<number>();
    if (failed.code === "internal_error") expectTypeOf(failed.status).toEqualTypeOf<500>();
    expect(failed.status).toBe(504);
  });

  it("can be created by a customer's tests", async () => {
    const request = { operationId: "createCall", outcome: "rejected", attempts: [] } as const;
    const full = new RateLimitError({ ...request, status: 429, body: { code: "queue_full", requestId: "req-1" } });
    expect(full).toMatchObject({
      code: "queue_full",
      requestId: "req-1",
      errors: undefined,
      retryAfterSecs: undefined,
    });
    expect(full.message).toBe("createCall answered 429 queue_full");
    expect([...full.headers]).toEqual([]);
    const window = { start: "2026-03-02T12:00:00Z", end: "2026-03-02T12:01:00Z", byServerClock: true };
    const lost = new OutcomeUnknownError("lost", {
      ...request,
      outcome: "unknown",
      window,
      findCandidates: async () => ({
        candidates: [{ id: "call-1", direction: "outbound", duration: 0 }],
        complete: true,
        reason: "candidates_found" as const,
        explanation: "one call",
        window,
      }),
    });
    expect((await lost.reconcile()).candidates[0]?.id).toBe("call-1");
  });

  describe("in a process with two copies of the SDK", () => {
    let copy: typeof import("../src/index.ts");
    beforeAll(async () => {
      vi.resetModules();
      copy = await import("../src/index.ts");
    });

    it("is recognized by both", async () => {
      expect(copy.ApiError).not.toBe(ApiError);
      const error = await errorOf(problem(429, "queue_full"));
      expect(error).toBeInstanceOf(copy.RateLimitError);
      expect(error).toBeInstanceOf(copy.CallTransferError);
      expect(error).not.toBeInstanceOf(copy.NotFoundError);
      expect(copy.isApiError(error, "queue_full")).toBe(true);
    });
  });

  it("of a customer's own subclass is distinguished from its siblings", () => {
    class OwnError extends CallTransferError {}
    expect(new OwnError("own")).toBeInstanceOf(OwnError);
    expect(new OwnError("own")).toBeInstanceOf(CallTransferError);
    expect(new CallTransferError("plain")).not.toBeInstanceOf(OwnError);
    expect({}).not.toBeInstanceOf(CallTransferError);
    expect([null, undefined, "text"].some((value: unknown) => value instanceof RateLimitError)).toBe(false);
    expect(Object.create(null)).not.toBeInstanceOf(NotFoundError);
  });

  it("has the response headers, but does not print them", async () => {
    const error = (await errorOf(problem(404, "not_found"))) as ApiError;
    expect(error.headers.get("x-request-id")).toBe("req-1");
    expect(Object.keys(error)).not.toContain("headers");
  });
});

describe("a client", () => {
  it("shows no credential when printed or serialized", () => {
    const { client } = clientOf([]);
    expect(inspect(client, { depth: 10, showHidden: true })).not.toContain(apiKey);
    expect(JSON.stringify(client)).not.toContain(apiKey);
  });
});

describe("an error of another realm, as in Jest, is shown with its cause", () => {
  const foreign = (text: string) => runInNewContext(text) as Error;
  it.each<[string, () => unknown]>([
    [
      "an Error",
      () =>
        foreign(
          'Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) })',
        ),
    ],
  ])("%s", async (_name, thrown) => {
    const { client } = clientOf(
      [
        () => {
          throw thrown();
        },
      ],
      { maxRetries: 0 },
    );
    const error = await client.roles.list().catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      message: expect.stringContaining("fetch failed (reset)"),
      cause: { name: "TypeError", message: "fetch failed", cause: { message: "reset", code: "ECONNRESET" } },
    });
  });
});
