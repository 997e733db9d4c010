import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readBody, readQuery, validate } from "../../src/http/validate.ts";
import type { Checked } from "../../src/utils/problem.ts";

const schema = z.object({
  name: z.string().min(2).max(3).optional(),
  letter: z.string().min(1).max(1).optional(),
  list: z
    .array(z.object({ count: z.int() }))
    .min(1)
    .max(2)
    .optional(),
  count: z.number().min(1).max(5).optional(),
  kind: z.enum(["app", "phone"]).optional(),
  when: z.iso.datetime({ offset: true }).optional(),
  id: z.uuid().optional(),
  phone: z
    .string()
    .regex(/^\+[1-9][0-9]{1,14}$/)
    .optional(),
  even: z.number().multipleOf(2).optional(),
  size: z.int().default(7),
});
const errorsOf = (result: Checked<object>): unknown =>
  result.problem ? (result.problem.errors ?? [result.problem.code, result.problem.detail]) : result;

describe("an invalid value", () => {
  it.each<[unknown, string, string, string]>([
    [undefined, "body", "required", "is required"],
    [null, "body", "required", "must not be null"],
    [[], "body", "invalid_format", "must be of type object"],
    [{ count: null }, "count", "required", "must not be null"],
    [{ count: "1" }, "count", "invalid_format", "must be of type number"],
    [{ count: 0 }, "count", "below_minimum", "must be at least 1"],
    [{ count: 6 }, "count", "above_maximum", "must be at most 5"],
    [{ name: "a" }, "name", "too_short", "must have at least 2 characters"],
    [{ name: "abcd" }, "name", "too_long", "must have at most 3 characters"],
    [{ letter: "" }, "letter", "too_short", "must have at least 1 character"],
    [{ letter: "ab" }, "letter", "too_long", "must have at most 1 character"],
    [{ list: [] }, "list", "too_short", "must have at least 1 item"],
    [{ list: [{ count: 1 }, { count: 1 }, { count: 1 }] }, "list", "too_long", "must have at most 2 items"],
    [{ list: [{ count: 1 }, {}] }, "list[1].count", "required", "is required"],
    [{ kind: "fax" }, "kind", "invalid_format", "must be one of app, phone"],
    [
      { when: "today" },
      "when",
      "invalid_format",
      "must be a valid datetime, such as 2026-03-02T12:00:00Z (a + in a query is written %2B)",
    ],
    [{ id: "x" }, "id", "invalid_format", "must be a valid uuid"],
    [
      { phone: "123" },
      "phone",
      "phone_not_e164",
      "must be a phone number in E.164 format: a plus sign, the country code, and digits only",
    ],
    [{ even: 3 }, "even", "invalid_format", "is not valid"],
  ])("such as %j is named with what it must be", (value, field, code, message) => {
    expect(errorsOf(validate(schema, value, "body"))).toEqual([{ field, code, message }]);
  });

  it("has one error for each field, the first that applies", () => {
    const text = z.object({ name: z.string().min(2).startsWith("a") });
    expect(errorsOf(validate(text, { name: "b" }, "body"))).toEqual([
      { field: "name", code: "too_short", message: "must have at least 2 characters" },
    ]);
  });
});

describe("a query", () => {
  const operation = { queryParameters: { limit: "integer", ratio: "number", all: "boolean", status: "string" } };
  const read = (query: string) => readQuery(new URLSearchParams(query), operation, undefined);

  it.each([
    ["limit=12", { limit: 12 }],
    ["limit=-3", { limit: -3 }],
    ["limit=1.5", { limit: "1.5" }],
    ["limit=1x", { limit: "1x" }],
    ["limit=x1", { limit: "x1" }],
    ["limit=", { limit: "" }],
    ["ratio=12", { ratio: 12 }],
    ["ratio=-1.25", { ratio: -1.25 }],
    ["ratio=1.", { ratio: "1." }],
    ["ratio=x1.5", { ratio: "x1.5" }],
    ["ratio=1.5x", { ratio: "1.5x" }],
    ["all=true", { all: true }],
    ["all=false", { all: false }],
    ["all=1", { all: "1" }],
    ["status=12", { status: "12" }],
    ["status=true", { status: "true" }],
    ["status=a&status=b", { status: ["a", "b"] }],
    ["unknown=1", {}],
  ])("%s is read by the types of its parameters", (query, value) => {
    expect(read(query)).toStrictEqual({ value });
  });
});

describe("a body", () => {
  const request = (body: BodyInit | null, headers: Record<string, string> = {}) => {
    const init = { method: "POST", body, duplex: "half", headers: { "content-type": "application/json", ...headers } };
    return new Request("http://mock.test/", init as RequestInit);
  };
  const streamOf = (...chunks: readonly string[]) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    });

  it.each([
    "application/json",
    "Application/JSON",
    "application/json;charset=utf-8",
    "application/json ; charset=utf-8",
  ])("is JSON by the content type %s", async (type) => {
    expect(await readBody(request("{}", { "content-type": type }), undefined)).toEqual({ value: {} });
  });

  it.each(["", "text/plain", "application/jsonp", "application/json x", "text/application/json"])(
    "is refused with the content type %j",
    async (type) => {
      expect(errorsOf(await readBody(request("{}", { "content-type": type }), undefined))).toEqual([
        "bad_request",
        "The request body is not JSON. Send it with Content-Type: application/json.",
      ]);
    },
  );

  it("may have its limit in bytes and no more, whether or not it names its length", async () => {
    const limit = 2 * 2 ** 20;
    const refusal = ["bad_request", "The request body exceeds 2 MiB. Send a smaller one."];
    const read = async (body: BodyInit, headers = {}) =>
      errorsOf(await readBody(request(body, headers), undefined, undefined, limit));
    const most = JSON.stringify("x".repeat(limit - 2));
    expect(await read(streamOf(most))).toHaveProperty("value");
    expect(await read(most, { "content-length": String(limit) })).toHaveProperty("value");
    expect(await read(streamOf(most, " "))).toEqual(refusal);
    expect(await read(streamOf("1"), { "content-length": String(limit + 1) })).toEqual(refusal);
  });

  it("that is too large is not read to its end", async () => {
    let isCancelled = false;
    const endless = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(8)),
        cancel: () => {
          isCancelled = true;
        },
      });
    await readBody(request(endless()), undefined, undefined, 16);
    expect(isCancelled).toBe(true);
    isCancelled = false;
    await readBody(request(endless(), { "content-length": "17" }), undefined, undefined, 16);
    expect(isCancelled).toBe(true);
  });

  it("may be nested 64 levels deep", async () => {
    const nested = (levels: number) => request(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    expect(await readBody(nested(64), undefined)).toHaveProperty("value");
    expect(errorsOf(await readBody(nested(65), undefined))).toEqual([
      "bad_request",
      "The request body is nested deeper than 64 levels.",
    ]);
  });

  it("must not have a field named __proto__ anywhere", async () => {
    const body = '{"a":[{"b":1,"__proto__":{}}],"c":1}';
    expect(errorsOf(await readBody(request(body), undefined))).toEqual([
      "bad_request",
      "The request body has a field named __proto__. Remove it.",
    ]);
  });
});

it.each([
  ["gzip", [0x1f, 0x8b, 0x08, 0x00], "compressed"],
  ["UTF-16 with a mark", [0xff, 0xfe, 0x7b, 0x00], "UTF-16"],
  ["UTF-16, big-endian with a mark", [0xfe, 0xff, 0x00, 0x7b], "UTF-16"],
  ["UTF-16 without a mark", [0x7b, 0x00, 0x7d, 0x00], "UTF-16"],
  ["UTF-16, big-endian without a mark", [0x00, 0x7b, 0x00, 0x7d], "UTF-16"],
])("a body in %s is refused with the reason", async (_, bytes, reason) => {
  const headers = new Headers({ "content-type": "application/json" });
  const given = { method: "POST", url: "http://mock.test/", headers, body: null, bodyBytes: new Uint8Array(bytes) };
  expect((await readBody(given, undefined)).problem).toMatchObject({
    code: "invalid_json",
    detail: expect.stringContaining(reason),
  });
});
