import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noEffectCodes } from "../src/generated/constants.gen.ts";
import { RetryBudget, RetryBudgets, retryCost } from "../src/options/retry-budget.ts";
import { combine, outcomeOfResponse } from "../src/send/result.ts";
import { delayFor, parseRetryAfter, retryHint, shouldRetry } from "../src/send/retry.ts";

fc.configureGlobal({ seed: 1 });

const classes = ["idempotent", "conflict_safe", "non_idempotent"] as const;
const answered = (status: number, code?: string, trust503Codes = false) => ({
  status,
  code,
  outcome: outcomeOfResponse(status, code, trust503Codes),
  interrupted: false,
});

describe("shouldRetry", () => {
  it.each(classes)("retries %s operations after 429, and if nothing was sent", (retry) => {
    expect(shouldRetry(retry, answered(429, "rate_limit_exceeded"))).toBe(true);
    expect(shouldRetry(retry, answered(429, "queue_full"))).toBe(true);
    expect(shouldRetry(retry, { outcome: "not_sent", interrupted: true })).toBe(true);
  });

  it.each(noEffectCodes)("retries operations that are not idempotent after a 503 %s only if it is trusted", (code) => {
    expect(classes.map((retry) => shouldRetry(retry, answered(503, code)))).toEqual([true, true, false]);
    expect(classes.map((retry) => shouldRetry(retry, answered(503, code, true)))).toEqual([true, true, true]);
  });

  it.each([408, 500, 502, 503, 504, 520])("retries after %i unless the operation is not idempotent", (status) => {
    expect(classes.map((retry) => shouldRetry(retry, answered(status)))).toEqual([true, true, false]);
  });

  it("retries after a lost connection unless the operation is not idempotent", () => {
    const lost = { outcome: "unknown", interrupted: true } as const;
    expect(classes.map((retry) => shouldRetry(retry, lost))).toEqual([true, true, false]);
  });

  it("retries only idempotent operations after the body of a success was lost", () => {
    const lost = { status: 200, outcome: "applied", interrupted: true } as const;
    expect(classes.map((retry) => shouldRetry(retry, lost))).toEqual([true, false, false]);
    expect(classes.map((retry) => shouldRetry(retry, { ...lost, interrupted: false }))).toEqual([false, false, false]);
  });

  it.each(classes)("decides by the status of an invented answer for %s operations that were not sent", (retry) => {
    const invented = { outcome: "not_sent", interrupted: false } as const;
    expect(shouldRetry(retry, { ...invented, status: 503 })).toBe(true);
    expect(shouldRetry(retry, { ...invented, status: 400 })).toBe(false);
  });

  it.each(classes)("never retries %s operations after other refusals or an exhausted quota", (retry) => {
    for (const status of [302, 400, 401, 403, 404, 409, 410, 422])
      expect(shouldRetry(retry, answered(status))).toBe(false);
    expect(shouldRetry(retry, answered(429, "assistant_quota_exceeded"))).toBe(false);
  });
});

describe("outcomes", () => {
  it.each([
    [200, "applied"],
    [299, "applied"],
    [300, "rejected"],
    [407, "rejected"],
    [409, "rejected"],
    [499, "rejected"],
    [500, "unknown"],
  ])("of a %i is %s", (status, outcome) => {
    expect(outcomeOfResponse(status, undefined, true)).toBe(outcome);
  });

  it.each(noEffectCodes)(
    "trusts a 503 whose code, %s, is assumed to mean no effect, only with trust503Codes",
    (code) => {
      expect(outcomeOfResponse(503, code, true)).toBe("rejected");
      expect(outcomeOfResponse(503, code, false)).toBe("unknown");
    },
  );

  it.each([undefined, "", "sms_service_unavailable", "internal_error", "queue_full", "of_a_later_version", "toString"])(
    "does not trust a 503 whose code is %s",
    (code) => {
      expect(outcomeOfResponse(503, code, true)).toBe("unknown");
    },
  );

  it.each([500, 501, 502, 504, 507, 520, 599])("does not trust a %i, even with a code that goes with 503", (status) => {
    for (const code of noEffectCodes) {
      expect(outcomeOfResponse(status, code, true)).toBe("unknown");
      expect(shouldRetry("non_idempotent", answered(status, code, true))).toBe(false);
    }
  });

  it("does not trust a 408, even with a code that goes with 503", () => {
    for (const code of noEffectCodes) expect(outcomeOfResponse(408, code, true)).toBe("unknown");
  });

  it("stays unknown after later refusals, until a success", () => {
    expect(combine("unknown", "rejected")).toBe("unknown");
    expect(combine("unknown", "applied")).toBe("applied");
    expect(combine("rejected", "not_sent")).toBe("rejected");
  });
});

describe("delays", () => {
  it("doubles the backoff from half a second up to eight seconds, with jitter in the upper half", () => {
    expect([0, 1, 2, 3, 4, 5].map((n) => delayFor(n, 0, () => 1))).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
    expect([0, 1, 2, 3, 4, 5].map((n) => delayFor(n, 0, () => 0))).toEqual([250, 500, 1000, 2000, 4000, 4000]);
  });

  it("are spread after a hint, by as much as a backoff, and never end before it", () => {
    expect([0, 1, 5].map((n) => delayFor(n, 7, () => 0))).toEqual([7001, 7001, 7001]);
    expect([0, 1, 5].map((n) => delayFor(n, 7, () => 1))).toEqual([7251, 7501, 11_001]);
    expect(delayFor(0, 0.0001, () => 0)).toBe(250);
    expect(delayFor(0, 0.3000001, () => 0)).toBe(302);
  });

  it.each([0, 0.5, 0.999])("fit into a timer after the longest hint that may be followed (random %d)", (random) => {
    const delayMs = delayFor(9, 2_147_483, () => random);
    expect(delayMs).toBeGreaterThan(2_147_483_000);
    expect(delayMs).toBeLessThan(2 ** 31);
  });

  const now = Date.parse("2026-03-02T12:00:00Z");

  it.each([
    ["digits", "120", 120],
    ["nothing", "0", 0],
    ["leading zeros", "0002", 2],
    ["blanks and tabs around", " \t2\t ", 2],
    ["a sign", "+2", 2],
    ["a fraction", "1.5", 1.5],
    ["more digits than a number holds", "9".repeat(400), Number.POSITIVE_INFINITY],
    ["more than a timer takes", "2147483648", 2_147_483_648],
    ["an exponent", "1e3", 1000],
    ["an IMF-fixdate", "Mon, 02 Mar 2026 12:00:30 GMT", 30],
    ["an IMF-fixdate in lower case", "mon, 02 mar 2026 12:00:30 gmt", 30],
    ["an IMF-fixdate in upper case", "MON, 02 MAR 2026 12:00:30 GMT", 30],
    ["an IMF-fixdate with blanks around", "  Mon, 02 Mar 2026 12:00:30 GMT\t", 30],
    ["an IMF-fixdate with a day of one digit", "Mon, 2 Mar 2026 12:00:30 GMT", 30],
    ["an IMF-fixdate with the wrong day name", "Fri, 02 Mar 2026 12:00:30 GMT", 30],
    ["an IMF-fixdate with an offset", "Mon, 02 Mar 2026 13:00:30 +0100", 30],
    ["an IMF-fixdate without its zone", "Mon, 02 Mar 2026 12:00:30", 30],
    ["an RFC 850 date", "Monday, 02-Mar-26 12:00:30 GMT", 30],
    ["an asctime date", "Mon Mar  2 12:00:30 2026", 30],
    ["an asctime date with blanks around", " Mon Mar  2 12:00:30 2026 ", 30],
    ["an ISO date", "2026-03-02T12:00:30Z", 30],
    ["a date that has passed", "Mon, 02 Mar 2026 11:00:00 GMT", 0],
    ["two numbers", "2, 5", 5],
    ["two numbers, the longer one first", "5,2", 5],
    ["a number and a date", "5, Mon, 02 Mar 2026 12:00:30 GMT", 30],
    ["two dates", "Mon, 02 Mar 2026 12:00:30 GMT, Mon, 02 Mar 2026 12:00:10 GMT", 30],
    ["a number and what is none", "soon, 5", 5],
    ["a list that ends in nothing", "5, ", 5],
  ])("reads %s in Retry-After", (_, header, seconds) => {
    expect(parseRetryAfter(header, now)).toBe(seconds);
  });

  it.each([
    "",
    " ",
    ",",
    "-1",
    "-0.5",
    "5s",
    "1_000",
    "soon",
    "NaN",
    "Invalid Date",
    "12:30",
    "Mon, 02 Mar 2026",
    "null",
  ])("reads no wait in a Retry-After of %j", (header) => {
    expect(parseRetryAfter(header, now)).toBeUndefined();
  });

  it("reads a date without a zone as GMT, wherever it runs", () => {
    const zone = process.env.TZ;
    process.env.TZ = "Asia/Tokyo";
    try {
      expect(parseRetryAfter("Mon Mar  2 12:00:30 2026", now)).toBe(30);
      expect(parseRetryAfter("Mon, 02 Mar 2026 12:00:30", now)).toBe(30);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
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

  it("uses the longer of the hints in body and header", () => {
    const headers = new Headers({ "retry-after": "20" });
    expect(retryHint({ retryAfterSecs: 3 }, headers, now)).toBe(20);
    expect(retryHint({ retryAfterSecs: 30 }, headers, now)).toBe(30);
    expect(retryHint({ retryAfterSecs: 30 }, new Headers(), now)).toBe(30);
    expect(retryHint(undefined, headers, now)).toBe(20);
    expect(retryHint({ retryAfterSecs: 0.1 + 0.2 }, new Headers(), now)).toBe(0.1 + 0.2);
  });

  it.each(["Mon, 02 Mar 2026 12:00:10 GMT", "Monday, 02-Mar-26 12:00:10 GMT", "Mon Mar  2 12:00:10 2026"])(
    "measures a date by the server's own clock, sent as %s",
    (date) => {
      const headers = new Headers({ "retry-after": "Mon, 02 Mar 2026 12:00:30 GMT", date });
      expect(retryHint(undefined, headers, 0)).toBe(20);
    },
  );

  it("measures a date by the client's clock where the server's cannot be read", () => {
    const headers = new Headers({ "retry-after": "Mon, 02 Mar 2026 12:00:30 GMT", date: "today" });
    expect(retryHint(undefined, headers, now)).toBe(30);
  });

  it("reads a header with surrounding spaces", () => {
    const headers = { get: (name: string) => (name === "retry-after" ? "2 \t" : null) };
    expect(retryHint(undefined, headers as Headers, now)).toBe(2);
  });

  it("distinguishes a hint of 0 from none, also beside a header", () => {
    expect(retryHint({ retryAfterSecs: 0 }, new Headers(), now)).toBe(0);
    expect(retryHint({ retryAfterSecs: 0 }, new Headers({ "retry-after": "2" }), now)).toBe(2);
    expect(retryHint({ retryAfterSecs: 2 }, new Headers({ "retry-after": "0" }), now)).toBe(2);
    expect(retryHint(null, new Headers(), now)).toBeUndefined();
  });

  it.each([
    ["text", "3", 3],
    ["text with a blank", "3 ", 3],
    // What JSON.parse makes of 1e999.
    ["Infinity", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ["a huge number", 1e308, 1e308],
    ["NaN", Number.NaN, undefined],
    ["a negative number", -5, undefined],
    ["negative text", "-5", undefined],
    ["empty text", "", undefined],
    ["words", "soon", undefined],
    ["null", null, undefined],
    ["true", true, undefined],
    ["a list", [3], undefined],
    ["an object", { seconds: 3 }, undefined],
    ["an object that cannot be text", { toString: null, valueOf: null }, undefined],
  ])("reads meta.retryAfterSecs that is %s, and falls back to the header", (_, retryAfterSecs, seconds) => {
    expect(retryHint({ retryAfterSecs }, new Headers(), now)).toBe(seconds);
    expect(retryHint({ retryAfterSecs }, new Headers({ "retry-after": "1" }), now)).toBe(seconds ?? 1);
  });

  it.each([undefined, null, "soon", 5, [], [{ retryAfterSecs: 5 }], {}])(
    "reads no hint in a meta that is %j",
    (meta) => {
      expect(retryHint(meta, new Headers(), now)).toBeUndefined();
    },
  );
});

describe("the retry budgets", () => {
  const isEmpty = (budget: RetryBudget) => !budget.spend(500, 0);

  it("are those of 10,000 accounts, and of more the one used longest ago begins again", () => {
    const budgets = new RetryBudgets();
    for (const account of ["first", "second", undefined]) budgets.of(account).spend(500, 0);
    for (let account = 4; account <= 10_000; account += 1) budgets.of(String(account));
    budgets.of("first");
    budgets.of("one too many");
    expect([isEmpty(budgets.of("first")), isEmpty(budgets.of(undefined)), isEmpty(budgets.of("second"))]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("the retry budget", () => {
  const hourMs = 3_600_000;
  /** How many retries that fail it allows at a time. */
  const spent = (budget: RetryBudget, now = 0): number => {
    let retries = 0;
    while (budget.spend(retryCost, now)) retries += 1;
    return retries;
  };

  it("allows a hundred retries that fail, and one more for every five successes", () => {
    const budget = new RetryBudget();
    expect(spent(budget)).toBe(100);
    for (let successes = 0; successes < 14; successes += 1) budget.refill(0);
    expect(spent(budget)).toBe(2);
    budget.refill(0);
    expect(spent(budget)).toBe(1);
  });

  it("gets back what a retry cost that succeeds", () => {
    const budget = new RetryBudget();
    expect(spent(budget)).toBe(100);
    budget.refill(retryCost);
    expect(spent(budget)).toBe(1);
  });

  it("allows any number of retries that cost nothing, also when it is empty", () => {
    const budget = new RetryBudget();
    for (let retries = 0; retries < 1000; retries += 1) expect(budget.spend(0, 0)).toBe(true);
    expect(spent(budget)).toBe(100);
    expect(budget.spend(0, 0)).toBe(true);
  });

  it("allows ten more retries an hour, and all after ten hours", () => {
    const budget = new RetryBudget();
    expect(spent(budget)).toBe(100);
    expect(spent(budget, hourMs)).toBe(10);
    expect(spent(budget, 11 * hourMs)).toBe(100);
  });

  it("never holds more than at the start", () => {
    const budget = new RetryBudget();
    for (let successes = 0; successes < 1000; successes += 1) budget.refill(retryCost);
    expect(spent(budget, 1000 * hourMs)).toBe(100);
  });

  it("loses nothing when a clock goes back, and fills on from there", () => {
    const budget = new RetryBudget();
    expect(spent(budget, 9 * hourMs)).toBe(100);
    expect(spent(budget, 8 * hourMs)).toBe(0);
    expect(spent(budget, 9 * hourMs)).toBe(10);
  });
});
