import { describe, expect, test } from "vitest";
import {
  happening,
  happeningDetail,
  nearness,
  nearTicks,
  parseDuration,
  timerKind,
  timerName,
  timersSpan,
  withTokens,
} from "../src/screens/clock/timers.ts";

const now = Date.parse("2026-03-02T10:00:00Z");
const timerIn = (ms: number) => ({ at: new Date(now + ms).toISOString(), kind: "call.ends" });
const hour = 3_600_000;
const nameOf = (id: string) => `name of ${id}`;

test.each([
  ["90", 90_000],
  ["90s", 90_000],
  ["1h 30m", 5_400_000],
  ["1h30m", 5_400_000],
  [" 2D ", 172_800_000],
  ["1.5s", 1500],
  ["250ms", 250],
  ["", undefined],
  ["soon", undefined],
  ["-5s", undefined],
  ["5 weeks", undefined],
])("the duration %o is %o ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

describe("the tokens of the page", () => {
  test("stand among the timers by their end, with their role", () => {
    const all = withTokens([timerIn(5000), timerIn(hour)], [{ caller: "agent", at: now + 60_000 }]);
    expect(all.map(({ at }) => Date.parse(at) - now)).toEqual([5000, 60_000, hour]);
    expect(all.slice(1, 2).map((timer) => timerName(timer, String))).toEqual(["of this page, role agent"]);
  });
});

describe("the line of timers", () => {
  test("reaches to the last timer, rounded up, between a minute and a week", () => {
    expect(timersSpan(now, []).to - now).toBe(60_000);
    expect(timersSpan(now, [timerIn(5000), timerIn(2 * hour)]).to - now).toBe(6 * hour);
    expect(timersSpan(now, [timerIn(9000 * hour)]).to - now).toBe(168 * hour);
  });

  test("gives the near future more room, in order, and stays within the line", () => {
    const span = { from: now, to: now + 24 * hour };
    const places = [0, 10_000, 60_000, hour, 24 * hour].map((ms) => nearness(span, now + ms));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect([places[0], places.at(-1)]).toEqual([0, 1]);
    expect(places[2]).toBeGreaterThan(60_000 / (24 * hour));
    expect([nearness(span, now - hour), nearness(span, now + 99 * hour)]).toEqual([0, 1]);
  });

  test("has ticks at round distances from now", () => {
    expect(nearTicks({ from: now, to: now + 6 * hour }).map(({ text }) => text)).toEqual([
      "now",
      "10 s",
      "1 m",
      "10 m",
      "1 h",
      "6 h",
    ]);
  });
});

test("a timer has a kind in words and the name of its member, otherwise of its destination or record", () => {
  const timer = { at: timerIn(0).at, kind: "transfer.ring_ends", id: "t", destinationId: "d", memberId: "m" };
  expect(timerKind(timer).text).toBe("Ring ends");
  expect(timerName(timer, nameOf)).toBe("name of m");
  expect(timerName({ at: timer.at, kind: "call.ends", id: "c" }, nameOf)).toBe("name of c");
});

test("an unknown kind is shown as it is", () => {
  expect([timerKind({ kind: "new.kind" }).text, happening({ type: "new.type" }).text]).toEqual([
    "new.kind",
    "new.type",
  ]);
});

test("an event on the way says whom it is about, its outcome and its reason", () => {
  const about = { eventId: "e-1", at: timerIn(0).at };
  const ended = {
    ...about,
    type: "transfer.ring_ended",
    id: "t",
    destinationId: "d",
    outcome: "declined",
    reason: "no answer",
  };
  expect(happeningDetail(ended, nameOf)).toBe("name of d · declined · no answer");
  expect(happeningDetail({ ...about, type: "transfer.ended", id: "t" }, nameOf)).toBe("");
  const away = { ...about, type: "member.availability_changed", id: "m", status: "away", reason: "missed_calls" };
  expect(happeningDetail(away, nameOf)).toBe("name of m · away · missed_calls");
});
