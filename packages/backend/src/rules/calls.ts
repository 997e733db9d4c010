import { limits } from "@call-transfer/spec";
import { zCreateCallRequest } from "@call-transfer/spec/schemas";
import type * as z from "zod";
import { localHour } from "../model/hours.ts";
import { dayOf } from "../model/indexes.ts";
import { type Policies, unknownTimeZone } from "../model/policies.ts";
import type { AccountRecord, CallRecord } from "../model/records.ts";
import { contactKey, type IndexedState } from "../model/state.ts";
import { type Checked, type Problem, problem } from "../utils/problem.ts";
import { checkSuspended } from "./accounts.ts";

/** The result of a placement: placed, or queued at a position counted from 1. */
export type Placement = { readonly type: "initiated" } | { readonly type: "queued"; readonly position: number };

/** The request of a placement. */
type PlacementRequest = z.output<typeof zCreateCallRequest>;

type Check = (
  state: IndexedState,
  account: AccountRecord,
  request: PlacementRequest,
  now: number,
  policies: Policies,
) => Problem | undefined;

/** The checks of a placement, in this order, before the limits of the account. */
const checks: readonly Check[] = [
  function flowIsPublished(state, account, { flowId }) {
    const flow = state.flows.get(flowId);
    return flow?.accountId === account.id && flow.published ? undefined : problem("flow_not_published");
  },
  function numberIsActive(state, account, { fromNumber }) {
    const number = state.numbers.get(fromNumber);
    return number?.accountId === account.id && number.active ? undefined : problem("phone_number_not_active");
  },
  function numberIsVerified(state, _account, { fromNumber }) {
    return state.numbers.get(fromNumber)?.verified ? undefined : problem("phone_number_not_verified");
  },
  function numberInitiatesCalls(state, _account, { fromNumber }) {
    return state.numbers.get(fromNumber)?.canInitiateCalls ? undefined : problem("phone_number_cannot_initiate_calls");
  },
  function providerAccepts(state, _account, { fromNumber, providerId }) {
    const owner = state.numbers.get(fromNumber)?.providerId;
    if (providerId !== undefined && providerId !== owner)
      return problem("provider_call_rejected", { detail: "The number does not belong to this provider." });
    const provider = state.providers.get(owner ?? "");
    return provider !== undefined && (provider.rejects || !provider.active)
      ? problem("provider_call_rejected")
      : undefined;
  },
  function recipientMayBeCalled(state, account, { toNumber }) {
    const contact = state.contacts.get(contactKey(account.id, toNumber));
    return contact?.doNotCall ? problem("contact_on_dnc_list") : undefined;
  },
  function hourIsCallable(state, account, { toNumber }, now, { defaultRecipientTimeZone }) {
    const contact = state.contacts.get(contactKey(account.id, toNumber));
    const timeZone = contact?.timeZone ?? account.timeZone ?? defaultRecipientTimeZone;
    if (timeZone === unknownTimeZone) return undefined;
    const hour = localHour(now, timeZone);
    return hour >= limits.callableFromHour && hour < limits.callableUntilHour
      ? undefined
      : problem("outside_callable_hours");
  },
];

/** Decides on a placement (§4.6): the checks above, then the daily limit, then the concurrent-call limit and the queue. */
export function decidePlacement(
  state: IndexedState,
  policies: Policies,
  account: AccountRecord,
  request: PlacementRequest,
  now: number,
): Checked<Placement> {
  const refusal = firstRefusal(state, policies, account, request, now);
  if (refusal !== undefined) return refusal;
  const { waiting, active, placedOn } = state.calls.of(account.id);
  let today = 0;
  for (const [day, placed] of placedOn) if (day >= dayOf(now)) today += placed;
  if (today >= policies.dailyCallLimit) return problem("daily_call_limit_exceeded");
  if (active.size < policies.concurrentCallLimit) return { type: "initiated" };
  if (waiting.size < policies.callQueueLimit) return { type: "queued", position: waiting.size + 1 };
  const nextEnd = [...active.values()].reduce(
    (end, call) => Math.min(end, callEndsAt(call, policies)),
    Number.POSITIVE_INFINITY,
  );
  const wait = Number.isFinite(nextEnd) ? nextEnd - now : policies.callDurationSecs * 1000;
  return problem("queue_full", { meta: { retryAfterSecs: Math.max(1, Math.ceil(wait / 1000)) } });
}

function firstRefusal(
  state: IndexedState,
  policies: Policies,
  account: AccountRecord,
  request: PlacementRequest,
  now: number,
): Problem | undefined {
  for (const check of checks) {
    const refusal = check(state, account, request, now, policies);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/**
 * Why a call may not leave the queue at `now`, in milliseconds: the account is suspended, or a check of a placement
 * fails. Its day's limit counted the call when it was placed. A seeded call without a request has nothing else to check.
 */
export function refusalFromQueue(
  state: IndexedState,
  policies: Policies,
  call: Pick<CallRecord, "accountId" | "request">,
  now: number,
): Problem | undefined {
  const account = state.accounts.get(call.accountId);
  if (account === undefined || !policies.recheckQueuedCalls) return undefined;
  const request = zCreateCallRequest.safeParse(call.request);
  return checkSuspended(account) ?? (request.data && firstRefusal(state, policies, account, request.data, now));
}

/** Whole seconds that a call in progress has lasted at `now`, in milliseconds. */
export function elapsedSecs(call: Pick<CallRecord, "startedAt" | "createdAt">, now: number): number {
  return Math.max(0, Math.floor((now - (call.startedAt ?? call.createdAt)) / 1000));
}

/** When a call in progress ends by the policy `callDurationSecs`, in milliseconds. */
export function callEndsAt(call: Pick<CallRecord, "startedAt" | "createdAt">, policies: Policies): number {
  return (call.startedAt ?? call.createdAt) + policies.callDurationSecs * 1000;
}

/** The filters of the list; `startDate` is inclusive. */
export interface CallFilter {
  readonly status?: string | undefined;
  readonly startDate?: string | undefined;
}

/** The account's calls that the list shows at `now`, newest first. */
export function listedCalls(
  state: IndexedState,
  policies: Policies,
  accountId: string,
  filter: CallFilter,
  now: number,
): CallRecord[] {
  const from = filter.startDate === undefined ? Number.NEGATIVE_INFINITY : Date.parse(filter.startDate);
  const until = now - policies.callListDelaySecs * 1000;
  return [...state.calls.values()]
    .filter(
      (call) =>
        call.accountId === accountId &&
        call.createdAt >= from &&
        (policies.callListDelaySecs === 0 || call.createdAt <= until) &&
        (call.status !== "queued" || policies.includeQueuedCalls) &&
        (filter.status === undefined || call.status === filter.status),
    )
    .reverse()
    .sort((a, b) => b.createdAt - a.createdAt);
}
