import type { CallRecord } from "../model/records.ts";
import type { World } from "../model/state.ts";
import { callEndTimer } from "../model/timer-queue.ts";
import { callEndsAt, elapsedSecs, refusalFromQueue } from "../rules/calls.ts";

/** Announces that a call is in progress, and schedules its end, which makes room for the next call in the queue. */
export function startCall(world: World, call: CallRecord): void {
  world.events.emit("call.started", { id: call.id });
  scheduleCallEnd(world, call.id, callEndsAt(call, world.policies));
}

/** Schedules the end of a call for a time in milliseconds. A call that is not in progress by then stays as it is. */
export function scheduleCallEnd(world: World, callId: string, endsAt: number): void {
  world.clock.schedule(endsAt, (now) => completeCall(world, callId, now), { kind: callEndTimer, id: callId });
}

function completeCall(world: World, callId: string, now: number): void {
  const call = world.state.calls.get(callId);
  if (call?.status !== "in_progress") return;
  world.state.calls.set(callId, { ...call, status: "completed", duration: elapsedSecs(call, now) });
  world.events.emit("call.completed", { id: callId });
  drainQueue(world, call.accountId, now);
}

/**
 * Starts waiting calls, first in, first out, up to the concurrent-call limit. Ends those that a rule refuses by then
 * without the use of a line.
 */
export function drainQueue(world: World, accountId: string, now: number): void {
  const { waiting, active } = world.state.calls.of(accountId);
  for (const call of waiting.values()) {
    if (active.size >= world.policies.concurrentCallLimit) return;
    const refusal = refusalFromQueue(world.state, world.policies, call, now);
    if (refusal !== undefined) {
      const { code: reason } = refusal.problem;
      world.state.calls.set(call.id, { ...call, status: "failed", reason });
      world.events.emit("call.failed", { id: call.id, reason });
      continue;
    }
    const started: CallRecord = { ...call, status: "in_progress", startedAt: now };
    world.state.calls.set(call.id, started);
    startCall(world, started);
  }
}

/** Schedules the end of a call that was added, changed or removed from outside, and starts those that now have room. */
export function resumeCall(
  world: World,
  callId: string,
  accountId: string | undefined = world.state.calls.get(callId)?.accountId,
): void {
  const call = world.state.calls.get(callId);
  world.clock.cancel({ kind: callEndTimer, id: callId });
  if (call?.status === "in_progress") scheduleCallEnd(world, callId, callEndsAt(call, world.policies));
  if (accountId !== undefined) drainQueue(world, accountId, world.clock.now());
}

/** When a call in progress ends, in milliseconds; undefined for any other call. */
export function currentCallEnd({ state, clock, policies }: World, callId: string): number | undefined {
  const call = state.calls.get(callId);
  if (call?.status !== "in_progress") return undefined;
  // The timer decides: the policy may have changed since the call began.
  const timer = clock.timers().find(({ kind, id }) => kind === callEndTimer && id === callId);
  return timer?.at ?? callEndsAt(call, policies);
}
