import { limits } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo, demoSeed } from "../../src/data/demo-seed.ts";
import type { CallRecord } from "../../src/model/records.ts";
import { codeOf, control, send } from "../test-client.ts";

const { flows, numbers, recipients, providers, accountId } = demo;
const call = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };
const place = (backend: Backend, toNumber: string = recipients.anyone) =>
  send(backend, "POST /calls", { body: { ...call, toNumber } });

const day = (hour: number) => `2026-03-02T${String(hour).padStart(2, "0")}`;
const [lastHour, nextHour] = [day(limits.callableUntilHour - 1), day(limits.callableUntilHour)];

/** A backend half a minute before the end of the callable hours, with one line in use for a minute and a call to `recipients.anyone` waiting. */
async function withQueue(policies: object = {}, recipientTimeZone = "UTC") {
  const now = `${lastHour}:59:30.000Z`;
  const seed = { ...demoSeed, calls: [] };
  const backend = createBackend({
    ...{ seed, now, controlPlane: true },
    policies: { concurrentCallLimit: 1, recipientTimeZone, ...policies },
  });
  await place(backend);
  await place(backend);
  return backend;
}
const callsOf = (backend: Backend) => [...backend.state.calls.values()];
const waitingCall = (backend: Backend): CallRecord | undefined => callsOf(backend)[1];
const seconds = (backend: Backend, count: number) => backend.clock.advance({ by: count * 1000 });
const change = ({ collections }: Backend) => collections;

const changes: Readonly<Record<string, (backend: Backend) => unknown>> = {
  "the account is suspended": (backend) => change(backend).update("accounts", accountId, { suspended: true }),
  "the flow is unpublished": (backend) => change(backend).update("flows", flows.published, { published: false }),
  "the flow is removed": (backend) => change(backend).delete("flows", flows.published),
  "the number is inactive": (backend) => change(backend).update("numbers", numbers.working, { active: false }),
  "the number is unverified": (backend) => change(backend).update("numbers", numbers.working, { verified: false }),
  "the number only receives": (backend) =>
    change(backend).update("numbers", numbers.working, { canInitiateCalls: false }),
  "the provider is inactive": (backend) => change(backend).update("providers", providers.working, { active: false }),
  "the provider rejects calls": (backend) => change(backend).update("providers", providers.working, { rejects: true }),
  "the recipient is not to be called": (backend) =>
    change(backend).create("contacts", { accountId, number: recipients.anyone, doNotCall: true }),
  "it is evening": (backend) => seconds(backend, 30),
};

describe("a call that leaves the queue", () => {
  it.each(Object.entries(changes))("fails as its placement would when %s", async (_, happens) => {
    const backend = await withQueue({}, _ === "it is evening" ? "UTC" : "unknown");
    await happens(backend);
    const refused = codeOf(await place(backend));
    expect(refused).toEqual(expect.any(String));
    await seconds(backend, 60);
    expect(waitingCall(backend)).toMatchObject({
      status: "failed",
      reason: refused,
      duration: 0,
      startedAt: undefined,
    });
  });

  it.each(Object.entries(changes))("starts where the policy does not check again, although %s", async (_, happens) => {
    const backend = await withQueue({ queuedCallsRechecked: false }, _ === "it is evening" ? "UTC" : "unknown");
    await happens(backend);
    await seconds(backend, 60);
    expect(waitingCall(backend)?.status).not.toBe("failed");
    expect(waitingCall(backend)?.startedAt).toBeDefined();
  });

  it("starts although its day's limit is used up, which counted it when it was placed", async () => {
    const backend = await withQueue({ dailyCallLimit: 2 }, "unknown");
    expect(codeOf(await place(backend))).toBe("daily_call_limit_exceeded");
    await seconds(backend, 60);
    expect(waitingCall(backend)?.status).toBe("in_progress");
  });

  it("starts where a seed says nothing about its placement", async () => {
    const queued = { id: demo.calls.completed, accountId, direction: "outbound", duration: 0, status: "queued" };
    const seed = { ...demoSeed, calls: [{ ...queued, createdAt: "-1m" }] };
    const backend = createBackend({ seed });
    backend.updatePolicies({});
    expect(callsOf(backend)).toMatchObject([{ status: "in_progress" }]);
  });

  it("leaves its line to the next one when it fails", async () => {
    const backend = await withQueue({}, "unknown");
    backend.collections.create("contacts", { accountId, number: recipients.anyone, doNotCall: true });
    expect((await place(backend, "+15550200009")).body).toEqual({ type: "queued", position: 2 });
    await seconds(backend, 60);
    expect(callsOf(backend).map(({ status }) => status)).toEqual(["completed", "failed", "in_progress"]);
  });

  it("is shown when it fails: by an event, in the list and in the state", async () => {
    const backend = await withQueue();
    const happened = await backend.advance({ by: 60_000 });
    const id = waitingCall(backend)?.id;
    expect(happened.filter(({ type }) => type === "call.failed")).toMatchObject([
      { id, reason: "outside_callable_hours", at: `${nextHour}:00:30.000Z` },
    ]);
    const createdAt = `${lastHour}:59:30.000Z`;
    expect((await send(backend, "GET /calls?status=failed")).body).toEqual({
      calls: [{ id, direction: "outbound", duration: 0, status: "failed", createdAt }],
      meta: { total: 1 },
    });
    const { records } = (await control(backend, `GET /records/calls?id=${id}`)).body;
    expect(records).toMatchObject([{ status: "failed", reason: "outside_callable_hours" }]);
    expect(backend.upcoming()).not.toContainEqual(expect.objectContaining({ id }));
  });
});
