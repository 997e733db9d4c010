import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { redacted, redactedHeaders } from "../../src/http/redact.ts";
import { demo } from "../../src/testing/demo-seed.ts";

describe("the journal", () => {
  it.each([
    "api_key",
    "apiKeys",
    "signingSecret",
    "secretKey",
    "private_key",
    "secretAccessKey",
    "credentials",
    "token",
  ])("redacts the field %s", (name) => {
    for (const value of ["x", ["x"], { value: "x" }])
      expect(redacted({ [name]: value })).toEqual({ [name]: "[redacted]" });
  });

  it("redacts credentials in other texts, and keeps the rest", () => {
    const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";
    expect(redacted({ q: `a ${demo.apiKey} b`, list: [`/p/${token}/x`], hasSecret: true, name: "Desk" })).toEqual({
      q: "a [redacted] b",
      list: ["/p/[redacted]/x"],
      hasSecret: true,
      name: "Desk",
    });
  });

  it("keeps only a known scheme of a credential header", () => {
    const shown = (value: string) => redactedHeaders(new Headers({ authorization: value })).authorization;
    expect(shown(`Bearer ${demo.apiKey}`)).toBe("Bearer [redacted]");
    expect(shown(`${demo.apiKey} x`)).toBe("[redacted]");
  });

  it("redacts credentials in a query or a path", async () => {
    const backend = createBackend();
    await backend.fetch(`http://mock.test/api/v1/roles?api_key=${demo.apiKey}&q=${demo.apiKey}`);
    await backend.fetch(`http://mock.test/api/v1/${demo.apiKey}`);
    const kept = backend.journal.list().map(({ id }) => backend.journal.get(id));
    expect(JSON.stringify(kept)).not.toContain(demo.apiKey);
  });
});
