// Decides whether the state of a sandbox is whole: every record valid, and calls, transfers and timers in agreement.

import { isDeepStrictEqual } from "node:util";
import { createBackend, type Policies, type Snapshot } from "@call-transfer/backend";
import type { SandboxPlan } from "../plan.ts";
import type { SandboxState } from "./state.ts";
import type { Verdict } from "./verdict.ts";

/** Whether a backend accepts the state: every record is valid, and refers only to records that exist. */
export function judgeSnapshot(snapshot: Snapshot, { findings }: Verdict): void {
  // It sends its open offers, to an app that is not there.
  const backend = createBackend({ fetch: async () => Promise.reject(new Error("Nothing is sent.")) });
  try {
    backend.restore(snapshot);
  } catch (error) {
    findings.push(`The state is not valid: ${error instanceof Error ? error.message : String(error)}.`);
  } finally {
    backend.close();
  }
}

/** Calls and transfers have the timers that move them on, and no others; waiting calls wait for a reason, in their order. */
export function judgeShape(state: SandboxState, { findings }: Verdict): void {
  const { calls, transfers, timers, policies, apiKeys, groups } = state;
  const timersOf = Map.groupBy(timers, ({ kind, id }) => `${kind} ${id}`);
  const has = (kind: string, id: string, index?: number): boolean =>
    timersOf.get(`${kind} ${id}`)?.some((timer) => index === undefined || timer.index === index) ?? false;

  for (const [accountId, own] of Map.groupBy(calls, (call) => call.accountId)) {
    const active = own.filter(({ status }) => status === "in_progress");
    const waiting = own.filter(({ status }) => status === "queued");
    const { concurrentCallLimit } = policies as unknown as Policies;
    for (const { id } of active)
      if (!has("call.ends", id)) findings.push(`Call ${id} is in progress, but has no timer.`);
    if (active.length > concurrentCallLimit)
      findings.push(
        `Account ${accountId} has ${active.length} calls in progress, over the limit of ${concurrentCallLimit}.`,
      );
    if (waiting.length > 0 && active.length < concurrentCallLimit)
      findings.push(`Call ${waiting[0]?.id} waits, although only ${active.length} calls are in progress.`);
    const firstWaiting = own.findIndex(({ status }) => status === "queued");
    if (firstWaiting !== -1 && own.slice(firstWaiting).some(({ status }) => status !== "queued"))
      findings.push(`Call ${own[firstWaiting]?.id} waits, although a later one has started.`);
  }
  const callIds = new Set(calls.map(({ id }) => id));
  const transferIds = new Set(transfers.map(({ id }) => id));
  for (const { kind, id } of timers)
    if (!(kind === "call.ends" ? callIds : transferIds).has(id))
      findings.push(`The timer ${kind} of ${id} is of nothing.`);

  for (const { id, status, rings, answers } of transfers) {
    const ringing = rings.flatMap(({ outcome }, index) => (outcome === "ringing" ? [index] : []));
    const answered = rings.filter(({ outcome }) => outcome === "answered").length;
    for (const index of ringing)
      if (!has("transfer.ring_ends", id, index))
        findings.push(`Ring ${index} of transfer ${id} rings, but has no timer.`);
    for (const { kind, outcome, deliveryId, destinationId } of rings)
      if (kind === "app" && outcome !== "skipped" && deliveryId === undefined)
        findings.push(`Transfer ${id} rings app ${destinationId}, but has no offer for it.`);
    if ((status === "ringing") !== ringing.length > 0)
      findings.push(`Transfer ${id} is ${status}, with ${ringing.length} rings that ring.`);
    if (answered !== (status === "connected" || status === "ended" ? 1 : 0))
      findings.push(`Transfer ${id} is ${status}, with ${answered} rings that were answered.`);
    if (status === "connected" && !has("transfer.call_ends", id))
      findings.push(`Transfer ${id} is connected, but has no timer.`);
    if (answers.length > 0 && !has("transfer.settles", id))
      findings.push(`Transfer ${id} has an answer, but no timer that chooses a winner.`);
  }
  for (const [name, ids] of Object.entries({ calls, transfers, groups, apiKeys })) {
    const repeated = ids.length - new Set(ids.map(({ id }) => id)).size;
    if (repeated > 0) findings.push(`${repeated} ids of ${name} repeat.`);
  }
}

/** The clock and the policies are those of the sandbox's creation. */
export function judgeOptions(
  { options, policies }: Pick<SandboxPlan, "options" | "policies">,
  state: SandboxState,
  { findings }: Verdict,
): void {
  if (state.mode !== options.clockMode) findings.push(`The clock is ${state.mode} instead of ${options.clockMode}.`);
  if (state.rate !== (options.clockRate ?? 1)) findings.push(`The rate of the clock is ${state.rate}.`);
  for (const [name, value] of Object.entries(policies))
    if (!isDeepStrictEqual(state.policies[name], value))
      findings.push(
        `The policy ${name} is ${JSON.stringify(state.policies[name])} instead of ${JSON.stringify(value)}.`,
      );
}
