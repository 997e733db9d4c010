import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { forLog, hasSecret, redacted, redactedHeaders } from "../../src/utils/redact.ts";

describe("a text for the log", () => {
  it.each([
    ["a key", `/keys/${demo.apiKey}/x`, "/keys/[redacted]/x"],
    ["an access token", "/t/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln", "/t/[redacted]"],
    ["a phone number", "/calls/+14155550167", "/calls/+1415*****67"],
    ["an encoded phone number", "/calls/%2b14155550167", "/calls/%2b1415*****67"],
    ["neither", "/api/v1/roles", "/api/v1/roles"],
  ])("with %s shows no secret", (_, text, shown) => {
    expect(forLog(text)).toBe(shown);
  });
});

it("a secret is found at any depth, each time", () => {
  const body = { list: [{ name: "x", signingSecret: "y" }] };
  expect([hasSecret(body), hasSecret(body), hasSecret({ list: [{ name: "x", signingSecret: 1 }] })]).toEqual([
    true,
    true,
    false,
  ]);
});

describe("the request log", () => {
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

  it.each(["key", "keys", "Cookie", "set-cookie", "signature", "x-authorization", "passwords", "access-key", "apikey"])(
    "redacts the field %s",
    (name) => {
      expect(redacted({ [name]: "x" })).toEqual({ [name]: "[redacted]" });
    },
  );

  it.each(["keyboard", "monkey", "tokenCount", "secretary", "name"])("keeps the field %s", (name) => {
    expect(redacted({ [name]: "x" })).toEqual({ [name]: "x" });
  });

  it.each([[true], [0], [null], [undefined]])("keeps %j in a field for a secret", (value) => {
    expect(redacted({ secret: value })).toEqual({ secret: value });
  });

  it.each(["x eyJhbGciOi.eyJzdWI.", "eyJa.b.c", "svc_live_a-b"])("redacts the credential in %s", (text) => {
    expect(redacted({ note: text }).note).toMatch(/^(?:x )?\[redacted\]$/);
  });

  it.each(["eyJa", "eyJa.b", "keyJa.b.c", "svc_live_", "svc"])("keeps %s, which is no credential", (text) => {
    expect(redacted({ note: text })).toEqual({ note: text });
  });

  it("keeps only a known scheme of a credential header", () => {
    const shown = (value: string) => redactedHeaders(new Headers({ authorization: value })).authorization;
    expect(shown(`Bearer ${demo.apiKey}`)).toBe("Bearer [redacted]");
    expect(shown("basic abc")).toBe("basic [redacted]");
    expect(shown(`${demo.apiKey} x`)).toBe("[redacted]");
    expect(shown("Digest abc")).toBe("[redacted]");
    expect(shown("xBearer abc")).toBe("[redacted]");
    expect(shown("Bearerabc")).toBe("[redacted]");
  });

  it("redacts credentials in a query or a path", async () => {
    const backend = createBackend();
    await backend.fetch(`http://mock.test/api/v1/roles?api_key=${demo.apiKey}&q=${demo.apiKey}`);
    await backend.fetch(`http://mock.test/api/v1/${demo.apiKey}`);
    const kept = backend.requests.list().map(({ id }) => backend.requests.get(id));
    expect(JSON.stringify(kept)).not.toContain(demo.apiKey);
  });
});
