import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  backoffFor,
  combine,
  outcomeOfAnswer,
  outcomeOfFailure,
  parseRetryAfter,
  retryHint,
  shouldRetry,
} from "./retry.ts";

const classes = ["safe", "unique", "once"] as const;
const answered = (status: number, code?: string) => ({
  status,
  code,
  outcome: outcomeOfAnswer(status, code),
  interrupted: false,
});

describe("shouldRetry", () => {
  it.each(classes)("repeats %s operations after 429, an effect-free 503 and what was never sent", (retry) => {
    expect(shouldRetry(retry, answered(429, "rate_limit_exceeded"))).toBe(true);
    expect(shouldRetry(retry, answered(429, "queue_full"))).toBe(true);
    expect(shouldRetry(retry, answered(503, "service_unavailable"))).toBe(true);
    expect(shouldRetry(retry, { outcome: "not_sent", interrupted: true })).toBe(true);
  });

  it.each([408, 500, 502, 503, 504, 520])(
    "repeats after %i unless the operation must not be repeated blindly",
    (status) => {
      expect(classes.map((retry) => shouldRetry(retry, answered(status)))).toEqual([true, true, false]);
    },
  );

  it("repeats after a lost connection unless the operation must not be repeated blindly", () => {
    const lost = { outcome: "unknown", interrupted: true } as const;
    expect(classes.map((retry) => shouldRetry(retry, lost))).toEqual([true, true, false]);
  });

  it("repeats only safe operations when a success's body was lost", () => {
    const lost = { status: 200, outcome: "applied", interrupted: true } as const;
    expect(classes.map((retry) => shouldRetry(retry, lost))).toEqual([true, false, false]);
    expect(classes.map((retry) => shouldRetry(retry, { ...lost, interrupted: false }))).toEqual([false, false, false]);
  });

  it.each(classes)("never repeats %s operations after other refusals or a used-up quota", (retry) => {
    for (const status of [302, 400, 401, 403, 404, 409, 410, 422])
      expect(shouldRetry(retry, answered(status))).toBe(false);
    expect(shouldRetry(retry, answered(429, "assistant_quota_exceeded"))).toBe(false);
  });
});

describe("outcomes", () => {
  it("trusts a 503 only when the API's own code says that nothing was left behind", () => {
    expect(outcomeOfAnswer(503, "no_bots_available")).toBe("rejected");
    expect(outcomeOfAnswer(503, "sms_service_unavailable")).toBe("unknown");
    expect(outcomeOfAnswer(503, undefined)).toBe("unknown");
  });

  it("says not_sent only for causes on the allow-list", () => {
    const failure = (cause: unknown) => new TypeError("fetch failed", { cause });
    const coded = (code: string) => Object.assign(new Error(code), { code });
    expect(outcomeOfFailure(failure(coded("ECONNREFUSED")))).toBe("not_sent");
    expect(outcomeOfFailure(failure(coded("ECONNRESET")))).toBe("unknown");
    expect(outcomeOfFailure(failure(new AggregateError([coded("ECONNREFUSED"), coded("ENOTFOUND")])))).toBe("not_sent");
    expect(outcomeOfFailure(failure(new AggregateError([coded("ECONNREFUSED"), coded("EPIPE")])))).toBe("unknown");
    expect(outcomeOfFailure(failure(new AggregateError([])))).toBe("unknown");
    expect(outcomeOfFailure(new TypeError("Failed to fetch"))).toBe("unknown");
    expect(outcomeOfFailure("text")).toBe("unknown");
    expect(outcomeOfFailure(null)).toBe("unknown");
  });

  it("keeps unknown against any later refusal, and lets a success settle it", () => {
    expect(combine("unknown", "rejected")).toBe("unknown");
    expect(combine("unknown", "applied")).toBe("applied");
    expect(combine("rejected", "not_sent")).toBe("rejected");
  });
});

describe("delays", () => {
  it("doubles the backoff from half a second up to eight seconds, with jitter in the upper half", () => {
    expect([0, 1, 2, 3, 4, 5].map((n) => backoffFor(n, () => 1))).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
    expect([0, 1, 2, 3, 4, 5].map((n) => backoffFor(n, () => 0))).toEqual([250, 500, 1000, 2000, 4000, 4000]);
  });

  it("reads Retry-After as digits or an IMF-fixdate and nothing else", () => {
    const now = Date.parse("2026-03-02T12:00:00Z");
    expect(parseRetryAfter("120", now)).toBe(120);
    expect(parseRetryAfter("Mon, 02 Mar 2026 12:00:30 GMT", now)).toBe(30);
    expect(parseRetryAfter("Mon, 02 Mar 2026 11:00:00 GMT", now)).toBe(0);
    for (const bad of [
      "",
      " 1",
      "-1",
      "1.5",
      "1e3",
      "0x10",
      "2026-03-02T12:00:30Z",
      "Mon, 2 Mar 2026 12:00:30 GMT",
      "soon",
      "Invalid Date",
    ]) {
      expect(parseRetryAfter(bad, now), bad).toBeUndefined();
    }
  });

  it("never throws and never yields a negative or unreadable wait, whatever the header says", () => {
    const header = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(header, (text) => {
        const secs = parseRetryAfter(text, 0);
        return secs === undefined || secs >= 0;
      }),
    );
  });

  it("prefers the body's hint, then the header measured by the server's own clock", () => {
    const headers = new Headers({
      "retry-after": "Mon, 02 Mar 2026 12:00:30 GMT",
      date: "Mon, 02 Mar 2026 12:00:10 GMT",
    });
    expect(retryHint({ retryAfterSecs: 3 }, headers, 0)).toBe(3);
    expect(retryHint({ retryAfterSecs: "3" }, headers, 0)).toBe(20);
    expect(retryHint(null, new Headers(), 0)).toBeUndefined();
    expect(retryHint({ retryAfterSecs: Number.NaN }, new Headers(), 0)).toBeUndefined();
  });
});
