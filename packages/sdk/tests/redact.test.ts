import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerpt, redact, redactHeaders } from "../src/utils/redact.ts";

fc.configureGlobal({ seed: 1 });

it("copies no headers that can only be looked up", () => {
  expect([...redactHeaders({ get: () => null } as never, [])]).toEqual([]);
});

describe("redact", () => {
  it("replaces every occurrence of every secret", () => {
    expect(redact("a secret-one b secret-two c secret-one", ["secret-one", "secret-two"])).toBe(
      "a [redacted] b [redacted] c [redacted]",
    );
  });

  it("replaces a secret that JSON escapes, wherever and however it does", () => {
    const secret = "sécret/token";
    const [plain, lower, upper] = ["s\\u00e9cret\\/token", "s\\u00e9cret/token", "s\\u00E9cret\\u002Ftoken"];
    expect(redact(`${plain} ${lower} ${upper}`, [secret])).toBe("[redacted] [redacted] [redacted]");
  });

  it("replaces a secret in any case", () => {
    expect(redact("SVC_LIVE_Key svc_live_kEY", ["svc_live_key"])).toBe("[redacted] [redacted]");
  });

  it("replaces a secret that a URL escapes", () => {
    expect(redact("?key=abcd%2Fefg%2bhij%3D", ["abcd/efg+hij="])).toBe("?key=[redacted]");
  });

  it("replaces a secret in base64, wherever it begins and whatever follows", () => {
    const secret = "svc_live_unit-test-secret";
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.constantFrom("base64", "base64url"), (before, after, encoding) => {
        const encoded = Buffer.from(`${before}${secret}${after}`).toString(encoding as "base64");
        const clean = redact(`Basic ${encoded}`, [secret]).slice("Basic ".length);
        // Of the secret, the characters that it shares with its neighbours may remain.
        const [left = "", right = ""] = clean.split("[redacted]");
        expect(clean).toContain("[redacted]");
        const bytes = Buffer.byteLength(before);
        expect(left.length).toBeLessThanOrEqual(Math.ceil((8 * bytes) / 6));
        expect(Buffer.from(right, "base64").length).toBeLessThanOrEqual(Buffer.byteLength(after) + 1);
      }),
    );
  });

  it("replaces secrets of eight characters", () => {
    expect(redact("a 12345678 b 1234567", ["12345678", "1234567"])).toBe("a [redacted] b 1234567");
  });

  it("ignores short tokens, which may be part of ordinary words", () => {
    expect(redact("token_expired", ["token", ""])).toBe("token_expired");
  });
});

describe("an excerpt", () => {
  it("is one line without control characters or blanks around it", () => {
    expect(excerpt("  a\r\n\tb\u202ec \u001b[0m\n")).toBe("a b c  [0m");
  });

  it("is cut after three hundred characters, which shows", () => {
    expect(excerpt("x".repeat(300))).toBe("x".repeat(300));
    expect(excerpt("x".repeat(301))).toBe(`${"x".repeat(300)}…`);
    expect(excerpt("abcd", 3)).toBe("abc…");
  });

  it("shows that it is cut also where only blanks are left", () => {
    expect(excerpt(`${" ".repeat(6)}x`, 3)).toBe("…");
    expect(excerpt(" ".repeat(6), 3)).toBe("");
  });
});
