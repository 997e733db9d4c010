import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanHeaders, excerpt, redact } from "../src/utils/redact.ts";

fc.configureGlobal({ seed: 1 });

it("copies no headers that can only be looked up", () => {
  expect([...cleanHeaders({ get: () => null } as never, String)]).toEqual([]);
});

describe("redact", () => {
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

  it("replaces what a limit left of a secret's end, and nothing of a word that begins alike", () => {
    const secret = "svc_live_0123456789abcdefghij";
    expect(redact(`${secret.slice(0, 25)}…`, [secret])).toBe("[redacted]…");
    expect(redact("svc_live_0123456789_other", [secret])).toBe("svc_live_0123456789_other");
  });

  it("replaces each of two secrets that begin alike", () => {
    const [old, renewed] = ["e30.0123456789abcdefghijklmn.old", "e30.0123456789abcdefghijklmn.renewed"];
    expect(redact(`${renewed} ${old}`, [old, renewed])).toBe("[redacted] [redacted]");
  });

  it("replaces a secret behind a part of itself, and behind signs that only look like an escape", () => {
    const part = "0123456789abcdefghijklmnopqr";
    expect(redact(`${part}${part}${part}-end`, [`${part}${part}-end`])).toBe("[redacted]");
    expect(redact(`50%${part} \\u${part}`, [part])).toBe("50%[redacted] \\u[redacted]");
  });

  it("replaces a secret that was escaped twice, or for a page", () => {
    const secret = "abcd/efg+hij=";
    const inJson = JSON.stringify(JSON.stringify({ secret }).replaceAll("/", "\\/"));
    expect(redact(inJson, [secret])).toBe(JSON.stringify(JSON.stringify({ secret: "[redacted]" })));
    expect(redact("abcd%252Fefg%25252bhij%253D abcd&#x2F;efg+hij&#x3D;", [secret])).toBe("[redacted] [redacted]");
  });

  const escapes: Readonly<Record<string, (sign: string, code: number) => string>> = {
    "decimal entities, as Go's templates write": (_, code) => `&#${code};`,
    "decimal entities with zeros": (_, code) => `&#00${code};`,
    "hexadecimal entities": (_, code) => `&#x00${code.toString(16)};`,
    "named entities": (sign) => ({ "+": "&plus;", "/": "&sol;", "=": "&equals;" })[sign] ?? sign,
    "\\x of a script": (_, code) => `\\x${code.toString(16)}`,
    "\\u of a script": (_, code) => `\\u00${code.toString(16)}`,
  };
  it.each(Object.keys(escapes))("replaces a secret with %s", (name) => {
    const secret = "aB3+/xY9-_zQ7==kLmN0pQr";
    const form = secret.replace(/[+/=]/g, (sign) => escapes[name]?.(sign, sign.charCodeAt(0)) ?? "");
    expect(redact(`&amp;${form}&copy;`, [secret])).toBe("&amp;[redacted]&copy;");
  });

  it("keeps the places where letters change their length in another case", () => {
    expect(redact("İİ% Svc_Live_Key İ", ["svc_live_key"])).toBe("İİ% [redacted] İ");
  });

  it.each([
    ["%", "a".repeat(8000), "a%".repeat(4000)],
    ["no escape", "a".repeat(8000), "a".repeat(100_000)],
    ["a period of its own", "0123456789abcdefghijklmnop".repeat(300), "0123456789abcdefghijklmnop".repeat(4000)],
  ])("shows nothing of a secret that repeats itself, with %s in the text", (_name, secret, text) => {
    expect(redact(text, [secret])).not.toContain(secret.slice(0, 8));
  });

  it("takes little longer for a secret of 8,000 characters than reading the body of 1 MiB as JSON", () => {
    const random = () => Math.random().toString(36).slice(2, 10).padEnd(8, "0");
    const secret = Array.from({ length: 1000 }, random).join("");
    const text = JSON.stringify({ detail: `100% ${Array.from({ length: 131_072 }, random).join("/")}` });
    const fastest = (work: () => unknown) =>
      Math.min(
        ...Array.from({ length: 9 }, () => {
          const from = performance.now();
          work();
          return performance.now() - from;
        }),
      );
    const ratio =
      fastest(() => redact(text, [secret])) /
      fastest(() => encodeURIComponent(decodeURIComponent(encodeURIComponent(text))));
    expect(ratio).toBeLessThan(2);
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
