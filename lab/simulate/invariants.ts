// The invariants that must hold in every world. Each one returns the facts of its violations.
import { ApiError, RequestError } from "@call-transfer/sdk";
import { limits } from "@call-transfer/spec";
import { bodyViolations } from "../../packages/contract/src/document/check-response.ts";
import {
  attemptsFollowTheTable,
  budgetRoom,
  isFree,
  outcomesOf,
  settlesInTime,
  steps,
  waitsLongEnough,
} from "./pace.ts";
import { aboutCall, type CallRecord, type Evidence, placedBy, type Violation } from "./records.ts";

/** Checks one invariant and yields a message per violation. */
type Invariant = (evidence: Evidence) => Iterable<string>;

const isDefault = ({ client }: CallRecord): boolean => client.plan.onUnknownOutcome === "throw";

/** The number of attempts that changed something. Copies by the network do not count: the SDK did not send them. */
const applied = ({ attempts }: CallRecord): number =>
  attempts.filter(({ executions }) => executions.some(({ changed, copy }) => changed && !copy)).length;

/** Calls that were executed more than once: several of their attempts changed something. */
export const duplicated = (calls: readonly CallRecord[]): CallRecord[] =>
  calls.filter((call) => call.plan.operation.idempotency === "non_idempotent" && applied(call) > 1);

function* nothingTwice({ calls }: Evidence): Iterable<string> {
  for (const call of duplicated(calls.filter(isDefault)))
    yield `${aboutCall(call)} was executed ${applied(call)} times under the default policy`;
}

function* successesAreReal(evidence: Evidence): Iterable<string> {
  for (const call of evidence.calls) {
    if (call.settledAt === undefined || call.error !== undefined) continue;
    const shown = call.value === undefined ? "" : JSON.stringify(call.value);
    const source = call.attempts.at(-1)?.executions.find(({ copy }) => !copy);
    if (source === undefined || source.status >= 300 || source.text !== shown)
      yield `${aboutCall(call)} returned ${shown}, but the backend answered ${source?.status} ${source?.text}`;
    if (!isStored(evidence, call, shown)) yield `${aboutCall(call)} returned ${shown}, which the backend did not store`;
  }
}

/** Whether the backend stored the change that a success reports. */
function isStored(evidence: Evidence, call: CallRecord, shown: string): boolean {
  const { state } = evidence.backend;
  const { operation } = call.plan;
  const answer: Record<string, string> = shown === "" ? {} : JSON.parse(shown);
  const { id = "", callId, signingSecret } = answer;
  if (operation.method === "GET") return true;
  if (operation.method === "DELETE") return state.members.get(namedBy(call))?.hours === undefined;
  if (operation.idempotency === "conflict_safe") return state.groups.has(id);
  if (operation.hasBody)
    return placedBy(evidence, call).length > 0 && (callId === undefined || state.calls.has(callId));
  return evidence.rotations.get(id)?.some(({ secret }) => secret === signingSecret) ?? false;
}

/** The member that a path names. */
const namedBy = ({ attempts }: CallRecord): string => attempts[0]?.url.split("/").at(-2) ?? "";

function* outcomesAreTrue({ calls }: Evidence): Iterable<string> {
  for (const call of calls) {
    const { error, attempts, abortedAt, plan } = call;
    if (!(error instanceof RequestError)) continue;
    if (["rejected", "not_sent"].includes(error.outcome) && applied(call) > 0)
      yield `${aboutCall(call)} reports ${error.outcome}, but the backend's state changed`;
    const possible = outcomesOf(attempts, abortedAt);
    if (!possible.has(error.outcome))
      yield `${aboutCall(call)} reports ${error.outcome} instead of ${[...possible].join(" or ")}`;
    const isUnknown = plan.operation.idempotency === "non_idempotent" && ["unknown", "applied"].includes(error.outcome);
    if (isUnknown !== (error.name === "OutcomeUnknownError")) yield `${aboutCall(call)} threw ${error.name}`;
    if (error.attempts.length !== attempts.length)
      yield `${aboutCall(call)} reports ${error.attempts.length} attempts, but sent ${attempts.length}`;
    if (abortedAt !== undefined) continue;
    for (const [index, reported] of error.attempts.entries())
      for (const field of ["status", "code"] as const) {
        const actual = attempts[index]?.[field];
        if (reported[field] !== actual)
          yield `${aboutCall(call)} reports ${field} ${reported[field]} of attempt ${index + 1} instead of ${actual}`;
      }
    if (error instanceof ApiError && error.code !== attempts.at(-1)?.code)
      yield `${aboutCall(call)} reports code ${error.code} instead of ${attempts.at(-1)?.code}`;
  }
}

/** A complete result of reconcile() on a healthy list must contain every call that was placed. */
function* reconcileIsTrue(evidence: Evidence): Iterable<string> {
  const { reconciliations, plan } = evidence;
  const { callListDelaySecs = 0, includeQueuedCalls = true } = plan.policies;
  for (const { call, complete, candidates, explanation, window } of reconciliations) {
    const { operation } = call.plan;
    const until = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(explanation)?.[0];
    const { credential } = call.client.plan;
    // The token may have expired.
    if (credential === "fixedToken" || credential === "renewedToken") continue;
    const runs = call.attempts.flatMap(({ executions }) => executions).filter(({ changed, copy }) => changed && !copy);
    if (!operation.hasBody) {
      const signsUntil = Math.min(...runs.map(({ at }) => at)) + overlapMs;
      if (until !== undefined && Date.parse(until) > signsUntil)
        yield `${aboutCall(call)}: reconcile() reports that the old secret signs until ${until}, which is too late`;
      if (until === undefined && window.byServerClock)
        yield `${aboutCall(call)}: reconcile() does not report how long the old secret signs`;
      continue;
    }
    const missed = placedBy(evidence, call).filter(({ id }) => !candidates.includes(id));
    const isHealthy = callListDelaySecs === 0 && includeQueuedCalls;
    if (complete && isHealthy && missed.length > 0)
      yield `${aboutCall(call)}: reconcile() from ${window.start} missed a call that was placed`;
    if (!complete && isHealthy)
      yield `${aboutCall(call)}: reconcile() is not complete although the list is healthy: ${explanation}`;
  }
}

const overlapMs = limits.previousSecretOverlapHours * 3_600_000;

/** The retries of a call that the budget paid for in the end: the server asked for none, and the last one failed. */
function paidRetries(call: CallRecord): number {
  const retried = steps(call).filter(({ next, renewal }) => next && !renewal);
  const paid = retried.filter(({ attempt }) => !isFree(attempt));
  const isGivenBack = call.error === undefined && paid.length > 0 && paid.at(-1) === retried.at(-1);
  return paid.length - Number(isGivenBack);
}

/** Requests of reconcile() also use the budget. Only retries of calls are counted here. */
function* retryLoadIsBounded({ clients, calls, attempts, scheduler }: Evidence): Iterable<string> {
  const hours = (scheduler.now - (calls[0]?.startedAt ?? scheduler.now)) / 3_600_000;
  for (const budget of new Set(clients.map((client) => client.budget))) {
    const own = calls.filter(({ client }) => client.budget === budget);
    const retries = own.reduce((sum, call) => sum + paidRetries(call), 0);
    const lists = attempts.filter(({ call, client, status = 0 }) => !call && client.budget === budget && status < 300);
    const successes = own.filter(({ error }) => error === undefined).length + lists.length;
    const most = budgetRoom.retries + successes / budgetRoom.successesPerRetry + hours * budgetRoom.retriesPerHour;
    if (retries > most) yield `${retries} retries of ${own.length} calls exceed the budget of ${most}`;
  }
}

function* nothingLeaks({ produced, trace, calls, secrets }: Evidence): Iterable<string> {
  const texts = [...produced, ...trace, ...calls.map(({ shownError }) => shownError)];
  const all = texts.join("\n");
  for (const secret of secrets) {
    if (!all.includes(secret)) continue;
    const where = texts.find((text) => text.includes(secret)) ?? "";
    const around = where.slice(Math.max(0, where.indexOf(secret) - 200)).replaceAll(secret, "<the secret>");
    yield `a secret is visible in: ${around.slice(0, 300)}`;
  }
}

function* accountsStayApart({ backend, calls, attempts }: Evidence): Iterable<string> {
  const names = new Set<string>();
  for (const { accountId, name } of backend.state.groups.values()) {
    const key = `${accountId} ${name}`;
    if (names.has(key)) yield `account ${accountId} has two groups named ${name}`;
    names.add(key);
  }
  for (const call of calls)
    if (call.plan.foreign && call.error === undefined && namesSomething(call))
      yield `${aboutCall(call)} reached a resource of another account`;
  for (const { operation, executions, client } of attempts) {
    if (operation.resource !== "calls" || operation.hasBody) continue;
    for (const { status, text } of executions) {
      if (status >= 300) continue;
      const list: { calls: { id: string }[] } = JSON.parse(text);
      const strays = list.calls.filter(({ id }) => backend.state.calls.get(id)?.accountId !== client.accountId);
      if (strays.length > 0) yield `listCalls returned a call of another account to ${client.plan.name}`;
    }
  }
}

const namesSomething = ({ plan: { operation } }: CallRecord): boolean =>
  operation.hasBody || operation.pathParameters.length > 0;

/** Values that differ from body to body, and do not change whether a body is valid. */
const uuids = /"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"/g;
const times = /"2026-03-0[23]T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z"/g;
const knownBodies = new Set<string>();

function* bodiesFit({ attempts }: Evidence): Iterable<string> {
  for (const { operation, executions } of attempts) {
    for (const { status, text } of executions) {
      const shape = `${operation.id} ${status} ${text.replaceAll(uuids, "an id").replaceAll(times, "a time")}`;
      if (text === "" || knownBodies.has(shape)) continue;
      const broken = bodyViolations(operation.id as Parameters<typeof bodyViolations>[0], status, JSON.parse(text));
      if (broken.length > 0) yield `the ${status} body of ${operation.id} is invalid (${broken.join(", ")}): ${text}`;
      else knownBodies.add(shape);
      if (knownBodies.size > 5_000) knownBodies.clear();
    }
  }
}

function* healingHelps({ calls }: Evidence): Iterable<string> {
  for (const call of calls)
    if (call.plan.healed && call.error !== undefined)
      yield `${aboutCall(call)} failed after all faults had ended: ${call.error}`;
}

/** The invariants by number. Number 8 is checked during a run, and 14 by running a world twice. */
export const invariants: Readonly<Record<string, Invariant>> = {
  "1 nothing is executed twice": nothingTwice,
  "2 successes are real": successesAreReal,
  "3 outcomes are true": outcomesAreTrue,
  "3 reconcile() is true": reconcileIsTrue,
  "4 attempts follow the table": attemptsFollowTheTable,
  "5 calls settle in time": settlesInTime,
  "6 waits are long enough": waitsLongEnough,
  "7 retries stay within the budget": retryLoadIsBounded,
  "9 no secret leaks": nothingLeaks,
  "11 accounts stay separate": accountsStayApart,
  "12 bodies match the schemas": bodiesFit,
  "13 calls succeed without faults": healingHelps,
};

/** All violations in a world. */
export function violationsOf(evidence: Evidence): Violation[] {
  const found = [...evidence.violations];
  for (const [invariant, check] of Object.entries(invariants))
    for (const message of check(evidence)) found.push({ invariant, message });
  return found;
}
