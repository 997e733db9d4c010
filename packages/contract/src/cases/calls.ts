import type { ErrorCode } from "@call-transfer/spec";
import { limits } from "../facts/limits.ts";
import { type ContractCase, casesFor } from "../suite/case.ts";
import { connect, validInput } from "../suite/client.ts";
import type { PolicyChanges } from "../suite/target.ts";
import { shows, type Transition } from "../suite/transitions.ts";
import type { Seed } from "../world/seed.ts";
import { accounts, hourMs, iso, minuteMs, pastCalls, start, telephony, uuid } from "../world/world.ts";

const needs = ["stateful", "destructive"] as const;
const test = casesFor("calls", needs);
const request = { flowId: telephony.flow, fromNumber: telephony.number, toNumber: telephony.recipient };
/** Uses a key, because a token would expire when the clock is advanced. */
const asKey = { keyOf: accounts.home };
const midnight = Date.parse("2026-03-02T00:00:00Z");

interface Refusal {
  readonly change: Partial<typeof request> & { readonly providerId?: string };
  readonly code: ErrorCode;
  /** Set where the specification leaves the code open. */
  readonly assumption?: string;
}

/** Reasons to reject a call that depend on the state alone (§7.2). */
const refusals: Readonly<Record<string, Refusal>> = {
  "a flow that is not published": { change: { flowId: telephony.unpublishedFlow }, code: "flow_not_published" },
  "an unknown flow": { change: { flowId: uuid(999) }, code: "flow_not_published", assumption: "A-47" },
  "another account's flow": {
    change: { flowId: telephony.foreignFlow },
    code: "flow_not_published",
    assumption: "A-47",
  },
  "a number that is not active": { change: { fromNumber: telephony.inactiveNumber }, code: "phone_number_not_active" },
  "an unknown number": {
    change: { fromNumber: "+15550109999" },
    code: "phone_number_not_active",
    assumption: "A-47",
  },
  "another account's number": {
    change: { fromNumber: telephony.foreignNumber },
    code: "phone_number_not_active",
    assumption: "A-47",
  },
  "a number that is not verified": {
    change: { fromNumber: telephony.unverifiedNumber },
    code: "phone_number_not_verified",
  },
  "a number that only receives": {
    change: { fromNumber: telephony.receiveOnlyNumber },
    code: "phone_number_cannot_initiate_calls",
  },
  "a provider that rejects the call": {
    change: { fromNumber: telephony.rejectedNumber },
    code: "provider_call_rejected",
  },
  "a provider that the number does not belong to": {
    change: { providerId: telephony.rejectingProvider },
    code: "provider_call_rejected",
    assumption: "A-47",
  },
  "a contact on the do-not-call list": { change: { toNumber: telephony.doNotCall }, code: "contact_on_dnc_list" },
  "a contact outside the callable hours": { change: { toNumber: telephony.asleep }, code: "outside_callable_hours" },
};

const refusalCases = Object.entries(refusals).map(([what, { change, code, assumption }]) =>
  test(`${what} returns ${code} and places no call`, [], async (target, check) => {
    const client = await connect(target);
    const before = (await client.calls.list()).meta.total;
    const call = client.calls.create({ ...request, ...change });
    await (assumption ? check.rejectedWithStatusOf(call, code, assumption, what) : check.rejected(call, code));
    check.equal((await client.calls.list()).meta.total, before, "calls in the list");
  }),
);

/** A contact who is on the do-not-call list and asleep. */
const asleepAndUnwilling = "+15550109121";

/** Requests that break two rules, and policies: the first rule decides. */
const twoRules: Readonly<Record<string, Refusal & { readonly policies?: PolicyChanges }>> = {
  "the flow before the number": {
    change: { flowId: telephony.unpublishedFlow, fromNumber: telephony.inactiveNumber },
    code: "flow_not_published",
  },
  "the number before its provider": {
    change: { fromNumber: telephony.unverifiedNumber, providerId: telephony.rejectingProvider },
    code: "phone_number_not_verified",
  },
  "the provider before the do-not-call list": {
    change: { fromNumber: telephony.rejectedNumber, toNumber: telephony.doNotCall },
    code: "provider_call_rejected",
  },
  "the do-not-call list before the callable hours": {
    change: { toNumber: asleepAndUnwilling },
    code: "contact_on_dnc_list",
  },
  "the callable hours before the daily limit": {
    change: { toNumber: telephony.asleep },
    policies: { dailyCallLimit: 0 },
    code: "outside_callable_hours",
  },
  "the daily limit before the queue": {
    change: {},
    policies: { dailyCallLimit: 0, concurrentCallLimit: 0, callQueueLimit: 0 },
    code: "daily_call_limit_exceeded",
  },
};

const orderCases = Object.entries(twoRules).map(([what, { change, code, policies = {} }]) =>
  test(`a call checks ${what}`, ["policies"], async (target, check) => {
    await target.seed({
      contacts: [
        {
          accountId: accounts.home,
          number: asleepAndUnwilling,
          doNotCall: true,
          timeZone: "America/Los_Angeles",
        },
      ],
    });
    await target.policies.set(policies);
    await check.rejected((await connect(target)).calls.create({ ...request, ...change }), code);
  }),
);

/** Times around the callable hours, in the recipient's time zone (§8). */
const hours: Readonly<Record<string, { at: number; callable: boolean; transition?: Transition }>> = {
  "a millisecond before the callable hours begin": { at: 24 + limits.callableFromHour, callable: false },
  "as the callable hours begin": {
    at: 24 + limits.callableFromHour,
    callable: true,
    transition: "callable hours: closed → open, when they begin",
  },
  "a millisecond before the callable hours end": { at: limits.callableUntilHour, callable: true },
  "as the callable hours end": {
    at: limits.callableUntilHour,
    callable: false,
    transition: "callable hours: open → closed, when they end",
  },
};

const hourCases = Object.entries(hours).map(([when, { at, callable, transition }]) =>
  test(
    `a call ${when} (recipient's time) is ${callable ? "placed" : "rejected"}`,
    ["clock"],
    async (target, check) => {
      const client = await connect(target, asKey);
      await target.clock.advance({ to: midnight + at * hourMs - (when.startsWith("a millisecond") ? 1 : 0) });
      const call = client.calls.create(request);
      if (callable) check.equal((await call).type, "initiated", "type");
      else await check.rejected(call, "outside_callable_hours");
    },
    transition ? shows(transition) : [],
  ),
);

/** Time zones whose offset is not the same number of whole hours all year, and when the callable hours begin there. */
const zones: Readonly<Record<string, string>> = {
  "Asia/Kolkata": "2026-03-03T02:30:00Z",
  // From 8 March on, New York is an hour ahead of its time at the start.
  "America/New_York": "2026-03-09T12:00:00Z",
};

const zoneCases = Object.entries(zones).map(([timeZone, begin]) =>
  test(`callable hours in ${timeZone} begin at ${begin}`, ["clock"], async (target, check) => {
    await target.seed({ contacts: [{ accountId: accounts.home, number: telephony.recipient, timeZone }] });
    const client = await connect(target, asKey);
    await target.clock.advance({ to: Date.parse(begin) - 1 });
    await check.rejected(client.calls.create(request), "outside_callable_hours");
    await target.clock.advance({ by: 1 });
    check.equal((await client.calls.create(request)).type, "initiated", "type");
  }),
);

/** E.164: a plus sign and up to 15 digits that do not begin with 0. */
const numbers: Readonly<Record<string, { number: string; valid: boolean }>> = {
  "15 digits": { number: `+1${"5".repeat(14)}`, valid: true },
  "2 digits": { number: "+15", valid: true },
  "16 digits": { number: `+1${"5".repeat(15)}`, valid: false },
  "1 digit": { number: "+1", valid: false },
  "a missing plus sign": { number: "15550100002", valid: false },
  "a leading zero": { number: "+05550100002", valid: false },
  spaces: { number: "+1 555 010 0002", valid: false },
  "a trailing line break": { number: "+15550100002\n", valid: false },
  "digits of another script": { number: "+1555010000\u0662", valid: false },
};

const numberCases = Object.entries(numbers).map(([what, { number, valid }]) =>
  test(
    `a recipient with ${what} is ${valid ? "called" : "rejected as not E.164"}`,
    ["validates"],
    async (target, check) => {
      const call = (await connect(target)).calls.create({ ...request, toNumber: number });
      if (valid) return check.equal((await call).type, "initiated", "type");
      const { errors } = await check.rejected(call, "validation_failed");
      const named = errors?.map(({ field, code }) => ({ field, code }));
      check.equal(named, [{ field: "toNumber", code: "phone_not_e164" }], "fields");
    },
  ),
);

const elsewhereId = uuid(811);
const fromElsewhere = { ...request, flowId: uuid(812), fromNumber: "+15550109811" };

/** An account that can place calls, in a time zone or in none. */
const elsewhere = (timeZone?: string): Seed => ({
  accounts: [{ id: elsewhereId, name: "Elsewhere", ...(timeZone !== undefined && { timeZone }) }],
  flows: [{ id: fromElsewhere.flowId, accountId: elsewhereId, published: true }],
  numbers: [
    {
      accountId: elsewhereId,
      number: fromElsewhere.fromNumber,
      active: true,
      verified: true,
      canInitiateCalls: true,
    },
  ],
});

const placementCases = [
  test(
    "a placed call has an id and is first in the list",
    [],
    async (target, check) => {
      const client = await connect(target);
      const { data, response } = await client.calls.create(request).withResponse();
      check.equal(response.status, 201, "status");
      const { calls } = await client.calls.list({ limit: 1 });
      check.equal(calls[0]?.id, data.type === "initiated" ? data.callId : undefined, "the newest call");
      check.equal(calls[0]?.direction, "outbound", "direction");
    },
    shows("call: placed → in progress, below the concurrent-call limit"),
  ),
  test("a call through the number's own provider is placed", [], async (target, check) => {
    const { providerId } = validInput("createCall").body as { providerId: string };
    const call = await (await connect(target)).calls.create({ ...request, providerId });
    check.equal(call.type, "initiated", "type");
  }),
  test(
    "at the concurrent-call limit calls are queued in order, and beyond the queue limit rejected",
    ["policies"],
    async (target, check) => {
      await target.policies.set({ concurrentCallLimit: 1, callQueueLimit: 2 });
      const client = await connect(target);
      const first = await client.calls.create(request).withResponse();
      const second = await client.calls.create(request).withResponse();
      const third = await client.calls.create(request);
      check.equal([first.response.status, second.response.status], [201, 202], "statuses");
      check.equal(second.data, { type: "queued", position: 1 }, "the first that waits");
      check.equal(third, { type: "queued", position: 2 }, "the second that waits");
      const { meta } = await check.rejected(client.calls.create(request), "queue_full");
      check.isTrue((meta?.retryAfterSecs ?? 0) > 0, "meta.retryAfterSecs above 0");
    },
    shows("call: placed → queued, at the concurrent-call limit", "call: placed → rejected, beyond the queue limit"),
  ),
  test("a position counts the calls that wait, not those in progress", ["policies"], async (target, check) => {
    await target.policies.set({ concurrentCallLimit: 3 });
    const client = await connect(target);
    const placed = [];
    for (let count = 0; count < 5; count++) placed.push(await client.calls.create(request));
    const types = placed.map(({ type }) => type);
    check.equal(types, ["initiated", "initiated", "initiated", "queued", "queued"], "types");
    check.equal(
      placed.slice(3).map((call) => "position" in call && call.position),
      [1, 2],
      "positions",
    );
  }),
  test("a call is accepted once the wait of a full queue is over", ["policies", "clock"], async (target, check) => {
    await target.policies.set({ concurrentCallLimit: 1, callQueueLimit: 1 });
    const client = await connect(target);
    await client.calls.create(request);
    await client.calls.create(request);
    // With a fraction of a second left, a wait that is rounded down is too short.
    await target.clock.advance({ by: 500 });
    const { meta } = await check.rejected(client.calls.create(request), "queue_full");
    await target.clock.advance({ by: (meta?.retryAfterSecs ?? 0) * 1000 });
    check.equal(await client.calls.create(request), { type: "queued", position: 1 }, "after the wait");
  }),
  test(
    "the queue drains as calls end, first in, first out",
    ["policies", "clock"],
    async (target, check) => {
      await target.policies.set({ concurrentCallLimit: 1 });
      const client = await connect(target);
      for (let placed = 0; placed < 3; placed++) await client.calls.create(request);
      await target.clock.advance({ by: minuteMs });
      check.equal(await client.calls.create(request), { type: "queued", position: 2 }, "after one call ended");
      await target.clock.advance({ by: 3 * minuteMs });
      check.equal((await client.calls.create(request)).type, "initiated", "after all ended");
    },
    shows("call: queued → in progress, when another call ends"),
  ),
  test(
    "a call's duration counts the seconds since it left the queue, and stays after its end",
    ["policies", "clock"],
    async (target, check) => {
      await target.policies.set({ concurrentCallLimit: 1 });
      const client = await connect(target);
      for (let placed = 0; placed < 3; placed++) await client.calls.create(request);
      await target.clock.advance({ by: minuteMs + 10_000 });
      const { calls } = await client.calls.list({ limit: 3 });
      check.equal(
        calls.map(({ duration }) => duration),
        [0, 10, 60],
        "durations of the one that waits, the one that talks and the one that ended",
      );
    },
  ),
  ...Object.entries({ 999: 0, 1000: 1, 1999: 1, 59999: 59 }).map(([afterMs, duration]) =>
    test(`the duration of a call is ${duration} after ${afterMs} milliseconds`, ["clock"], async (target, check) => {
      const client = await connect(target);
      await client.calls.create(request);
      await target.clock.advance({ by: Number(afterMs) });
      check.equal((await client.calls.list({ limit: 1 })).calls[0]?.duration, duration, "duration");
    }),
  ),
  test("a queued call is not in progress", ["policies", "clock"], async (target, check) => {
    await target.policies.set({ concurrentCallLimit: 1 });
    const client = await connect(target);
    await client.calls.create(request);
    await client.calls.create(request);
    await target.clock.advance({ by: minuteMs - 1 });
    check.equal(await client.calls.create(request), { type: "queued", position: 2 }, "a millisecond too early");
  }),
  test(
    "a call that leaves the queue outside the callable hours does not start, and leaves its line to the next call",
    ["policies", "clock"],
    async (target, check) => {
      await target.policies.set({ concurrentCallLimit: 1 });
      const client = await connect(target, asKey);
      await target.clock.advance({ to: midnight + limits.callableUntilHour * hourMs - 1 });
      // Where the last recipient is, it is early afternoon.
      for (const toNumber of [telephony.recipient, telephony.recipient, telephony.asleep])
        await client.calls.create({ ...request, toNumber });
      await target.clock.advance({ by: minuteMs + 10_000 });
      const { calls } = await client.calls.list({ limit: 3 });
      check.equal(
        calls.map(({ duration }) => duration),
        [10, 0, 60],
        "durations of the last one, the one that waited into the night, and the first",
      );
    },
  ),
  test("the daily limit counts only outbound calls since midnight UTC", ["policies"], async (target, check) => {
    const placedToday = pastCalls.filter(
      ({ direction, createdAt }) => direction === "outbound" && Date.parse(createdAt) >= midnight,
    );
    await target.policies.set({ dailyCallLimit: placedToday.length + 1 });
    const client = await connect(target);
    check.equal((await client.calls.create(request)).type, "initiated", "below the limit");
    await check.rejected(client.calls.create(request), "daily_call_limit_exceeded");
  }),
  ...Object.entries({
    "just after midnight UTC counts towards the daily limit, where it is still the day before": {
      timeZone: "America/Halifax",
      after: 1,
    },
    "just before midnight UTC does not count towards the daily limit, where it is already the day after": {
      timeZone: "Asia/Kolkata",
      after: -1,
    },
  }).map(([what, { timeZone, after }]) =>
    test(`a call ${what}`, ["policies"], async (target, check) => {
      const createdAt = new Date(midnight + after).toISOString();
      const past = { direction: "outbound", status: "completed", duration: 1, createdAt };
      await target.seed({ ...elsewhere(timeZone), calls: [{ id: uuid(813), accountId: elsewhereId, ...past }] });
      await target.policies.set({ dailyCallLimit: 1 });
      const call = (await connect(target, { keyOf: elsewhereId })).calls.create(fromElsewhere);
      if (after < 0) check.equal((await call).type, "initiated", "type");
      else await check.rejected(call, "daily_call_limit_exceeded");
    }),
  ),
  test("a recipient without a time zone gets the account's", [], async (target, check) => {
    await target.seed(elsewhere("America/Los_Angeles"));
    const client = await connect(target, { keyOf: elsewhereId });
    await check.rejected(client.calls.create(fromElsewhere), "outside_callable_hours");
  }),
  test(
    "a recipient is called at any hour if neither they nor the account have a time zone",
    ["clock"],
    async (target, check) => {
      await target.seed(elsewhere());
      const client = await connect(target, { keyOf: elsewhereId });
      for (let hour = 0; hour < 24; hour++) {
        check.equal((await client.calls.create(fromElsewhere)).type, "initiated", `type, ${hour} hours later`);
        await target.clock.advance({ by: hourMs });
      }
    },
  ),
  test("a policy sets the time zone of recipients without one", ["policies"], async (target, check) => {
    await target.seed(elsewhere());
    await target.policies.set({ recipientTimeZone: "America/Los_Angeles" });
    const client = await connect(target, { keyOf: elsewhereId });
    await check.rejected(client.calls.create(fromElsewhere), "outside_callable_hours");
  }),
  test(
    "the daily limit rejects calls until midnight UTC and not after",
    ["policies", "clock"],
    async (target, check) => {
      const client = await connect(target, asKey);
      const far = { ...request, toNumber: telephony.farEast };
      await target.clock.advance({ to: midnight + 24 * hourMs - 1 });
      check.equal((await client.calls.create(far)).type, "initiated", "below the limit");
      await target.policies.set({ dailyCallLimit: 1 });
      await check.rejected(client.calls.create(far), "daily_call_limit_exceeded");
      await target.clock.advance({ by: 1 });
      check.equal((await client.calls.create(far)).type, "initiated", "the first call of the new day");
      await check.rejected(client.calls.create(far), "daily_call_limit_exceeded");
    },
    shows("daily limit: exhausted → free, at midnight UTC"),
  ),
];

const ids = pastCalls.map(({ id }) => id);
const idsOf = (calls: readonly { id: string }[]) => calls.map(({ id }) => id);

const listCases = [
  test("the list contains the account's calls, newest first, and their total", [], async (target, check) => {
    const list = await (await connect(target)).calls.list({ limit: pastCalls.length });
    check.equal(idsOf(list.calls), ids, "ids");
    check.equal(list.meta.total, ids.length, "meta.total");
    check.equal(list.calls[1]?.duration, pastCalls[1]?.duration, "duration");
  }),
  test("limit and offset select a page, and the total stays", [], async (target, check) => {
    const list = await (await connect(target)).calls.list({ limit: 7, offset: 20 });
    check.equal(idsOf(list.calls), ids.slice(20, 27), "ids");
    check.equal(list.meta.total, ids.length, "meta.total");
  }),
  test("a page beyond the end is empty and still has the total", [], async (target, check) => {
    const list = await (await connect(target)).calls.list({ offset: 1000 });
    check.equal([list.calls.length, list.meta.total], [0, ids.length], "calls and total");
  }),
  test("for await visits every call once", [], async (target, check) => {
    const seen: string[] = [];
    for await (const call of (await connect(target)).calls.list({ limit: 10 })) seen.push(call.id);
    check.equal(seen, ids, "ids");
  }),
  test("pages() yields pages of the limit's size", [], async (target, check) => {
    const sizes: number[] = [];
    for await (const page of (await connect(target)).calls.list({ limit: 10 }).pages()) sizes.push(page.calls.length);
    check.equal(sizes, [10, 10, 5], "sizes of the pages");
  }),
  test("toArray stops at maxItems", [], async (target, check) => {
    const calls = await (await connect(target)).calls.list({ limit: 10 }).toArray({ maxItems: 12 });
    check.equal(idsOf(calls), ids.slice(0, 12), "ids");
  }),
  test("the status filter selects calls, and the total counts them", [], async (target, check) => {
    const list = await (await connect(target)).calls.list({ status: "failed" });
    const failed = pastCalls.filter(({ status }) => status === "failed");
    check.equal(idsOf(list.calls), idsOf(failed), "ids");
    check.equal(list.meta.total, failed.length, "meta.total");
  }),
  test("a status that no call has gives an empty list", [], async (target, check) => {
    const list = await (await connect(target)).calls.list({ status: "no-such-status" });
    check.equal([list.calls.length, list.meta.total], [0, 0], "calls and total");
  }),
  ...Object.entries({
    "at exactly the start date": { from: 0, kept: 6 },
    "a millisecond before the start date": { from: 1, kept: 5 },
  }).map(([when, { from, kept }]) =>
    test(`a call placed ${when} is ${from === 0 ? "listed" : "left out"}`, [], async (target, check) => {
      const startDate = iso(-6 * hourMs + from);
      const list = await (await connect(target)).calls.list({ startDate });
      check.equal(idsOf(list.calls), ids.slice(0, kept), "ids");
      check.equal(list.meta.total, kept, "meta.total");
    }),
  ),
  test("a start date with a time zone offset is converted to UTC", [], async (target, check) => {
    const local = new Date(start - 4 * hourMs).toISOString().replace("Z", "+02:00");
    const list = await (await connect(target)).calls.list({ startDate: local });
    check.equal(idsOf(list.calls), ids.slice(0, 6), "ids");
  }),
  test("filters and paging work together", [], async (target, check) => {
    const list = await (await connect(target)).calls.list({
      status: "completed",
      startDate: iso(-10 * hourMs),
      limit: 3,
      offset: 1,
    });
    const kept = pastCalls.slice(0, 10).filter(({ status }) => status === "completed");
    check.equal(idsOf(list.calls), idsOf(kept.slice(1, 4)), "ids");
    check.equal(list.meta.total, kept.length, "meta.total");
  }),
];

export const callCases: readonly ContractCase[] = [
  ...placementCases,
  ...refusalCases,
  ...orderCases,
  ...hourCases,
  ...zoneCases,
  ...numberCases,
  ...listCases,
];
