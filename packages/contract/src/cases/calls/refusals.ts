import type { ErrorCode } from "@call-transfer/spec";
import { fieldsNamed } from "../../suite/check.ts";
import { connect } from "../../suite/client.ts";
import type { PolicyChanges } from "../../suite/target.ts";
import { accounts, telephony, uuid } from "../../world/names.ts";
import { request, test } from "./placing.ts";

type Change = Partial<typeof request> & { readonly providerId?: string };

/** Reasons to reject a call that depend on the state alone (§7.2). The assumption stands where the specification leaves the code open. */
const refusals: Readonly<Record<string, readonly [change: Change, code: ErrorCode, assumption?: string]>> = {
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

const reasonCases = Object.entries(refusals).map(([what, [change, code, assumption]]) =>
  test(`${what} returns ${code} and places no call`, async (target, check) => {
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
export const refusalCases = [...reasonCases, ...orderCases, ...numberCases];
