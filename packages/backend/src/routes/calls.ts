import type { Handlers } from "../http/checks/exchange.ts";
import type { CallRecord } from "../model/records.ts";
import { drainQueue, startCall } from "../platform/calls.ts";
import { decidePlacement, elapsedSecs, listedCalls } from "../rules/calls.ts";

export const callHandlers = {
  /** Places a call, or queues it at the concurrent-call limit (§4.6). */
  createCall(exchange) {
    const { state, clock, random, policies, account, body } = exchange;
    const now = clock.now();
    // Tests may free a line by changing the state itself. Waiting calls start before this one.
    drainQueue(exchange, account.id, now);
    const placement = decidePlacement(state, policies, account, body, now);
    if (placement.problem) return placement;
    const isQueued = placement.type === "queued";
    const call: CallRecord = {
      id: random.uuid(),
      accountId: account.id,
      direction: "outbound",
      status: isQueued ? "queued" : "in_progress",
      duration: 0,
      createdAt: now,
      startedAt: isQueued ? undefined : now,
      request: body,
    };
    state.calls.set(call.id, call);
    if (isQueued) return { status: 202, body: placement };
    startCall(exchange, call);
    return { status: 201, body: { type: placement.type, callId: call.id } };
  },
  /** Lists the account's calls by limit and offset (§4.6). */
  listCalls({ state, clock, policies, account, query }) {
    const now = clock.now();
    const calls = listedCalls(state, policies, account.id, query, now);
    const page = calls.slice(query.offset, query.offset + query.limit);
    return { status: 200, body: { calls: page.map((call) => shownCall(call, now)), meta: { total: calls.length } } };
  },
} satisfies Handlers;

function shownCall(call: CallRecord, now: number) {
  const { id, direction, status } = call;
  const duration = status === "in_progress" ? elapsedSecs(call, now) : call.duration;
  return { id, direction, duration, status, createdAt: new Date(call.createdAt).toISOString() };
}
