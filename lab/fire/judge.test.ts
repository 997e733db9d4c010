// Each rule of the judges finds what it is for. `npm run lab -- fire` plants mistakes in the processes themselves.
import type { TransferRecord } from "@call-transfer/backend";
import { signWebhook } from "@call-transfer/sdk/webhooks";
import { describe, expect, it } from "vitest";
import * as data from "./data/judge.ts";
import { endsOf, sandboxes } from "./data/plan.ts";
import type { Entry, Life, ProcessEntry } from "./receivers/history.ts";
import { judgeInbox, judgeOutage, judgeStore, type RunHistory } from "./receivers/judge.ts";
import { type EventPlan, planActs, planEvents } from "./receivers/plan.ts";

describe("the judge of data", () => {
  const found = (
    before: readonly (readonly [string, string])[],
    now: readonly (readonly [string, string])[],
    ...open: readonly data.OpenWrite[]
  ) => data.judgeRegisters(new Map(before), new Map(now), open);
  const one = { register: "call 1", fits: (value: string | undefined) => value !== undefined };

  it("finds what is lost, changed, there twice, or there although nobody wrote it", () => {
    expect(found([["call 1", "a"]], [["call 1", "a"]])).toEqual([]);
    expect(found([["call 1", "a"]], [])).toEqual(["The call 1 is lost. It was acknowledged as a."]);
    expect(found([["call 1", "a"]], [["call 1", "a and b"]])[0]).toContain("is a and b, but was acknowledged as a");
    expect(found([], [["call 1", "a"]])[0]).toContain("no client wrote it");
  });

  it("lets a write without an answer be there or not, but only what it writes, and once", () => {
    expect(found([], [["call 1", "a"]], one)).toEqual([]);
    expect(found([], [], one)).toEqual([]);
    expect(found([], [["call 2", "a"]], one)).toHaveLength(1);
    expect(
      found([["hours", "9"]], [["hours", "8"]], { register: "hours", fits: (value) => value === "7" }),
    ).toHaveLength(1);
    const named = { ...one, register: "transfer " };
    expect(
      found(
        [],
        [
          ["transfer 1", "a"],
          ["transfer 2", "b"],
        ],
        named,
      ),
    ).toHaveLength(1);
    expect(found([], [], { ...one, isApplied: true })).toEqual(["The call 1 was carried out, but is not there."]);
  });

  it("holds a write of unknown outcome to what the first check found", () => {
    const expected = new Map([["call 1", "a"]]);
    data.judgeRegisters(expected, new Map(), [{ register: "call 1", fits: () => true }]);
    expect(data.judgeRegisters(expected, new Map([["call 1", "a"]]), [])).toHaveLength(1);
  });

  const ring = {
    kind: "app",
    startedAt: 0,
    endsAt: 0,
    outcome: "ringing",
    destinationId: "d",
    deliveryId: "e",
    lateAnswers: [],
  };
  const transfer = (more: object = {}) =>
    ({
      id: "t",
      accountId: "a",
      status: "ringing",
      startedAt: 0,
      answers: [],
      rings: [{ ...ring, ...more }],
    }) as unknown as TransferRecord;
  const offer = (more: object = {}) => ({
    ...{ destinationId: "d", header: "" },
    body: JSON.stringify({ type: "transfer.offer", id: "e", transferId: "t", destinationId: "d", ...more }),
  });

  it.each([
    ["was not delivered", [], [transfer()]],
    ["but the state has undefined for it", [offer()], []],
    ["but the state has t at d for it", [offer({ transferId: "u" })], [transfer()]],
    ["with another body", [offer(), offer({ caller: "+1" })], [transfer()]],
    ["but came to x", [{ ...offer(), destinationId: "x" }], [transfer()]],
  ])("finds an offer that %s", (message, offers, transfers) => {
    expect(data.judgeOffers(offers, transfers).join()).toContain(message);
    expect(data.judgeOffers([offer(), offer()], [transfer()])).toEqual([]);
  });

  it("finds a wrong signature, outcome, request id, state, and what is under way for ever", async () => {
    const signed = { ...offer(), header: await signWebhook(offer().body, { secret: "one" }) };
    expect(await data.judgeSignatures([signed], new Map([["d", ["one", "two"]]]))).toEqual([]);
    expect(await data.judgeSignatures([signed], new Map([["d", ["two"]]]))).toHaveLength(1);
    expect(data.judgeReactions([transfer({ outcome: "answered" })], () => "accept")).toEqual([]);
    expect(data.judgeReactions([transfer({ outcome: "answered" })], () => "decline")).toHaveLength(1);
    expect(data.judgeRequestIds(new Map([["one", ["a", "b", "a"]]]))).toHaveLength(1);
    expect(data.judgeSnapshot({ version: 1 } as unknown as Parameters<typeof data.judgeSnapshot>[0])).toHaveLength(1);
    const call = { id: "c", accountId: "a", status: "queued", request: { toNumber: "+1" } };
    expect(data.judgeRest([call], [transfer()])).toHaveLength(2);
  });
});

const leaseMs = 600;
const event: EventPlan = {
  body: {
    ...{ type: "transfer.offer", id: "evt", destinationId: "d", decideMs: 5 },
    ...{ decision: "accept", failureRate: 0, answerLength: 3 },
  },
  copies: [
    { when: "first", delayMs: 0, receiver: 0, ageSecs: 0 },
    { when: "last", delayMs: 0, receiver: 1, ageSecs: 0 },
  ],
};
const delivery = (handling: string, receiver = 0) => ({
  ...{ event: "evt", when: "first" as const, attempts: [{ receiver, status: 200 }] },
  answer: {
    status: 200,
    contentType: "application/json",
    handledHere: true,
    body: JSON.stringify({ event: "evt", handling }),
  },
});

/** A step of the owner of a process, which takes a millisecond. */
function step(process: string, action: Entry["action"], atMs: number, result?: string): ProcessEntry {
  const handling = action === "start" || action === "end" ? `${process}#1` : undefined;
  return { process, action, event: "evt", owner: `owner of ${process}`, handling, fromMs: atMs - 1, atMs, result };
}
/** A handling from its claim to its stored answer. */
const handled = (process: string, fromMs: number): ProcessEntry[] => [
  step(process, "claim", fromMs, "claimed"),
  step(process, "start", fromMs),
  step(process, "end", fromMs + 5, "answered"),
  step(process, "complete", fromMs + 10, "stored"),
];
/** The steps of a handling before its end. */
const begun = (process: string, fromMs: number) => handled(process, fromMs).slice(0, 2);
const life = (name: string, more: Partial<Life> = {}): Life => ({ name, stops: [], ...more });

/** A run with one event, of which both copies got the answer of a handling. */
const historyOf = (entries: readonly ProcessEntry[], answerOf = "a#1", more: Partial<RunHistory> = {}): RunHistory => ({
  ...{ events: [event], deliveries: [delivery(answerOf), delivery(answerOf)], entries },
  ...{ lives: [life("a"), life("b")], leaseMs, storeTimeoutMs: 1000, ...more },
});
const messages = (...words: Parameters<typeof historyOf>) =>
  judgeStore(historyOf(...words)).findings.map(({ message }) => message);
const causes = (...words: Parameters<typeof historyOf>) => {
  const { findings, startedAgain } = judgeStore(historyOf(...words));
  return findings.length > 0 ? findings : [...startedAgain.keys()];
};

describe("the judge of receivers", () => {
  const taken = [...begun("a", 1000), ...handled("b", 1700)];

  it.each([
    ["a lost delivery", handled("a", 1000), "a#1", { deliveries: [delivery("a#1")] }, "1 of 2 deliveries got no"],
    [
      "two answers",
      [...handled("a", 1000), ...begun("b", 1700)],
      "a#1",
      { deliveries: [delivery("a#1"), delivery("b#1")] },
      "It got 2 answers",
    ],
    ["the answer of nothing", handled("a", 1000), "c#1", {}, "not of one of its handlings"],
    ["an answer that was never stored", begun("a", 1000), "a#1", {}, "never stored"],
    ["two completions", [...handled("a", 1000), ...handled("b", 3000)], "a#1", {}, "It was completed 2 times."],
    ["a lease that still ran", [...begun("a", 1000), ...handled("b", 1300)], "b#1", {}, "whose lease still ran"],
    ["a second start without a cause", taken, "b#1", {}, "which nothing had interrupted"],
  ] satisfies [string, ProcessEntry[], string, Partial<RunHistory>, string][])(
    "finds %s",
    (_, entries, answerOf, more, message) => {
      expect(messages(entries, answerOf, more).join()).toContain(message);
      expect(messages(handled("a", 1000))).toEqual([]);
    },
  );

  it.each([
    ["the process was killed", taken, { lives: [life("a", { killedMs: 1050 }), life("b")] }],
    ["the process was stopped", taken, { lives: [life("a", { stops: [{ fromMs: 1001, toMs: 1800 }] }), life("b")] }],
    ["the machine did not run the process", [...taken, { ...step("a", "stall", 1650), event: "", fromMs: 1001 }], {}],
    ["the handling failed", [...begun("a", 1000), step("a", "end", 1005, "failed"), ...handled("b", 1010)], {}],
  ] satisfies [string, ProcessEntry[], Partial<RunHistory>][])(
    "lets an event start again because %s",
    (cause, entries, more) => {
      expect(causes(entries, "b#1", more)).toEqual([cause]);
    },
  );

  it("finds, with an inbox, rows too many or too few and answers of other handlings", () => {
    const rows = (...handlings: string[]) =>
      judgeInbox(
        historyOf(handled("a", 1000)),
        handlings.map((handling) => ({ event: "evt", handling })),
      ).length;
    expect([rows("a#1"), rows(), rows("b#1"), rows("a#1", "b#1")]).toEqual([0, 2, 1, 1]);
  });

  it("finds, over an outage, a receiver that contradicts itself, or handles again although it is alone", () => {
    const both = { deliveries: [delivery("a#1"), delivery("b#1")] };
    const twice = [...handled("a", 1000), ...handled("b", 1700)];
    expect(judgeOutage(historyOf(handled("a", 1000)), 1, true)).toEqual([]);
    expect(judgeOutage(historyOf(twice, "a#1", both), 2, false)).toHaveLength(1);
    expect(judgeOutage(historyOf(twice, "a#1"), 1, false)).toHaveLength(1);
    const busy = [...handled("a", 1000), step("a", "most-steps", 1000, "101"), step("a", "error", 1000, "late")];
    expect(judgeOutage(historyOf(busy), 1, true)).toHaveLength(2);
  });
});

it("the plans follow from the seed", () => {
  const options = { deliveries: 500, receivers: 2, leaseMs, slowRate: 0.1 };
  const planned = (seed: number) => {
    const acts = planActs({ seed, receivers: 2, leaseMs, pauseMs: 500 });
    return [planEvents({ seed, ...options }), Array.from({ length: 20 }, () => acts.next().value), endsOf(seed, 20)];
  };
  expect(planned(7)).toEqual(planned(7));
  for (const [index, part] of planned(8).entries()) expect(part).not.toEqual(planned(7)[index]);
  expect(planEvents({ seed: 7, ...options }).flatMap(({ copies }) => copies)).toHaveLength(500);
  const accounts = sandboxes.flatMap(({ clients }) => clients.map(({ accountId }) => accountId));
  expect(new Set(accounts).size).toBe(accounts.length);
});
