// What the cases of calls share: a valid request, and an account beside the home account.
import { casesFor } from "../../suite/case.ts";
import { accounts, telephony, uuid } from "../../world/names.ts";
import type { Seed } from "../../world/seed.ts";

export const test = casesFor("calls", ["stateful", "validates", "policies", "clock"]);

/** A valid call of the home account. */
export const request = { flowId: telephony.flow, fromNumber: telephony.number, toNumber: telephony.recipient };
/** Uses a key, because a token would expire when the clock is advanced. */
export const asKey = { keyOf: accounts.home };
export const midnight = Date.parse("2026-03-02T00:00:00Z");

export const elsewhereId = uuid(811);
export const fromElsewhere = { ...request, flowId: uuid(812), fromNumber: "+15550109811" };

/** An account that can place calls, in a time zone or in none. */
export const elsewhere = (timeZone?: string): Seed => ({
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
