import { accounts, destinations, hourMs, iso, members, uuid } from "../fixtures/names.ts";
import type { SeedMember } from "../fixtures/seed.ts";
import { casesFor, covering, shows } from "../suite/case.ts";
import type { Check } from "../suite/check.ts";
import { connect, homeUser } from "../suite/client.ts";
import type { RingState, TargetWith, TransferRequest } from "../suite/target.ts";

const requires = ["transfers", "webhooks", "clock", "state"] as const;
const test = casesFor("transfers", requires);
type Platform = TargetWith<(typeof requires)[number]>;
const memberId = uuid(821);
const [first = "", second = "", third = ""] = destinations.many.filter((id) => id !== destinations.app);
const secondMs = 1000;

type MemberState = Pick<SeedMember, "availability" | "busy" | "hours">;

/** Adds a member to an account, by default the home account. */
const given = (target: Platform, state: MemberState, accountId = accounts.home): Promise<void> =>
  target.seed({
    users: [{ id: uuid(822), name: "Given" }],
    members: [{ id: memberId, accountId, userId: uuid(822), role: "member", ...state }],
  });

/** Starts a transfer and returns how it rings one member. */
async function ringOf(target: Platform, transfer: TransferRequest, id: string): Promise<RingState | undefined> {
  const { rings } = await target.transfers.read(await target.transfers.start(transfer));
  return rings.find((ring) => ring.memberId === id);
}

const people = { destinationId: destinations.people };
const day = (from: string, to: string) => [{ from, to }];

/** Which members ring at noon UTC on a Monday. */
const states: Readonly<Record<string, MemberState & { rings: boolean }>> = {
  available: { rings: true },
  busy: { busy: true, rings: false },
  away: { availability: { status: "away" }, rings: false },
  offline: { availability: { status: "offline" }, rings: false },
  "away until now": { availability: { status: "away", until: iso(0) }, rings: true },
  "within their hours": { hours: { monday: day("09:00", "17:00") }, rings: true },
  "at the start of their hours": { hours: { monday: day("12:00", "13:00") }, rings: true },
  "at the end of their hours": { hours: { monday: day("11:00", "12:00") }, rings: false },
  "between two ranges of their hours": {
    hours: { monday: [...day("09:00", "11:00"), ...day("13:00", "17:00")] },
    rings: false,
  },
  "within the second range of their hours": {
    hours: { monday: [...day("09:00", "11:00"), ...day("12:00", "17:00")] },
    rings: true,
  },
  "within their hours on another day only": { hours: { tuesday: day("00:00", "24:00") }, rings: false },
  "without hours on any day": { hours: {}, rings: false },
  "past midnight in their time zone, within the new day's hours,": {
    hours: { timeZone: "Pacific/Auckland", tuesday: day("00:00", "02:00") },
    rings: true,
  },
  "past midnight in their time zone, within the old day's hours,": {
    hours: { timeZone: "Pacific/Auckland", monday: day("00:00", "24:00") },
    rings: false,
  },
};

const stateCases = Object.entries(states).map(([what, { rings, ...state }]) =>
  test(`a member who is ${what} ${rings ? "rings" : "does not ring"}`, async (target, check) => {
    await given(target, state);
    const ring = await ringOf(target, people, memberId);
    check.equal(ring?.outcome, rings ? "ringing" : "skipped", "outcome");
  }),
);

/** Creates a group of phones through the API; returns its id. */
async function groupOf(target: Platform, ringTimes: readonly (number | undefined)[], totalTimeoutSecs: number) {
  const client = await connect(target);
  const ids = [first, second, third];
  const group = await client.destinationGroups.create({
    name: "Ringing",
    totalTimeoutSecs,
    members: ringTimes.map((ringTimeoutSecs, index) => ({
      destinationId: ids[index] ?? "",
      ...(ringTimeoutSecs === undefined ? {} : { ringTimeoutSecs }),
    })),
  });
  return group.id;
}

const outcomesOf = (rings: readonly RingState[]) => rings.map(({ outcome }) => outcome);

async function shown(target: Platform, check: Check, id: string, status: string, outcomes: string[]): Promise<void> {
  const transfer = await target.transfers.read(id);
  check.equal([transfer.status, outcomesOf(transfer.rings)], [status, outcomes], "status and outcomes");
}

/** Lets every available member miss a call. */
async function miss(target: Platform): Promise<void> {
  await target.transfers.start(people);
  await target.clock.advance({ by: 30 * secondMs });
}

export const transferCases = [
  ...stateCases,
  test("members of other accounts do not ring", async (target, check) => {
    check.equal(await ringOf(target, people, members.foreign), undefined, "the ring");
  }),
  test("hours without a time zone use the account's", async (target, check) => {
    const [accountId, destinationId] = [uuid(823), uuid(824)];
    await target.seed({
      accounts: [{ id: accountId, name: "Westward", timeZone: "America/Los_Angeles" }],
      destinations: [{ id: destinationId, accountId, name: "People", kind: "available_humans" }],
    });
    await given(target, { hours: { monday: day("04:00", "05:00") } }, accountId);
    check.equal((await ringOf(target, { destinationId }, memberId))?.outcome, "ringing", "outcome");
  }),
  covering(
    shows("hours: set → none, when removed"),
    test("a member whose hours are removed rings at any time", async (target, check) => {
      await given(target, { hours: {} });
      await (await connect(target)).members.deleteHours(memberId);
      check.equal((await ringOf(target, people, memberId))?.outcome, "ringing", "outcome");
    }),
  ),
  test("a destination that is disabled does not ring", async (target, check) => {
    const destinationId = uuid(825);
    const off = { accountId: accounts.home, name: "Off", enabled: false };
    await target.seed({ destinations: [{ ...off, id: destinationId, kind: "phone" }] });
    await shown(target, check, await target.transfers.start({ destinationId }), "unanswered", ["skipped"]);
  }),
  test("all of a group ring at once, and the first to answer is connected", async (target, check) => {
    const groupId = await groupOf(target, [undefined, undefined, undefined], 30);
    const script = [{ destinationId: second, answerAfterSecs: 5 }];
    const id = await target.transfers.start({ groupId, script });
    await shown(target, check, id, "ringing", ["ringing", "ringing", "ringing"]);
    await target.clock.advance({ by: 5 * secondMs });
    await shown(target, check, id, "connected", ["taken", "answered", "taken"]);
  }),
  test("of simultaneous answers the first in ring order is connected, and each late answer gets its code", async (target, check) => {
    const groupId = await groupOf(target, [undefined, undefined, 5], 30);
    const script = [
      { destinationId: third, answerAfterSecs: 5 },
      { destinationId: second, answerAfterSecs: 6 },
      { destinationId: first, answerAfterSecs: 6 },
      { destinationId: first, answerAfterSecs: 7 },
    ];
    const id = await target.transfers.start({ groupId, script });
    await target.clock.advance({ by: 7 * secondMs });
    const { rings } = await target.transfers.read(id);
    check.equal(outcomesOf(rings), ["answered", "taken", "missed"], "outcomes");
    const codes = rings.map(({ lateAnswers }) => lateAnswers.map(({ code }) => code));
    check.equal(codes, [["offer_taken_self"], ["offer_taken"], ["offer_expired"]], "codes");
  }),
  test("each member rings for its own time, at most the group's, and without one for the group's", async (target, check) => {
    const groupId = await groupOf(target, [5, 45, undefined], 10);
    const id = await target.transfers.start({ groupId });
    await target.clock.advance({ by: 5 * secondMs - 1 });
    await shown(target, check, id, "ringing", ["ringing", "ringing", "ringing"]);
    await target.clock.advance({ by: 1 });
    await shown(target, check, id, "ringing", ["missed", "ringing", "ringing"]);
    await target.clock.advance({ by: 5 * secondMs - 1 });
    await shown(target, check, id, "ringing", ["missed", "ringing", "ringing"]);
    await target.clock.advance({ by: 1 });
    await shown(target, check, id, "unanswered", ["missed", "missed", "missed"]);
  }),
  test("an app that accepts its offer is connected", async (target, check) => {
    const id = await target.transfers.start({ destinationId: destinations.app });
    await target.clock.advance({ by: 1 });
    await shown(target, check, id, "connected", ["answered"]);
  }),
  test("a member on a transferred call is busy, stops ringing for other calls, and is free after it", async (target, check) => {
    const client = await connect(target);
    const stateOf = async () => {
      const { status, busy } = await client.members.getAvailability(members.colleague);
      return { status, busy };
    };
    const elsewhere = await target.transfers.start(people);
    const script = [{ memberId: members.colleague, answerAfterSecs: 2 }];
    await target.transfers.start({ ...people, script });
    await target.clock.advance({ by: 2 * secondMs });
    check.equal(await stateOf(), { status: "available", busy: true }, "while connected");
    const { rings } = await target.transfers.read(elsewhere);
    check.equal(rings.find((ring) => ring.memberId === members.colleague)?.outcome, "busy", "the other call");
    check.equal((await ringOf(target, people, members.colleague))?.outcome, "skipped", "a third call");
    await target.clock.advance({ by: 60 * secondMs });
    check.equal(await stateOf(), { status: "available", busy: false }, "after the call");
  }),
  test("three missed calls in a row set a member away for 15 minutes, with source and reason", async (target, check) => {
    const client = await connect(target);
    const read = () => client.members.getAvailability(members.colleague);
    await miss(target);
    await miss(target);
    check.equal((await read()).status, "available", "after two");
    await miss(target);
    const { status, source, reason, until, updatedAt } = await read();
    check.equal({ status, source, reason }, { status: "away", source: "auto", reason: "missed_calls" }, "after three");
    const now = target.clock.now();
    const times = [Date.parse(until ?? "") - now, Date.parse(updatedAt ?? "") - now];
    check.equal(times, [hourMs / 4, 0], "until and updatedAt");
    await target.clock.advance({ by: hourMs / 4 });
    check.equal((await read()).status, "available", "after it");
  }),
  test("an answered call resets the count of missed calls", async (target, check) => {
    const client = await connect(target, homeUser("admin"));
    await miss(target);
    await miss(target);
    const script = [{ memberId: members.colleague, answerAfterSecs: 1 }];
    await target.transfers.start({ ...people, script });
    await target.clock.advance({ by: 70 * secondMs });
    await miss(target);
    const statusOf = async (id: string) => (await client.members.getAvailability(id)).status;
    check.equal(await statusOf(members.colleague), "available", "the member who answered");
    check.equal(await statusOf(members.agent), "away", "a member who missed every call");
  }),
];
