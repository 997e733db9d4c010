import { describe, expect, test } from "vitest";
import type { Ring, StateRecord, Transfer } from "../src/data/control.ts";
import {
  availabilityWords,
  barsOf,
  callRows,
  marksOf,
  outcomeOf,
  resultOf,
  ringKind,
  ringName,
  spanOf,
} from "../src/data/transfers.ts";
import { ticksOf } from "../src/parts/timeline.tsx";

const start = Date.parse("2026-03-02T10:00:00Z");
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const names = new Map([
  ["olivia", "Olivia Owner"],
  ["desk", "Front desk"],
  ["group", "Night shift"],
]);
const nameOf = (id: string) => names.get(id) ?? id;

function ring(changes: Partial<Ring> = {}): Ring {
  return { destinationId: "desk", kind: "phone", startedAt: at(0), endsAt: at(30), outcome: "ringing", ...changes };
}

function transfer(changes: Partial<Transfer> = {}): Transfer {
  return {
    id: "t",
    accountId: "account",
    groupId: "group",
    status: "ringing",
    startedAt: at(0),
    rings: [ring()],
    ...changes,
  };
}

const member = ring({ memberId: "olivia", kind: "available_humans", outcome: "answered", endsAt: at(7) });
const answered = transfer({
  status: "connected",
  answeredBy: { destinationId: "desk", memberId: "olivia" },
  answeredAt: at(7),
  rings: [member, ring({ destinationId: "other", outcome: "taken", endsAt: at(7) })],
});

describe("outcomes", () => {
  test.each<[Partial<Ring>, string, string]>([
    [{ outcome: "ringing" }, "info", "Rings, 25 s left"],
    [{ outcome: "missed" }, "bad", "Missed after 30 s"],
    [
      { outcome: "declined", endsAt: at(3), reason: "the app answered 503" },
      "warn",
      "Declined after 3 s: the app answered 503",
    ],
    [{ outcome: "declined", endsAt: at(3) }, "warn", "Declined after 3 s"],
    [{ outcome: "skipped", endsAt: at(0), reason: "the member is away" }, "idle", "Did not ring: the member is away"],
    [{ outcome: "abandoned", endsAt: at(9) }, "warn", "Stopped after 9 s: the caller hung up"],
    [{ outcome: "busy", endsAt: at(9) }, "idle", "Stopped after 9 s: answered another transfer"],
  ])("%o is %s: %s", (changes, tone, text) => {
    expect(outcomeOf(transfer(), ring(changes), nameOf, start + 5000)).toEqual({ tone, text });
  });

  test("a ring that someone else answered names who answered", () => {
    const [, other] = answered.rings;
    expect(other && outcomeOf(answered, other, nameOf, start).text).toBe("Stopped after 7 s: Olivia Owner answered");
  });

  test("the seconds left are rounded up", () => {
    expect(outcomeOf(transfer(), ring(), nameOf, start + 29_500).text).toBe("Rings, 1 s left");
  });
});

test("a member's ring has the member's name, and the destination through which it rings", () => {
  expect([ringName(member, nameOf), ringKind(member, nameOf)]).toEqual(["Olivia Owner", "via Front desk"]);
  expect([ringName(ring(), nameOf), ringKind(ring(), nameOf)]).toEqual(["Front desk", "Phone"]);
});

test.each<[Transfer, string]>([
  [transfer(), "1 of 1 ringing, 20 s left"],
  [answered, "Olivia Owner, for 3 s"],
  [transfer({ status: "unanswered", endedAt: at(30), rings: [ring({ outcome: "missed" })] }), "After 30 s"],
  [transfer({ status: "unanswered", endedAt: at(0), rings: [ring({ outcome: "skipped" })] }), "Nothing rang"],
])("the list says what became of a transfer (%#)", (shown, text) => {
  expect(resultOf(shown, nameOf, start + 10_000)).toBe(text);
});

describe("the span of a time line", () => {
  test("reaches to the planned end, also after an early answer", () => {
    expect(spanOf(answered, 45, [])).toEqual({ from: start, to: start + 45_000 });
  });

  test("includes the call", () => {
    expect(spanOf({ ...answered, status: "ended", endedAt: at(67) }, 45, []).to).toBe(start + 67_000);
    const end = { at: at(67), kind: "transfer.call_ends", id: "t" };
    expect(spanOf(answered, 45, [end]).to).toBe(start + 67_000);
  });

  test("leaves out the end of a call that is more than three times as long as the ringing", () => {
    expect(spanOf({ ...answered, status: "ended", endedAt: at(136) }, 45, []).to).toBe(start + 45_000);
  });
});

test("who answered has a bar for the ringing and a thin one for the call", () => {
  const words = outcomeOf(answered, member, nameOf, start);
  const ended: Transfer = { ...answered, status: "ended", endedAt: at(67) };
  expect(barsOf(ended, member, words, spanOf(ended, 45, []), [])).toEqual([
    { from: start, to: start + 7000, tone: "ok", label: "Answered after 7 s", isSaid: true },
    {
      from: start + 7000,
      to: start + 67_000,
      tone: "ok",
      label: "In the call for 1 m, until 10:01:07",
      isThin: true,
    },
  ]);
});

test("late answers are marks with their code, and the script's answers of this ring are planned marks", () => {
  const late = ring({ outcome: "missed", lateAnswers: [{ at: at(31), code: "offer_expired" }] });
  const timers = [
    { at: at(12), kind: "transfer.answers", id: "t", ringIndex: 1 },
    { at: at(13), kind: "transfer.answers", id: "t", ringIndex: 0 },
    { at: at(14), kind: "transfer.answers", id: "another", ringIndex: 1 },
    { at: at(30), kind: "transfer.ring_ends", id: "t", ringIndex: 1 },
  ];
  expect(marksOf(transfer(), late, 1, timers)).toEqual([
    { at: start + 31_000, tone: "bad", label: "Late answer at 10:00:31: offer_expired" },
    { at: start + 12_000, tone: "ok", label: "Will answer at 10:00:12", isPlanned: true },
  ]);
});

describe("a time line", () => {
  test("has at most six ticks, at round durations", () => {
    expect(ticksOf({ from: 0, to: 45_000 }).map(({ text }) => text)).toEqual(["0 s", "10 s", "20 s", "30 s", "40 s"]);
    expect(ticksOf({ from: 0, to: 86_400_000 }).map(({ text }) => text)).toEqual(["0 s", "6 h", "12 h", "18 h", "1 d"]);
  });
});

describe("the list of calls", () => {
  const call: StateRecord = {
    id: "c",
    accountId: "account",
    direction: "outbound",
    status: "in_progress",
    createdAt: at(5),
    request: { toNumber: "+15550200001", fromNumber: "+15550100001" },
  };

  test("has calls and transfers without a call, newest first, with the time that is left", () => {
    const timers = [{ at: at(65), kind: "call.ends", id: "c" }];
    const rows = callRows([call], [transfer()], timers, nameOf);
    expect(rows.map(({ id, to, from, endsAt }) => [id, to, from, endsAt])).toEqual([
      ["c", "+15550200001", "+15550100001", start + 65_000],
      ["t", "Night shift", "", start + 30_000],
    ]);
  });

  test("shows the transfer of a call in the row of the call", () => {
    const rows = callRows([call], [transfer({ callId: "c" })], [], nameOf);
    expect(rows.map(({ id, transfer: shown }) => [id, shown?.id])).toEqual([["c", "t"]]);
  });
});

test.each([
  [{ busy: true }, "Busy", "in a call"],
  [{ status: "away", reason: "missed_calls" }, "Away", "after missed calls"],
  [{ status: "offline" }, "Offline", ""],
  [{ insideHours: false }, "Outside hours", ""],
  [{}, "Available", ""],
])("a member with %o is shown as %s", (changes, text, detail) => {
  const available = {
    memberId: "olivia",
    userId: "user",
    name: "Olivia Owner",
    accountId: "account",
    role: "owner",
    status: "available",
    busy: false,
    source: null,
    reason: null,
    until: null,
    updatedAt: null,
    insideHours: true,
    missedCalls: 0,
    ringable: true,
  } as const;
  expect(availabilityWords({ ...available, ...changes })).toMatchObject({ text, detail });
});
