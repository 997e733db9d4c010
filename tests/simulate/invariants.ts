// What must hold in every world, whatever the network does. Each invariant tells the facts where it does not.
import { ApiError, RequestError } from "@call-transfer/sdk";
import { limits } from "@call-transfer/spec";
import { bodyViolations } from "../../packages/contract/src/suite/schema-check.ts";
import { attemptsFollowTheTable, budgetRoom, outcomesOf, settlesInTime, steps, waitsLongEnough } from "./pace.ts";
import type { CallRecord, Violation } from "./records.ts";
import { aboutCall, placedBy } from "./records.ts";
import type { Evidence } from "./world.ts";

/** Checks one invariant; gives a message for each breach. */
type Invariant = (evidence: Evidence) => Iterable<string>;

const isDefault = ({ client }: CallRecord): boolean => client.plan.unsafe === "never";

/** Attempts of a call that changed something. A copy made by the network itself is below the SDK and does not count. */
const applied = ({ attempts }: CallRecord): number =>
  attempts.filter(({ executions }) => executions.some(({ changed, copy }) => changed && !copy)).length;

/** Calls that were carried out more than once: more than one of their attempts changed something. */
export const duplicated = (calls: readonly CallRecord[]): CallRecord[] =>
  calls.filter((call) => call.plan.operation.retry === "once" && applied(call) > 1);

function* nothingTwice({ calls }: Evidence): Iterable<string> {
  for (const call of duplicated(calls.filter(isDefault)))
    yield `${aboutCall(call)} was carried out ${applied(call)} times under the default policy`;
}

function* successesAreReal(evidence: Evidence): Iterable<string> {
  for (const call of evidence.calls) {
    if (call.settledAt === undefined || call.error !== undefined) continue;
    const shown = call.value === undefined ? "" : JSON.stringify(call.value);
    const source = call.attempts.at(-1)?.executions.find(({ copy }) => !copy);
    const isReal = source !== undefined && source.status < 300 && source.text === shown;
    if (!isReal) {
      yield `${aboutCall(call)} returned ${shown}, but the backend answered ${source?.status} ${source?.text}`;
    }
    if (!isKept(evidence, call, shown)) yield `${aboutCall(call)} returned ${shown}, which the backend does not hold`;
  }
}

/** Whether the backend holds what a success says that it made. */
function isKept(evidence: Evidence, call: CallRecord, shown: string): boolean {
  const { state } = evidence.backend;
  const { operation } = call.plan;
  const answer: Record<string, string> = shown === "" ? {} : JSON.parse(shown);
  const { id = "", callId, signingSecret } = answer;
  if (operation.method === "GET") return true;
  if (operation.method === "DELETE") return state.members.get(namedBy(call))?.hours === undefined;
  if (operation.retry === "unique") return state.groups.has(id);
  if (operation.hasBody) return placedBy(evidence, call) > 0 && (callId === undefined || state.calls.has(callId));
  return evidence.rotations.get(id)?.some(({ secret }) => secret === signingSecret) ?? false;
}

/** The member that a path names. */
const namedBy = ({ attempts }: CallRecord): string => attempts[0]?.url.split("/").at(-2) ?? "";

function* outcomesAreTrue({ calls }: Evidence): Iterable<string> {
  for (const call of calls) {
    const { error, attempts, abortedAt, plan } = call;
    if (!(error instanceof RequestError)) continue;
    if (["rejected", "not_sent"].includes(error.outcome) && applied(call) > 0)
      yield `${aboutCall(call)} is told as ${error.outcome}, but the backend's state changed`;
    const possible = outcomesOf(attempts, abortedAt);
    if (!possible.has(error.outcome))
      yield `${aboutCall(call)} is told as ${error.outcome}; the table says ${[...possible].join(" or ")}`;
    const isUnknown = plan.operation.retry === "once" && ["unknown", "applied"].includes(error.outcome);
    if (isUnknown !== (error.name === "OutcomeUnknownError")) yield `${aboutCall(call)} threw ${error.name}`;
    if (error.attempts.length !== attempts.length)
      yield `${aboutCall(call)} tells ${error.attempts.length} attempts, but sent ${attempts.length}`;
    for (const [index, told] of error.attempts.entries())
      if (told.status !== attempts[index]?.status && abortedAt === undefined)
        yield `${aboutCall(call)} tells status ${told.status} of attempt ${index + 1}`;
      else if (told.code !== attempts[index]?.code && abortedAt === undefined)
        yield `${aboutCall(call)} tells code ${told.code} of attempt ${index + 1}, which was ${attempts[index]?.code}`;
    if (error instanceof ApiError && error.code !== attempts.at(-1)?.code && abortedAt === undefined)
      yield `${aboutCall(call)} misread its answer: code ${error.code}, which was ${attempts.at(-1)?.code}`;
  }
}

/** A complete look at a healthy list that finds nothing must be right. */
function* looksAreTrue({ looks, plan, backend }: Evidence): Iterable<string> {
  const { callListLagSecs = 0, queuedCallsListed = true } = plan.policies;
  for (const { call, complete, candidates, explanation, from } of looks) {
    const { operation } = call.plan;
    const until = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(explanation)?.[0];
    const { credential } = call.client.plan;
    // A token may be dead by now, and a clock that was set tells nothing.
    if (call.client.jumped || credential === "fixedToken" || credential === "renewedToken") continue;
    const runs = call.attempts.flatMap(({ executions }) => executions).filter(({ changed, copy }) => changed && !copy);
    if (!operation.hasBody) {
      const signsUntil = Math.min(...runs.map(({ at }) => at)) + overlapMs;
      if (until !== undefined && Date.parse(until) > signsUntil)
        yield `${aboutCall(call)}: reconcile() says that the old secret signs until ${until}, which is too late`;
      if (until === undefined) yield `${aboutCall(call)}: reconcile() does not say how long the old secret signs`;
      continue;
    }
    const placed = [...backend.state.calls.values()].filter(({ request }) => request.note === call.id);
    const hidden = placed.filter(({ id }) => !candidates.includes(id));
    // A client whose clock is far ahead and that never saw the server's Date looks from too late on; the docs say so.
    const isHealthy = callListLagSecs === 0 && queuedCallsListed;
    if (complete && isHealthy && hidden.length > 0)
      yield `${aboutCall(call)}: reconcile() from ${new Date(from).toISOString()} missed a call that was placed`;
    if (!complete && isHealthy) yield `${aboutCall(call)}: reconcile() of a quiet list is not complete: ${explanation}`;
  }
}

const overlapMs = limits.previousSecretOverlapHours * 3_600_000;

/** The looks' retries and successes count in a budget too; only the calls' own retries are held against it. */
function* retryLoadIsBounded({ clients, calls, attempts }: Evidence): Iterable<string> {
  for (const budget of new Set(clients.map((client) => client.budget))) {
    const own = calls.filter(({ client }) => client.budget === budget);
    const retries = own.flatMap(steps).filter(({ next, renewal }) => next && !renewal).length;
    const looks = attempts.filter(({ call, client, status = 0 }) => !call && client.budget === budget && status < 300);
    const successes = own.filter(({ error }) => error === undefined).length + looks.length;
    const most = budgetRoom.retries + successes / budgetRoom.successesPerRetry;
    if (retries > most) yield `${retries} retries of ${own.length} calls; the budget has room for ${most}`;
  }
}

function* nothingLeaks({ produced, trace, calls, secrets }: Evidence): Iterable<string> {
  const texts = [...produced, ...trace, ...calls.map(({ shownError }) => shownError)];
  const all = texts.join("\n");
  for (const secret of secrets) {
    if (!all.includes(secret)) continue;
    const where = texts.find((text) => text.includes(secret)) ?? "";
    const around = where.slice(Math.max(0, where.indexOf(secret) - 200)).replaceAll(secret, "<the secret>");
    yield `a secret stands in: ${around.slice(0, 300)}`;
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
      if (strays.length > 0) yield `${client.plan.name} was listed a call of another account`;
    }
  }
}

const namesSomething = ({ plan: { operation } }: CallRecord): boolean =>
  operation.hasBody || operation.pathParameters.length > 0;

/** What differs from body to body, and is as good as any other of its form. */
const uuids = /"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"/g;
const times = /"2026-03-0[23]T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z"/g;
const knownBodies = new Set<string>();

function* bodiesFit({ attempts }: Evidence): Iterable<string> {
  for (const { operation, executions } of attempts) {
    for (const { status, text } of executions) {
      const shape = `${operation.id} ${status} ${text.replaceAll(uuids, "an id").replaceAll(times, "a time")}`;
      if (text === "" || knownBodies.has(shape)) continue;
      const broken = bodyViolations(operation.id as Parameters<typeof bodyViolations>[0], status, JSON.parse(text));
      if (broken.length > 0) yield `${operation.id} answered ${status} with ${broken.join(", ")}: ${text}`;
      else knownBodies.add(shape);
      if (knownBodies.size > 5_000) knownBodies.clear();
    }
  }
}

function* healingHelps({ calls }: Evidence): Iterable<string> {
  for (const call of calls)
    if (call.plan.healed && call.error !== undefined)
      yield `${aboutCall(call)} fails in a healthy world: ${call.error}`;
}

/** The invariants in the order of the design; 8, 10 and 14 are looked at while a world runs, or by running it twice. */
export const invariants: Readonly<Record<string, Invariant>> = {
  "1 nothing twice": nothingTwice,
  "2 successes are real": successesAreReal,
  "3 outcomes are true": outcomesAreTrue,
  "3 looks are true": looksAreTrue,
  "4 attempts": attemptsFollowTheTable,
  "5 settles": settlesInTime,
  "6 waits": waitsLongEnough,
  "7 retry load": retryLoadIsBounded,
  "9 secrets": nothingLeaks,
  "11 accounts apart": accountsStayApart,
  "12 bodies fit": bodiesFit,
  "13 healing": healingHelps,
};

/** Everything that does not hold in a world. */
export function violationsOf(evidence: Evidence): Violation[] {
  const found = [...evidence.violations];
  for (const [invariant, check] of Object.entries(invariants))
    for (const message of check(evidence)) found.push({ invariant, message });
  return found;
}
