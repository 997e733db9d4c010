import type { CallRecord } from "../model/records.ts";
import type { BackendState } from "../model/state.ts";
import { callEndTimer } from "../model/timer-queue.ts";
import { callEndsAt, elapsedSecs, refusalFromQueue } from "../rules/calls.ts";

/** Announces that a call is in progress, and schedules its end, which makes room for the next call in the queue. */
export function startCall(backend: BackendState, call: CallRecord): void {
  backend.events.emit("call.started", { id: call.id });
  scheduleCallEnd(backend, call.id, callEndsAt(call, backend.policies));
}

/** Schedules the end of a call for a time in milliseconds. A call that is not in progress by then stays as it is. */
export function scheduleCallEnd(backend: BackendState, callId: string, endsAt: number): void {
  backend.clock.schedule(endsAt, (now) => completeCall(backend, callId, now), { kind: callEndTimer, id: callId });
}

function completeCall(backend: BackendState, callId: string, now: number): void {
  const call = backend.state.calls.get(callId);
  if (call?.status !== "in_progress") return;
  backend.state.calls.set(callId, { ...call, status: "completed", duration: elapsedSecs(call, now) });
  backend.events.emit("call.completed", { id: callId });
  drainQueue(backend, call.accountId, now);
}

/**
 * Starts waiting calls, first in, first out, up to the concurrent-call limit. Ends those that a rule refuses by then
 * without the use of a line.
 */
export function drainQueue(backend: BackendState, accountId: string, now: number): void {
  const { waiting, active } = backend.state.calls.of(accountId);
  for (const call of waiting.values()) {
    if (active.size >= backend.policies.concurrentCallLimit) return;
    const refusal = refusalFromQueue(backend.state, backend.policies, call, now);
    if (refusal !== undefined) {
      const { code: reason } = refusal.problem;
      backend.state.calls.set(call.id, { ...call, status: "failed", reason });
      backend.events.emit("call.failed", { id: call.id, reason });
      continue;
    }
    const started: CallRecord = { ...call, status: "in_progress", startedAt: now };
    backend.state.calls.set(call.id, started);
    startCall(backend, started);
  }
}

/** Schedules the end of a call that was added, changed or removed from outside, and starts those that now have room. */
export function resumeCall(
  backend: BackendState,
  callId: string,
  accountId: string | undefined = backend.state.calls.get(callId)?.accountId,
): void {
  const call = backend.state.calls.get(callId);
  backend.clock.cancel({ kind: callEndTimer, id: callId });
  if (call?.status === "in_progress") scheduleCallEnd(backend, callId, callEndsAt(call, backend.policies));
  if (accountId !== undefined) drainQueue(backend, accountId, backend.clock.now());
}

/** When a call in progress ends, in milliseconds; undefined for any other call. */
export function currentCallEnd({ state, clock, policies }: BackendState, callId: string): number | undefined {
  const call = state.calls.get(callId);
  if (call?.status !== "in_progress") return undefined;
  // The timer decides: the policy may have changed since the call began.
  const timer = clock.timers().find(({ kind, id }) => kind === callEndTimer && id === callId);
  return timer?.at ?? callEndsAt(call, policies);
}
