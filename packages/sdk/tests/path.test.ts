import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandPath, serializeQuery } from "../src/core/path.ts";
import { InvalidArgumentError } from "../src/errors/base.ts";

fc.configureGlobal({ seed: 1 });

const template = "/api/v1/transfers/members/{memberId}/hours";
const expand = (memberId: unknown) => expandPath(template, { memberId });

describe("expandPath", () => {
  it("percent-encodes everything that could leave the segment", () => {
    expect(expand("a/b?c#d e%2f$&")).toBe("/api/v1/transfers/members/a%2Fb%3Fc%23d%20e%252f%24%26/hours");
  });

  it.each(["", ".", "..", "%2e", "%2E%2e", ".%2e", "a\u0000b", "line\nbreak", "\ud800", 7, null, undefined, {}, ["a"]])(
    "refuses %j before anything is sent, naming the parameter",
    (id) => {
      expect(() => expand(id)).toThrow(InvalidArgumentError);
      expect(() => expand(id)).toThrow(/^memberId must /);
    },
  );

  it("rejects a template with a missing parameter", () => {
    expect(() => expandPath(template)).toThrow("memberId must be a string, not undefined");
  });

  it("always keeps the path's own segments, whatever the id", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (id) => {
        let path: string;
        try {
          path = expand(id);
        } catch {
          return true;
        }
        const segments = new URL(path, "https://api.example.com").pathname.split("/");
        return segments.length === 7 && segments[6] === "hours" && decodeURIComponent(segments[5] ?? "") === id;
      }),
    );
  });
});

describe("serializeQuery", () => {
  it("leaves out undefined and null, and encodes the rest", () => {
    expect(serializeQuery({ limit: 5, offset: undefined, status: "a&b", startDate: null })).toBe(
      "limit=5&status=a%26b",
    );
  });

  it("rejects values without an unambiguous text form", () => {
    expect(() => serializeQuery({ startDate: new Date(0) })).toThrow(
      "startDate must be a string, number, boolean or a list of them. For a time, use toISOString().",
    );
    for (const item of [{}, ["a"], new Date(0), () => "a", Symbol("a"), new Set(["a"])])
      expect(() => serializeQuery({ status: ["a", item] })).toThrow(InvalidArgumentError);
    expect(() => serializeQuery({ status: new Set(["a"]) })).toThrow(InvalidArgumentError);
  });

  it("writes a list as one parameter for each of its items, and none for an empty one", () => {
    expect(serializeQuery({ tags: ["a", "b&c", 3, true, null, undefined, ""], none: [], last: "z" })).toBe(
      "tags=a&tags=b%26c&tags=3&tags=true&tags=&last=z",
    );
  });
});
