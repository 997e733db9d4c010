import type { Handlers, World } from "../http/exchange.ts";
import { isProblem } from "../model/problem.ts";
import type { CallRecord } from "../model/state.ts";
import { decidePlacement, endOf, listedCalls } from "../rules/calls.ts";

export const callHandlers = {
  /** Places a call, or queues it at the concurrent-call limit (§4.6). */
  createCall(exchange) {
    const { state, clock, random, policies, account, body } = exchange;
    const now = clock.now();
    // A limit that was raised since lets those who wait go first.
    drainQueue(exchange, account.id, now);
    const placement = decidePlacement(state, policies, account, body, now);
    if (isProblem(placement)) return placement;
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
    noteStart(exchange, call);
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

/** Lets a call in progress end by itself, which makes room for the next in the queue. */
export function scheduleCompletion(world: World, { id, ...call }: CallRecord): void {
  completeAt(world, id, endOf(call, world.policies));
}

/** Lets a call end at a time, in milliseconds, if it is in progress then. */
export function completeAt(world: World, id: string, when: number): void {
  const complete = (at: number): void => {
    const call = world.state.calls.get(id);
    if (call?.status !== "in_progress") return;
    world.state.calls.set(id, { ...call, status: "completed", duration: elapsedSecs(call, at) });
    world.events.emit("call.completed", { id });
    drainQueue(world, call.accountId, at);
  };
  world.clock.schedule(when, complete, { kind: callEnds, id });
}

/** The purpose of the timer at a call's end. */
export const callEnds = "call.ends";

/** Starts waiting calls, first in, first out, as far as the concurrent-call limit allows. */
export function drainQueue(world: World, accountId: string, at: number): void {
  const { waiting, active } = world.state.calls.of(accountId);
  for (const call of waiting.values()) {
    if (active.size >= world.policies.concurrentCallLimit) return;
    const started: CallRecord = { ...call, status: "in_progress", startedAt: at };
    world.state.calls.set(call.id, started);
    noteStart(world, started);
  }
}

function noteStart(world: World, call: CallRecord): void {
  world.events.emit("call.started", { id: call.id });
  scheduleCompletion(world, call);
}

function shownCall(call: CallRecord, now: number) {
  const { id, direction, status } = call;
  const duration = status === "in_progress" ? elapsedSecs(call, now) : call.duration;
  return { id, direction, duration, status, createdAt: new Date(call.createdAt).toISOString() };
}

function elapsedSecs(call: CallRecord, now: number): number {
  return Math.max(0, Math.floor((now - (call.startedAt ?? call.createdAt)) / 1000));
}
