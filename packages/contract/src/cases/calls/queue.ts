import { limits } from "../../facts/limits.ts";
import { covering } from "../../suite/case.ts";
import { connect, validInput } from "../../suite/client.ts";
import { shows } from "../../suite/transitions.ts";
import { hourMs, minuteMs, telephony } from "../../world/names.ts";
import { asKey, midnight, request, test } from "./placing.ts";

/** Calls that are placed, wait in the queue and end, up to the limits of the account. */
export const placementCases = [
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
