import { covering } from "../../suite/case.ts";
import { connect } from "../../suite/client.ts";
import { shows } from "../../suite/transitions.ts";
import { hourMs, telephony, uuid } from "../../world/names.ts";
import { pastCalls } from "../../world/world.ts";
import { asKey, elsewhere, elsewhereId, fromElsewhere, midnight, request, test } from "./placing.ts";

/** The number of calls of a day, in UTC. */
export const dailyLimitCases = [
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
      const call = (await connect(target, { keyOf: elsewhereId })).calls.create(fromElsewhere);
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
