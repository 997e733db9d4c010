import type { CallTransfer } from "@call-transfer/sdk";
import type { ErrorCode } from "@call-transfer/spec";
import { limits } from "../facts/limits.ts";
import { accounts, hourMs, iso, minuteMs, start, telephony, uuid } from "../fixtures/names.ts";
import type { Seed } from "../fixtures/seed.ts";
import { pastCalls } from "../fixtures/world.ts";
import { type ContractCase, casesFor, covering, shows, type Transition } from "../suite/case.ts";
import { fieldsNamed } from "../suite/check.ts";
import { connect, validInput } from "../suite/client.ts";
import type { PolicyChanges } from "../suite/target.ts";

const test = casesFor("calls", ["state", "validation", "policies", "clock"]);

/** A valid call of the home account. */
const request = { flowId: telephony.flow, fromNumber: telephony.number, toNumber: telephony.recipient };
/** Uses a key, because a token would expire when the clock is advanced. */
const asKey = { keyAccountId: accounts.home };
const midnight = Date.parse("2026-03-02T00:00:00Z");

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
  covering(
    transition ? shows(transition) : [],
    test(`a call ${when} (recipient's time) is ${callable ? "placed" : "rejected"}`, async (target, check) => {
      const client = await connect(target, asKey);
      await target.clock.advance({ to: midnight + at * hourMs - (when.startsWith("a millisecond") ? 1 : 0) });
      const call = client.calls.create(request);
      if (callable) check.equal((await call).type, "initiated", "type");
      else await check.rejected(call, "outside_callable_hours");
    }),
  ),
);

/** Time zones whose offset is not the same number of whole hours all year, and when the callable hours begin there. */
const zones: Readonly<Record<string, string>> = {
  "Asia/Kolkata": "2026-03-03T02:30:00Z",
  // From 8 March on, New York is an hour ahead of its time at the start.
  "America/New_York": "2026-03-09T12:00:00Z",
};

const zoneCases = Object.entries(zones).map(([timeZone, begin]) =>
  test(`callable hours in ${timeZone} begin at ${begin}`, async (target, check) => {
    await target.seed({ contacts: [{ accountId: accounts.home, number: telephony.recipient, timeZone }] });
    const client = await connect(target, asKey);
    await target.clock.advance({ to: Date.parse(begin) - 1 });
    await check.rejected(client.calls.create(request), "outside_callable_hours");
    await target.clock.advance({ by: 1 });
    check.equal((await client.calls.create(request)).type, "initiated", "type");
  }),
);

const elsewhereCases = [
  test("a recipient without a time zone gets the account's", async (target, check) => {
    await target.seed(elsewhere("America/Los_Angeles"));
    const client = await connect(target, { keyAccountId: elsewhereId });
    await check.rejected(client.calls.create(fromElsewhere), "outside_callable_hours");
  }),
  test("a recipient is called at any hour if neither they nor the account have a time zone", async (target, check) => {
    await target.seed(elsewhere());
    const client = await connect(target, { keyAccountId: elsewhereId });
    for (let hour = 0; hour < 24; hour++) {
      check.equal((await client.calls.create(fromElsewhere)).type, "initiated", `type, ${hour} hours later`);
      await target.clock.advance({ by: hourMs });
    }
  }),
  test("a policy sets the time zone of recipients without one", async (target, check) => {
    await target.seed(elsewhere());
    await target.policies.set({ defaultRecipientTimeZone: "America/Los_Angeles" });
    const client = await connect(target, { keyAccountId: elsewhereId });
    await check.rejected(client.calls.create(fromElsewhere), "outside_callable_hours");
  }),
];

/** When a recipient may be called, in which time zone. */
const callableHourCases = [...hourCases, ...zoneCases, ...elsewhereCases];

/** The number of calls of a day, in UTC. */
const dailyLimitCases = [
  test("the daily limit counts only outbound calls since midnight UTC", async (target, check) => {
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
    test(`a call ${what}`, async (target, check) => {
      const createdAt = new Date(midnight + after).toISOString();
      const past = { direction: "outbound", status: "completed", duration: 1, createdAt };
      await target.seed({ ...elsewhere(timeZone), calls: [{ id: uuid(813), accountId: elsewhereId, ...past }] });
      await target.policies.set({ dailyCallLimit: 1 });
      const call = (await connect(target, { keyAccountId: elsewhereId })).calls.create(fromElsewhere);
      if (after < 0) check.equal((await call).type, "initiated", "type");
      else await check.rejected(call, "daily_call_limit_exceeded");
    }),
  ),
  covering(
    shows("daily limit: exhausted → free, at midnight UTC"),
    test("the daily limit rejects calls until midnight UTC and not after", async (target, check) => {
      const client = await connect(target, asKey);
      const far = { ...request, toNumber: telephony.farEast };
      await target.clock.advance({ to: midnight + 24 * hourMs - 1 });
      check.equal((await client.calls.create(far)).type, "initiated", "below the limit");
      await target.policies.set({ dailyCallLimit: 1 });
      await check.rejected(client.calls.create(far), "daily_call_limit_exceeded");
      await target.clock.advance({ by: 1 });
      check.equal((await client.calls.create(far)).type, "initiated", "the first call of the new day");
      await check.rejected(client.calls.create(far), "daily_call_limit_exceeded");
    }),
  ),
];

/** Calls that are placed, wait in the queue and end, up to the limits of the account. */
const placementCases = [
  covering(
    shows("call: placed → in progress, below the concurrent-call limit"),
    test("a placed call has an id and is first in the list", async (target, check) => {
      const client = await connect(target);
      const { data, response } = await client.calls.create(request).withResponse();
      check.equal(response.status, 201, "status");
      const { calls } = await client.calls.list({ limit: 1 });
      check.equal(calls[0]?.id, data.type === "initiated" ? data.callId : undefined, "the newest call");
      check.equal(calls[0]?.direction, "outbound", "direction");
    }),
  ),
  test("a call through the number's own provider is placed", async (target, check) => {
    const { providerId } = validInput("createCall").body as { providerId: string };
    const call = await (await connect(target)).calls.create({ ...request, providerId });
    check.equal(call.type, "initiated", "type");
  }),
  covering(
    shows("call: placed → queued, at the concurrent-call limit", "call: placed → rejected, beyond the queue limit"),
    test("at the concurrent-call limit calls are queued in order, and beyond the queue limit rejected", async (target, check) => {
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
    }),
  ),
  test("a position counts the calls that wait, not those in progress", async (target, check) => {
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
  test("a call is accepted once the wait of a full queue is over", async (target, check) => {
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
  covering(
    shows("call: queued → in progress, when another call ends"),
    test("the queue drains as calls end, first in, first out", async (target, check) => {
      await target.policies.set({ concurrentCallLimit: 1 });
      const client = await connect(target);
      for (let placed = 0; placed < 3; placed++) await client.calls.create(request);
      await target.clock.advance({ by: minuteMs });
      check.equal(await client.calls.create(request), { type: "queued", position: 2 }, "after one call ended");
      await target.clock.advance({ by: 3 * minuteMs });
      check.equal((await client.calls.create(request)).type, "initiated", "after all ended");
    }),
  ),
  test("a call's duration counts the seconds since it left the queue, and stays after its end", async (target, check) => {
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
  }),
  ...Object.entries({ 999: 0, 1000: 1, 1999: 1, 59999: 59 }).map(([afterMs, duration]) =>
    test(`the duration of a call is ${duration} after ${afterMs} milliseconds`, async (target, check) => {
      const client = await connect(target);
      await client.calls.create(request);
      await target.clock.advance({ by: Number(afterMs) });
      check.equal((await client.calls.list({ limit: 1 })).calls[0]?.duration, duration, "duration");
    }),
  ),
  test("a queued call is not in progress", async (target, check) => {
    await target.policies.set({ concurrentCallLimit: 1 });
    const client = await connect(target);
    await client.calls.create(request);
    await client.calls.create(request);
    await target.clock.advance({ by: minuteMs - 1 });
    check.equal(await client.calls.create(request), { type: "queued", position: 2 }, "a millisecond too early");
  }),
  test("a call that leaves the queue outside the callable hours does not start, and leaves its line to the next call", async (target, check) => {
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
  }),
];

type Change = Partial<typeof request> & { readonly providerId?: string };

/** Reasons to reject a call that depend on the state alone (§7.2). The assumption stands where the specification leaves the code open. */
const rejections: Readonly<Record<string, readonly [change: Change, code: ErrorCode, assumption?: string]>> = {
  "a flow that is not published": [{ flowId: telephony.unpublishedFlow }, "flow_not_published"],
  "an unknown flow": [{ flowId: uuid(999) }, "flow_not_published", "A-47"],
  "another account's flow": [{ flowId: telephony.foreignFlow }, "flow_not_published", "A-47"],
  "a number that is not active": [{ fromNumber: telephony.inactiveNumber }, "phone_number_not_active"],
  "an unknown number": [{ fromNumber: "+15550109999" }, "phone_number_not_active", "A-47"],
  "another account's number": [{ fromNumber: telephony.foreignNumber }, "phone_number_not_active", "A-47"],
  "a number that is not verified": [{ fromNumber: telephony.unverifiedNumber }, "phone_number_not_verified"],
  "a number that only receives": [{ fromNumber: telephony.receiveOnlyNumber }, "phone_number_cannot_initiate_calls"],
  "a provider that rejects the call": [{ fromNumber: telephony.rejectedNumber }, "provider_call_rejected"],
  "a provider that the number does not belong to": [
    { providerId: telephony.rejectingProvider },
    "provider_call_rejected",
    "A-47",
  ],
  "a contact on the do-not-call list": [{ toNumber: telephony.doNotCall }, "contact_on_dnc_list"],
  "a contact outside the callable hours": [{ toNumber: telephony.asleep }, "outside_callable_hours"],
};

const reasonCases = Object.entries(rejections).map(([what, [change, code, assumption]]) =>
  test(`${what} returns ${code} and places no call`, async (target, check) => {
    const client = await connect(target);
    const before = (await client.calls.list()).meta.total;
    const call = client.calls.create({ ...request, ...change });
    await (assumption ? check.rejectedWithStatus(call, code, assumption, what) : check.rejected(call, code));
    check.equal((await client.calls.list()).meta.total, before, "calls in the list");
  }),
);

/** A contact who is on the do-not-call list and asleep. */
const asleepAndUnwilling = "+15550109121";

/** Requests that break two rules, and policies: the first rule decides. */
const twoRules: Readonly<Record<string, readonly [change: Change, code: ErrorCode, policies?: PolicyChanges]>> = {
  "the flow before the number": [
    { flowId: telephony.unpublishedFlow, fromNumber: telephony.inactiveNumber },
    "flow_not_published",
  ],
  "the number before its provider": [
    { fromNumber: telephony.unverifiedNumber, providerId: telephony.rejectingProvider },
    "phone_number_not_verified",
  ],
  "the provider before the do-not-call list": [
    { fromNumber: telephony.rejectedNumber, toNumber: telephony.doNotCall },
    "provider_call_rejected",
  ],
  "the do-not-call list before the callable hours": [{ toNumber: asleepAndUnwilling }, "contact_on_dnc_list"],
  "the callable hours before the daily limit": [
    { toNumber: telephony.asleep },
    "outside_callable_hours",
    { dailyCallLimit: 0 },
  ],
  "the daily limit before the queue": [
    {},
    "daily_call_limit_exceeded",
    { dailyCallLimit: 0, concurrentCallLimit: 0, callQueueLimit: 0 },
  ],
};

const orderCases = Object.entries(twoRules).map(([what, [change, code, policies = {}]]) =>
  test(`a call checks ${what}`, async (target, check) => {
    const contact = { accountId: accounts.home, number: asleepAndUnwilling };
    await target.seed({ contacts: [{ ...contact, doNotCall: true, timeZone: "America/Los_Angeles" }] });
    await target.policies.set(policies);
    await check.rejected((await connect(target)).calls.create({ ...request, ...change }), code);
  }),
);

/** E.164: a plus sign and up to 15 digits that do not begin with 0. */
const called: Readonly<Record<string, string>> = { "15 digits": `+1${"5".repeat(14)}`, "2 digits": "+15" };
const notCalled: Readonly<Record<string, string>> = {
  "16 digits": `+1${"5".repeat(15)}`,
  "1 digit": "+1",
  "a missing plus sign": "15550100002",
  "a leading zero": "+05550100002",
  spaces: "+1 555 010 0002",
  "a trailing line break": "+15550100002\n",
  "digits of another script": "+1555010000\u0662",
};

const numberCases = [
  ...Object.entries(called).map(([what, toNumber]) =>
    test(`a recipient with ${what} is called`, async (target, check) =>
      check.equal((await (await connect(target)).calls.create({ ...request, toNumber })).type, "initiated", "type")),
  ),
  ...Object.entries(notCalled).map(([what, toNumber]) =>
    test(`a recipient with ${what} is rejected as not E.164`, async (target, check) => {
      const call = (await connect(target)).calls.create({ ...request, toNumber });
      check.equal(await fieldsNamed(check, call), ["toNumber phone_not_e164"], "fields");
    }),
  ),
];

/** Requests that are refused, for one reason or for the first of two. */
const rejectionCases = [...reasonCases, ...orderCases, ...numberCases];

type Query = Parameters<CallTransfer["calls"]["list"]>[0];
const failed = pastCalls.filter(({ status }) => status === "failed");
const completed = pastCalls.slice(0, 10).filter(({ status }) => status === "completed");
const startLocal = new Date(start - 4 * hourMs).toISOString().replace("Z", "+02:00");
const idsOf = (calls: readonly { id: string }[]) => calls.map(({ id }) => id);
const ids = idsOf(pastCalls);

/** Queries of the list, the calls that each selects, and their total: that of the page unless it is given. */
const pages: Readonly<Record<string, readonly [query: Query, calls: readonly { id: string }[], total?: number]>> = {
  "limit and offset select a page, and the total stays": [
    { limit: 7, offset: 20 },
    pastCalls.slice(20, 27),
    ids.length,
  ],
  "a page beyond the end is empty and still has the total": [{ offset: 1000 }, [], ids.length],
  "the status filter selects calls, and the total counts them": [{ status: "failed" }, failed],
  "a status that no call has gives an empty list": [{ status: "no-such-status" }, []],
  "a call placed at exactly the start date is listed": [{ startDate: iso(-6 * hourMs) }, pastCalls.slice(0, 6)],
  "a call placed a millisecond before the start date is left out": [
    { startDate: iso(-6 * hourMs + 1) },
    pastCalls.slice(0, 5),
  ],
  "a start date with a time zone offset is converted to UTC": [{ startDate: startLocal }, pastCalls.slice(0, 6)],
  "filters and paging work together": [
    { status: "completed", startDate: iso(-10 * hourMs), limit: 3, offset: 1 },
    completed.slice(1, 4),
    completed.length,
  ],
};

const pageCases = Object.entries(pages).map(([name, [query, calls, total = calls.length]]) =>
  test(name, async (target, check) => {
    const list = await (await connect(target)).calls.list(query);
    check.equal(idsOf(list.calls), idsOf(calls), "ids");
    check.equal(list.meta.total, total, "meta.total");
  }),
);

export const callCases: readonly ContractCase[] = [
  ...placementCases,
  ...dailyLimitCases,
  ...rejectionCases,
  ...callableHourCases,
  test("the list contains the account's calls, newest first, and their total", async (target, check) => {
    const list = await (await connect(target)).calls.list({ limit: pastCalls.length });
    check.equal(idsOf(list.calls), ids, "ids");
    check.equal(list.meta.total, ids.length, "meta.total");
    check.equal(list.calls[1]?.duration, pastCalls[1]?.duration, "duration");
  }),
  ...pageCases,
  test("for await visits every call once", async (target, check) => {
    const seen: string[] = [];
    for await (const call of (await connect(target)).calls.list({ limit: 10 })) seen.push(call.id);
    check.equal(seen, ids, "ids");
  }),
  test("pages() yields pages of the limit's size", async (target, check) => {
    const sizes: number[] = [];
    for await (const page of (await connect(target)).calls.list({ limit: 10 }).pages()) sizes.push(page.calls.length);
    check.equal(sizes, [10, 10, 5], "sizes of the pages");
  }),
  test("toArray stops at maxItems", async (target, check) => {
    const calls = await (await connect(target)).calls.list({ limit: 10 }).toArray({ maxItems: 12 });
    check.equal(idsOf(calls), ids.slice(0, 12), "ids");
  }),
];
