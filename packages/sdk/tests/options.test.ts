import { describe, expect, it } from "vitest";
import { CallTransfer } from "../src/client.ts";
import { ConfigurationError } from "../src/index.ts";
import type { ClientOptions } from "../src/options/options.ts";
import { apiKey } from "./test-server.ts";

const good = { baseUrl: "https://api.example.com", apiKey };
const refusal = (options: unknown): ConfigurationError => {
  try {
    new CallTransfer(options as ClientOptions);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
  }
  throw new Error("the options were accepted");
};

describe("client options", () => {
  it.each([
    ["options", null],
    ["baseUrl", { apiKey }],
    ["baseUrl", { ...good, baseUrl: "api.example.com" }],
    ["baseUrl", { ...good, baseUrl: "ftp://api.example.com" }],
    ["baseUrl", { ...good, baseUrl: "https://user:pass@api.example.com" }],
    ["baseUrl", { ...good, baseUrl: "https://api.example.com/?a=1" }],
    ["baseUrl", { ...good, baseUrl: "https://api.example.com#a" }],
    ["baseUrl", { ...good, baseUrl: "https://api.example.com/api/v1/" }],
    ["baseUrl", { ...good, baseUrl: "http://api.example.com" }],
    ["baseUrl", { ...good, baseUrl: "http://127.0.0.1.example.com" }],
    ["apiKey", { baseUrl: good.baseUrl }],
    ["apiKey", { ...good, apiKey: "" }],
    ["apiKey", { ...good, apiKey: `${apiKey}\n` }],
    ["apiKey", { ...good, apiKey: 7 }],
    ["accessToken", { ...good, accessToken: "also" }],
    ["accessToken", { baseUrl: good.baseUrl, accessToken: "with space" }],
    ["accountId", { ...good, accountId: "" }],
    ["accountId", { ...good, accountId: "a\r\nb" }],
    ["timeoutMs", { ...good, timeoutMs: 0 }],
    ["timeoutMs", { ...good, timeoutMs: Number.NaN }],
    ["timeoutMs", { ...good, timeoutMs: 2 ** 31 }],
    ["totalTimeoutMs", { ...good, totalTimeoutMs: "60" }],
    ["maxRetries", { ...good, maxRetries: -1 }],
    ["maxRetries", { ...good, maxRetries: 1.5 }],
    ["retry.maxRetryAfterMs", { ...good, retry: { maxRetryAfterMs: 2 ** 31 } }],
    ["retry.maxRetryAfterMs", { ...good, retry: { maxRetryAfterMs: -1 } }],
    ["headers", { ...good, headers: { Authorization: "Bearer other" } }],
    ["headers", { ...good, headers: { "X-Account-ID": "other" } }],
    ["fetch", { ...good, fetch: "fetch" }],
    ["headers", { ...good, headers: "x: y" }],
    ["headers", { ...good, headers: { "x y": "z" } }],
    ["headers", { ...good, headers: { "x-secret": "line\nbreak" } }],
    ["middleware", { ...good, middleware: "x" }],
    ["middleware", { ...good, middleware: [1] }],
    ["logger", { ...good, logger: { warn: () => {} } }],
    ["clock", { ...good, clock: {} }],
    ["retry", { ...good, retry: null }],
    ["retry.whenUnkown", { ...good, retry: { whenUnkown: "throw" } }],
    ["retry.onUnknownOutcome", { ...good, retry: { onUnknownOutcome: "sometimes" } }],
    ["apikey", { ...good, apikey: apiKey }],
    ["signal", { ...good, signal: new AbortController().signal }],
  ])("rejects an invalid %s at once and names it", (option, options) => {
    expect(refusal(options)).toMatchObject({ name: "ConfigurationError", option });
  });

  it.each([{ apiKey: `${apiKey} ` }, { accessToken: `${apiKey}\r` }, { apiKey, accessToken: apiKey }])(
    "never shows a secret's value in the refusal",
    (credentials) => {
      const error = refusal({ baseUrl: good.baseUrl, ...credentials });
      expect(`${error.message}${JSON.stringify(error)}${error.stack}`).not.toContain("unit-test-secret");
    },
  );

  it.each([
    ["timeout", "timeoutMs"],
    ["timeout_ms", "timeoutMs"],
    ["max_retries", "maxRetries"],
    ["max", "maxRetries"],
    ["baseURL", "baseUrl"],
    ["apikey", "apiKey"],
    ["token", "accessToken"],
    ["defaultHeaders", "headers"],
  ])("asks for %s whether %s was meant", (name, meant) => {
    expect(refusal({ ...good, [name]: 1 }).message).toBe(`${name} is not an option. Did you mean ${meant}?`);
  });

  it.each(["idempotencyKey", "x", "", "ms", "__proto", "🦄"])("lists the options where none is near: %s", (name) => {
    expect(refusal({ ...good, [name]: 1 }).message).toMatch(/ is not an option; known are timeoutMs, .*, clock$/);
  });

  it.each([
    [{ ...good, sk_live_51abcdefghijklmnop: 1 }, ""],
    [{ ...good, "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl": 1 }, ""],
    [{ ...good, aVeryLongSecretOfLettersAloneThatIsNoNameOfAnOption: 1 }, ""],
    [{ ...good, retry: { sk_live_51abcdefghijklmnop: 1 } }, "retry."],
  ])("shows no name that may be a secret: %j", (options, prefix) => {
    const { message, option } = refusal(options);
    expect(message).toContain(`${prefix}(a name that may be a secret) is not an option`);
    expect(`${message} ${option}`).not.toMatch(/sk_live|eyJ|Long/);
  });

  it("asks for a wrong name in retry, and of one request", async () => {
    expect(refusal({ ...good, retry: { onUnknown: "throw" } }).message).toBe(
      "retry.onUnknown is not an option. Did you mean retry.onUnknownOutcome?",
    );
    const listed = (options: object) => new CallTransfer(good).roles.list(options as never);
    await expect(listed({ abortSignal: undefined })).rejects.toThrow(
      "abortSignal is not an option. Did you mean signal?",
    );
    for (const name of ["max", "maxRetries"])
      await expect(listed({ retry: { [name]: 1 } })).rejects.toThrow(
        `retry.${name} is not an option. Did you mean maxRetries?`,
      );
    await expect(listed({ retry: { budget: false } })).rejects.toThrow(
      "retry.budget is not an option; known are maxRetryAfterMs, onUnknownOutcome",
    );
  });

  it.each(["http://localhost:4010", "http://127.0.0.1", "http://[::1]:8080", "https://example.com/proxy/"])(
    "accepts the address %s",
    (baseUrl) => {
      expect(new CallTransfer({ ...good, baseUrl })).toBeInstanceOf(CallTransfer);
    },
  );

  it("accepts plain HTTP to other hosts with allowInsecureHttp", () => {
    expect(new CallTransfer({ ...good, baseUrl: "http://mock:4010", allowInsecureHttp: true })).toBeInstanceOf(
      CallTransfer,
    );
  });
});
