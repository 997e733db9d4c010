import { inspect } from "node:util";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import {
  type AnyApiError,
  ApiError,
  CallTransferError,
  isApiError,
  NotFoundError,
  RateLimitError,
  RequestError,
} from "./errors.ts";
import type { ErrorCode } from "./generated/error-codes.gen.ts";
import type { FieldError } from "./generated/models.gen.ts";
import { apiKey, clientOf, problem } from "./test-server.ts";

async function errorOf(answer: Response): Promise<unknown> {
  const { client } = clientOf([answer], { maxRetries: 0 });
  return client.roles.list().then(
    () => undefined,
    (error: unknown) => error,
  );
}

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

  it("carries everything that the API said", async () => {
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

  it("passes a code on that is newer than this version", async () => {
    const error = await errorOf(problem(409, "brand_new_code"));
    expect(error).toMatchObject({ name: "ConflictError", code: "brand_new_code", problem: { code: "brand_new_code" } });
  });

  it("lists no failing fields rather than nothing where the code promises some", async () => {
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

  it("is recognized across two copies of the SDK in one process", async () => {
    vi.resetModules();
    const copy = await import("./errors.ts");
    expect(copy.ApiError).not.toBe(ApiError);
    const error = await errorOf(problem(429, "queue_full"));
    expect(error).toBeInstanceOf(copy.RateLimitError);
    expect(error).toBeInstanceOf(copy.CallTransferError);
    expect(error).not.toBeInstanceOf(copy.NotFoundError);
    expect(copy.isApiError(error, "queue_full")).toBe(true);
  });

  it("of a customer's own subclass is told apart from its siblings", () => {
    class OwnError extends CallTransferError {}
    expect(new OwnError("own")).toBeInstanceOf(OwnError);
    expect(new OwnError("own")).toBeInstanceOf(CallTransferError);
    expect(new CallTransferError("plain")).not.toBeInstanceOf(OwnError);
    expect({}).not.toBeInstanceOf(CallTransferError);
    expect([null, undefined, "text"].some((value: unknown) => value instanceof RateLimitError)).toBe(false);
    expect(Object.create(null)).not.toBeInstanceOf(NotFoundError);
  });

  it("keeps the answer's headers at hand but out of what is printed", async () => {
    const error = (await errorOf(problem(404, "not_found"))) as ApiError;
    expect(error.headers.get("x-request-id")).toBe("req-1");
    expect(Object.keys(error)).not.toContain("headers");
  });

  it("shows no credential when it is printed", async () => {
    const error = await errorOf(problem(401, "api_key_invalid"));
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(apiKey);
  });
});

describe("a client", () => {
  it("shows no credential when it is printed or written as JSON", () => {
    const { client } = clientOf([]);
    expect(inspect(client, { depth: 10, showHidden: true })).not.toContain(apiKey);
    expect(JSON.stringify(client)).not.toContain(apiKey);
  });
});
