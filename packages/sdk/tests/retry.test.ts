import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RetryBudget, RetryBudgets, retryCost } from "../src/options/retry-budget.ts";
import { combine, effectOf } from "../src/send/result.ts";
import { delayFor, parseRetryAfter, retryHint } from "../src/send/retry.ts";

fc.configureGlobal({ seed: 1 });

describe("outcomes", () => {
  it.each([
    ["application/vnd.company.v1+json", "applied"],
    ["application/jsonp", "unknown"],
    ["application/x-json", "unknown"],
    ["application/+json", "unknown"],
    ["application/text/json", "unknown"],
  ])("of a success of the type %s is %s", (type, outcome) => {
    expect(effectOf(new Response("{}", { headers: { "content-type": type } }))).toBe(outcome);
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

  it.each([
    // What JSON.parse makes of 1e999.
    ["Infinity", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ["a huge number", 1e308, 1e308],
    ["an object that cannot be text", { toString: null, valueOf: null }, undefined],
  ])("reads meta.retryAfterSecs that is %s, and falls back to the header", (_, retryAfterSecs, seconds) => {
    expect(retryHint({ retryAfterSecs }, new Headers(), now)).toBe(seconds);
    expect(retryHint({ retryAfterSecs }, new Headers({ "retry-after": "1" }), now)).toBe(seconds ?? 1);
  });
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

  it("gets back what a retry cost that succeeds", () => {
    const budget = new RetryBudget();
    expect(spent(budget)).toBe(100);
    budget.refill(retryCost);
    expect(spent(budget)).toBe(1);
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
