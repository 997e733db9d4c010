// The period in which a lost request may have been carried out, at its limits (§8.3). Times are milliseconds.
import { describe, expect, it } from "vitest";
import { isOtherStart, type WindowFacts, windowOf } from "../src/options/clock.ts";

/** A moment by clocks that agree. */
const at = (elapsed: number, now = elapsed) => ({ now, elapsed });
/** An answer that shows `date` by the server's clock. */
const answer = (elapsed: number, date: number) => ({ ...at(elapsed), date });

const windowFrom = ({ begun = at(0), ended = begun, before, newest = before }: Partial<WindowFacts>) => {
  const { start, end, byServerClock } = windowOf({ begun, ended, before, newest });
  return [Date.parse(start), Date.parse(end), byServerClock];
};

describe("the window of a lost request", () => {
  it("by a clock of the caller that was set back holds both times of its beginning and end", () => {
    const begun = at(0, 9_000_000);
    expect(windowFrom({ begun, ended: at(5000, 2_000_000) })).toEqual([1_695_000, 9_305_000, false]);
  });

  it("by the server's clock lasts as long as the request", () => {
    const before = answer(0, 1_000_000);
    expect(windowFrom({ before, begun: at(10_000), ended: at(70_000) })).toEqual([1_005_000, 1_075_000, true]);
  });

  it("by the server's clock begins at the earlier of two times if the caller's clocks disagree", () => {
    expect(windowFrom({ before: answer(0, 1_000_000), begun: at(10_000, 20_000) })[0]).toBe(1_005_000);
  });

  it.each([
    ["5 s slower", 15_000, 1_005_000],
    ["more than 5 s slower", 14_999, 1_000_000],
    ["5 s faster", 25_000, 1_010_000],
    ["more than 5 s faster", 25_001, 1_000_000],
  ])("begins by a server's clock that went on %s than the caller's", (_, passedMs, start) => {
    const before = answer(0, 1_000_000);
    const newest = answer(20_000, 1_000_000 + passedMs);
    expect(windowFrom({ before, begun: at(10_000), newest })[0]).toBe(start - 5000);
  });
});

it.each([
  [-1, true],
  [0, false],
  [300_000, false],
  [300_001, true],
])("a list that was read from %i ms before a window is another's: %s", (extraMs, isOther) => {
  const window = { start: new Date(1_000_000 + extraMs).toISOString(), end: "", byServerClock: true };
  expect(isOtherStart(new Date(1_000_000).toISOString(), window)).toBe(isOther);
});
