import { limits } from "../../facts/limits.ts";
import { covering } from "../../suite/case.ts";
import { connect } from "../../suite/client.ts";
import { shows, type Transition } from "../../suite/transitions.ts";
import { accounts, hourMs, telephony } from "../../world/names.ts";
import { asKey, elsewhere, elsewhereId, fromElsewhere, midnight, request, test } from "./placing.ts";

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
    const client = await connect(target, { keyOf: elsewhereId });
    await check.rejected(client.calls.create(fromElsewhere), "outside_callable_hours");
  }),
  test("a recipient is called at any hour if neither they nor the account have a time zone", async (target, check) => {
    await target.seed(elsewhere());
    const client = await connect(target, { keyOf: elsewhereId });
    for (let hour = 0; hour < 24; hour++) {
      check.equal((await client.calls.create(fromElsewhere)).type, "initiated", `type, ${hour} hours later`);
      await target.clock.advance({ by: hourMs });
    }
  }),
  test("a policy sets the time zone of recipients without one", async (target, check) => {
    await target.seed(elsewhere());
    await target.policies.set({ recipientTimeZone: "America/Los_Angeles" });
    const client = await connect(target, { keyOf: elsewhereId });
    await check.rejected(client.calls.create(fromElsewhere), "outside_callable_hours");
  }),
];

/** When a recipient may be called, in which time zone. */
export const callableHourCases = [...hourCases, ...zoneCases, ...elsewhereCases];
