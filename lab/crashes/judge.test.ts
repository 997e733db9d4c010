import { describe, expect, it } from "vitest";
import type { Entry, ProcessEntry } from "./entries.ts";
import type { Life } from "./fleet.ts";
import { judge, type RunHistory } from "./judge.ts";
import { type EventPlan, planActs, planEvents } from "./plan.ts";
import type { Delivery } from "./sender.ts";

const leaseMs = 600;

const event: EventPlan = {
  body: {
    type: "transfer.offer",
    id: "evt_1",
    destinationId: "dest_1",
    decideMs: 5,
    decision: "accept",
    failureRate: 0,
    answerLength: 3,
  },
  copies: [
    { when: "first", delayMs: 0, receiver: 0, ageSecs: 0 },
    { when: "last", delayMs: 0, receiver: 1, ageSecs: 0 },
  ],
};

/** An answered copy. */
const delivery = (handling: string, changes: Partial<Delivery> = {}): Delivery => ({
  event: "evt_1",
  when: "first",
  attempts: [],
  answer: {
    status: 200,
    contentType: "application/json",
    body: JSON.stringify({ event: "evt_1", handling, reason: "taken" }),
    handledHere: true,
  },
  ...changes,
});

/** A step of the owner of a process, which takes a millisecond. */
function step(process: string, action: Entry["action"], atMs: number, result?: string, tookMs = 1): ProcessEntry {
  const handling = action === "start" || action === "end" ? `${process}#1` : undefined;
  return {
    process,
    action,
    event: "evt_1",
    owner: `owner of ${process}`,
    handling,
    fromMs: atMs - tookMs,
    atMs,
    result,
  };
}

/** A handling from its claim to its stored answer. */
const handled = (process: string, fromMs: number): ProcessEntry[] => [
  step(process, "claim", fromMs, "claimed"),
  step(process, "start", fromMs),
  step(process, "end", fromMs + 5, "answered"),
  step(process, "complete", fromMs + 10, "stored"),
  step(process, "respond", fromMs + 11, "200"),
];
/** The steps of a handling before its end. */
const begun = (process: string, fromMs: number) => handled(process, fromMs).slice(0, 2);

const life = (name: string, changes: Partial<Life> = {}): Life => ({ name, stops: [], ...changes });

/** Judges a run with one event. Both copies got the answer of a handling. */
function judged(entries: readonly ProcessEntry[], changes: Partial<RunHistory> & { answerOf?: string } = {}) {
  const { answerOf = "a#1", ...rest } = changes;
  const deliveries = [delivery(answerOf), delivery(answerOf)];
  const lives = [life("a"), life("b")];
  return judge({ events: [event], deliveries, entries, lives, leaseMs, storeTimeoutMs: 1000, ...rest });
}
const messages = (...words: Parameters<typeof judged>) => judged(...words).findings.map(({ message }) => message);
const again = (...words: Parameters<typeof judged>) => Object.fromEntries(judged(...words).startedAgain);

describe("the verdict on a run", () => {
  it("finds nothing where each event was handled once", () => {
    expect(judged(handled("a", 1000))).toMatchObject({ findings: [], startedAgain: new Map(), eventsStartedAgain: 0 });
  });

  it("finds a delivery without a final answer", () => {
    const deliveries = [delivery("a#1"), delivery("a#1", { answer: undefined })];
    expect(messages(handled("a", 1000), { deliveries })).toEqual(["1 of 2 deliveries got no final answer."]);
  });

  it("finds a delivery that was never made", () => {
    expect(messages(handled("a", 1000), { deliveries: [delivery("a#1")] })).toEqual(["1 were not delivered."]);
  });

  it("lets what a killed process had sent reach a slow store after its death", () => {
    const lives = [life("a", { killedMs: 1005 }), life("b")];
    const busyAt = (fromMs: number) => [
      ...begun("a", 1000),
      step("b", "claim", fromMs, "in_progress"),
      ...handled("b", 9000),
    ];
    expect(messages(busyAt(1005 + 1000 + leaseMs), { lives, answerOf: "b#1" })).toEqual([]);
    expect(messages(busyAt(1005 + 1000 + leaseMs + 50), { lives, answerOf: "b#1" })).toEqual([
      "A claim of process b found it busy, but no owner had it any more.",
    ]);
  });

  it("lets a claim whose answer was lost have taken the event", () => {
    const lost = [step("a", "claim", 1000, "error"), ...handled("a", 1001).slice(1)];
    const extendedAt = (fromMs: number) => [...lost, step("a", "claim", fromMs, "in_progress", 5)];
    expect(messages(extendedAt(1015))).toEqual([]);
    expect(messages(extendedAt(1050))).toEqual(["A claim of process a found it busy, but no owner had it any more."]);
  });

  it("lets an extension that arrives after a refused completion take the event", () => {
    const late = [...begun("a", 1000), step("a", "complete", 1020, "refused"), step("a", "claim", 1025, "claimed", 20)];
    const busyAt = (fromMs: number) => [...late, step("b", "claim", fromMs, "in_progress")];
    expect(messages(busyAt(1025 + leaseMs))).not.toContain(
      "A claim of process b found it busy, but no owner had it any more.",
    );
    expect(messages(busyAt(1025 + leaseMs + 50))).toContain(
      "A claim of process b found it busy, but no owner had it any more.",
    );
  });

  it("lets a claim that the client sent again have taken the event the first time", () => {
    const again = step("b", "claim", 3000, "completed", 2000);
    const busy = step("a", "claim", 1010, "in_progress", 5);
    expect(messages([again, busy, ...handled("a", 2600)])).toEqual([]);
    expect(messages([{ ...again, atMs: 1001 }, busy, ...handled("a", 2600)])).toEqual([
      "A claim of process a found it busy, but no owner had it any more.",
    ]);
  });

  it("finds two answers to one event", () => {
    const deliveries = [delivery("a#1"), delivery("b#1")];
    const entries = [...handled("a", 1000), ...begun("b", 1700)];
    const lives = [life("a"), life("b", { killedMs: 1800 })];
    const [found] = messages(entries, { deliveries, lives });
    expect(found).toMatch(/^It got 2 answers: .*a#1.* and .*b#1/);
  });

  it("finds the answer of another event", () => {
    expect(messages(handled("a", 1000), { answerOf: "c#1" })).toEqual([
      expect.stringMatching(/^Its answer is not of one of its handlings/),
    ]);
  });

  it("counts an answer that differs because the store failed to keep it", () => {
    const deliveries = [delivery("a#1"), delivery("b#1")];
    const failed = [...begun("b", 1700), step("b", "complete", 1710, "error")];
    const entries = [...failed, ...handled("a", 3000)];
    expect(judged(entries, { deliveries })).toMatchObject({ findings: [], answersNotKept: 1 });
  });

  it("finds an answer that was never stored", () => {
    const entries = handled("a", 1000).filter(({ action }) => action !== "complete");
    expect(messages(entries)).toEqual(["Its answer was never stored."]);
  });

  it("finds two completions", () => {
    const entries = [...handled("a", 1000), ...handled("b", 3000)];
    expect(messages(entries)).toEqual(["It was completed 2 times.", "b#1 started after a#1, which was completed."]);
  });

  it("finds that an event was taken while a lease ran", () => {
    const entries = [...begun("a", 1000), ...handled("b", 1300)];
    expect(messages(entries, { answerOf: "b#1" })).toEqual(["b#1 started after a#1, whose lease still ran."]);
  });

  it("finds a second start without a cause", () => {
    const entries = [...begun("a", 1000), ...handled("b", 1700)];
    expect(messages(entries, { answerOf: "b#1" })).toEqual(["b#1 started after a#1, which nothing had interrupted."]);
  });

  it("finds an event that stays busy after its handling has failed", () => {
    const failed = [
      ...begun("a", 1000),
      step("a", "end", 1005, "failed"),
      step("a", "release", 1006, "released"),
      step("a", "respond", 1007, "500"),
    ];
    const busy = step("b", "claim", 1100, "in_progress");
    expect(messages([...failed, busy, ...handled("b", 1700)], { answerOf: "b#1" })).toEqual([
      "A claim of process b found it busy, but no owner had it any more.",
    ]);
  });
});

describe("an event that is busy", () => {
  const entries = [step("b", "claim", 1100, "in_progress"), ...handled("b", 1700)];
  const attempt = { receiver: 0, fromMs: 1000, atMs: 1150, status: undefined };
  const deliveries = [delivery("b#1", { attempts: [attempt] }), delivery("b#1")];

  it("may be a killed process's that wrote nothing down", () => {
    const lives = [life("a", { killedMs: 1150 }), life("b")];
    expect(messages(entries, { lives, deliveries })).toEqual([]);
  });

  it("is not a process's that never got it", () => {
    const lives = [life("a", { killedMs: 1150 }), life("b")];
    const expected = ["A claim of process b found it busy, but no owner had it any more."];
    expect(messages(entries, { lives, answerOf: "b#1" })).toEqual(expected);
    expect(messages(entries, { deliveries })).toEqual(expected);
  });
});

describe("the cause of a second start", () => {
  const taken = [...begun("a", 1000), ...handled("b", 1700)];

  it("is the end of the process", () => {
    const lives = [life("a", { killedMs: 1050 }), life("b")];
    expect(again(taken, { lives, answerOf: "b#1" })).toEqual({ "the process was killed": 1 });
  });

  it("is a stop, also if the handling starts only after the other one", () => {
    const lives = [life("a", { stops: [{ fromMs: 1001, toMs: 1800 }] }), life("b")];
    expect(again(taken, { lives, answerOf: "b#1" })).toEqual({ "the process was stopped": 1 });
    const [claim, start] = begun("a", 1000) as [ProcessEntry, ProcessEntry];
    const late = [claim, ...handled("b", 1700), { ...start, fromMs: 1801, atMs: 1801 }];
    expect(again(late, { lives, answerOf: "b#1" })).toEqual({ "the process was stopped": 1 });
  });

  it("is not a stop that was too short to lose the lease", () => {
    const lives = [life("a", { stops: [{ fromMs: 1001, toMs: 1050 }] }), life("b")];
    expect(again(taken, { lives, answerOf: "b#1" })).toEqual({});
  });

  it("is a stall of the machine", () => {
    const stall: ProcessEntry = { process: "a", action: "stall", event: "", fromMs: 1001, atMs: 1650 };
    expect(again([...taken, stall], { answerOf: "b#1" })).toEqual({ "the machine did not run the process": 1 });
  });

  it("is a failed handling", () => {
    const failed = [...begun("a", 1000), step("a", "end", 1005, "failed"), step("a", "release", 1006, "released")];
    expect(again([...failed, ...handled("b", 1010)], { answerOf: "b#1" })).toEqual({ "the handling failed": 1 });
  });

  it("is a failed handling too where the claims were under way at the same time", () => {
    const slow = handled("b", 1010).map((entry) => (entry.action === "claim" ? { ...entry, fromMs: 990 } : entry));
    const failed = [...begun("a", 1000), step("a", "end", 1005, "failed"), step("a", "release", 1006, "released")];
    expect(judged([...failed, ...slow], { answerOf: "b#1" })).toMatchObject({ findings: [] });
    expect(again([...failed, ...slow], { answerOf: "b#1" })).toEqual({ "the handling failed": 1 });
  });

  it("is a store that failed", () => {
    const unclaimed = handled("b", 1010).filter(({ action }) => action !== "claim");
    const entries = [...begun("a", 1000), step("b", "claim", 1009, "error"), ...unclaimed];
    expect(again(entries, { answerOf: "b#1" })).toEqual({ "the store failed or was late": 1 });
  });
});

describe("the plan of a run", () => {
  const options = { seed: 7, deliveries: 500, receivers: 2, leaseMs, slowRate: 0.1, pauseMs: 500, restartsStore: true };
  const actsOf = (seed: number) => {
    const acts = planActs({ ...options, seed });
    return Array.from({ length: 20 }, () => acts.next().value);
  };

  it("follows from the seed", () => {
    expect(planEvents(options)).toEqual(planEvents(options));
    expect(planEvents(options)).not.toEqual(planEvents({ ...options, seed: 8 }));
    expect(actsOf(7)).toEqual(actsOf(7));
    expect(actsOf(7)).not.toEqual(actsOf(8));
  });

  it("has as many copies as deliveries are asked for", () => {
    expect(planEvents(options).flatMap(({ copies }) => copies)).toHaveLength(500);
  });
});
