import { describe, expect, it } from "vitest";
import { codeOf, effectOf, parseObject, requestIdOf } from "../src/send/result.ts";
import { redact } from "../src/utils/redact.ts";
import { clientOf } from "./test-server.ts";

const typed = (type: string | undefined, status = 200) =>
  new Response(new Uint8Array(), { status, headers: type === undefined ? {} : { "content-type": type } });

describe("the effect of an attempt", () => {
  it.each([
    [undefined, "applied"],
    ["", "applied"],
    ["text/plain", "applied"],
    ["text/plain;charset=UTF-8", "applied"],
    ["application/json", "applied"],
    [" Application/JSON ; charset=utf-8", "applied"],
    ["application/problem+json", "applied"],
    ["application/vnd.company.v1+json", "applied"],
    ["application/jsonp", "unknown"],
    ["application/x-json", "unknown"],
    ["application/+json", "unknown"],
    ["json", "unknown"],
    ["/json", "unknown"],
    ["application/text/json", "unknown"],
    ["text/html", "unknown"],
    ["application/octet-stream", "unknown"],
  ])("of a success of the type %j is %s", (type, outcome) => {
    expect(effectOf(typed(type))).toBe(outcome);
  });

  it("of an error goes by its status and code, whatever its type", () => {
    expect(effectOf(typed("text/html", 404))).toBe("rejected");
    expect(effectOf(typed("text/html", 500))).toBe("unknown");
    expect(effectOf(typed("application/json", 503), "service_unavailable")).toBe("unknown");
    expect(effectOf(typed("application/json", 503), "service_unavailable", true)).toBe("rejected");
    expect(effectOf(typed("application/json", 503), undefined, true)).toBe("unknown");
  });

  it("of a redirect that a browser hides is a refusal", () => {
    const hidden = { type: "opaqueredirect", status: 0, ok: false, headers: new Headers() } as Response;
    expect(effectOf(hidden)).toBe("rejected");
    expect(effectOf(Response.error())).toBe("unknown");
  });
});

it("the request id comes from its header, redacted, if there is one", () => {
  const clean = (text: string) => redact(text, ["secret-token"]);
  const withId = (id: string) => new Response(null, { headers: { "x-request-id": id } });
  expect(requestIdOf(withId("r-secret-token"), { clean })).toBe("r-[redacted]");
  expect(requestIdOf(withId(""), { clean })).toBeUndefined();
  expect(requestIdOf(new Response(null), { clean })).toBeUndefined();
});

describe("the body of an error", () => {
  it.each([["null"], ["[]"], ['"text"'], ["7"], ["<html>"], [""]])("that is %j is no object", (text) => {
    expect(parseObject(text)).toBeUndefined();
  });

  it("may be any object", () => {
    expect(parseObject('{"code":"conflict"}')).toEqual({ code: "conflict" });
  });

  it.each([
    ["1", { "retry-after": "Infinity" }],
    ["1", { "retry-after": "9".repeat(400) }],
    ["1e999", {}],
    ["9".repeat(400), {}],
  ])("has finite numbers, as JSON has no others: a wait of %.9s, %j", async (wait, headers) => {
    const body = `{"code":"rate_limited","meta":{"retryAfterSecs":${wait},"others":[-1e999,2]}}`;
    const { client } = clientOf([new Response(body, { status: 429, headers })]);
    const error: unknown = await client.roles.list().catch((thrown: unknown) => thrown);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      retryAfterSecs: Number.MAX_VALUE,
      meta: { others: [-Number.MAX_VALUE, 2] },
      body: { meta: { retryAfterSecs: expect.any(Number), others: [-Number.MAX_VALUE, 2] } },
    });
  });

  it("has a code if that is text", () => {
    expect([codeOf({ code: "conflict" }), codeOf({ code: 7 }), codeOf({}), codeOf(undefined)]).toEqual([
      "conflict",
      undefined,
      undefined,
      undefined,
    ]);
  });
});
