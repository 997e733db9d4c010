// The invariants of receivers: one decision per offer, whatever their store and their processes do.
import type { OfferRecord, Receiving, RequestRecord, StartRecord } from "./receiving-plan.ts";
import type { Step } from "./stores.ts";

type Check = (receiving: Receiving, offer: OfferRecord) => Iterable<string>;

/** Room for the rounding of times. */
const slackMs = 5;

/** When a request was answered. */
const endOf = ({ settledAt = Number.POSITIVE_INFINITY }: RequestRecord): number => settledAt;
/** Names an offer at a time, for messages. */
const nameOf = ({ name }: OfferRecord, at: number): string => `${name} at ${new Date(at).toISOString()}`;

/** Whether the answer of a request is the app's, and no failure. */
const isDecision = ({ status, text = "" }: { status?: number | undefined; text?: string }): boolean =>
  status !== undefined && status < 500 && (status === 204 || text.startsWith("decision"));

/** What the store found for a claim. */
const stateOf = (step: Step | undefined): string | undefined => (step?.found as { state?: string } | undefined)?.state;

/** The steps in which a request claimed its event. */
const claims = ({ steps }: RequestRecord): Step[] => steps.filter(({ name }) => name === "claim");

/** The requests of an offer that were open in the same process at the end of one that never asked the store: it joined them. */
const joined = ({ requests }: OfferRecord, request: RequestRecord): RequestRecord[] =>
  request.steps.length > 0
    ? []
    : requests.filter(
        (one) =>
          one !== request &&
          one.process === request.process &&
          one.at <= endOf(request) &&
          endOf(one) >= endOf(request),
      );

/** A process never contradicts itself, unless it stalled so long that a copy took over. */
function* oneAnswerOfAProcess({ plan }: Receiving, offer: OfferRecord): Iterable<string> {
  for (const process of new Set(offer.requests.map((request) => request.process))) {
    if (process.stalls.some(({ from, to }) => to - from >= plan.options.leaseDurationMs)) continue;
    const texts = new Set(
      offer.requests.filter((one) => one.process === process && isDecision(one)).map(({ text }) => text),
    );
    if (texts.size > 1) yield `${offer.name} got several answers of ${process.name}: ${[...texts].join(", ")}`;
  }
}

/** An answer is offered twice before it is sent. */
function* answersAreStored(_: Receiving, offer: OfferRecord): Iterable<string> {
  const completes = offer.requests.map(({ steps }) => steps.filter(({ name }) => name === "complete"));
  const given = offer.starts.filter(
    ({ request, fails }) => !fails && isDecision(request) && request.process.crashedAt === undefined,
  );
  if (given.length > 0 && !completes.flat().some(({ found, failed }) => found === true || failed))
    yield `the answer of ${offer.name} was never stored`;
  for (const { request } of given) {
    const [first, second] = request.steps.filter(({ name, at }) => name === "complete" && at <= endOf(request));
    if (first?.failed && second === undefined) yield `the answer of ${offer.name} was offered once before it was sent`;
  }
}

/** A process that rejects an event gives its lease back, unless the store fails. */
function* leasesAreGivenBack(_: Receiving, offer: OfferRecord): Iterable<string> {
  for (const request of offer.requests) {
    if (request.process.crashedAt !== undefined || offer.starts.some((one) => one.request === request)) continue;
    const last = claims(request)
      .filter(({ doneAt }) => doneAt !== undefined)
      .reduce<Step | undefined>((one, other) => ((one?.doneAt ?? 0) > (other.doneAt ?? 0) ? one : other), undefined);
    const release = request.steps.findLast(({ name, doneAt }) => name === "release" && doneAt !== undefined);
    const hasTried = request.steps.some(({ name, failed }) => name === "release" && failed);
    if (stateOf(last) === "claimed" && !hasTried && (release?.doneAt ?? 0) < (last?.doneAt ?? 0))
      yield `${nameOf(offer, request.at)} kept a lease although it was refused`;
  }
}

/** How long a receiver extends a lease at most. */
const longestHandlingMs = 60_000;
/** Whether a process stalled during a time for long enough to lose a lease. */
const stalled = ({ process }: RequestRecord, leaseMs: number, from: number, to: number): boolean =>
  process.stalls.some((one) => one.to - one.from > leaseMs / 2 && one.from <= to && one.to >= from);

const crashedWith = (request: RequestRecord): number | undefined => {
  const at = request.process.crashedAt;
  return at !== undefined && at >= request.at && at <= endOf(request) ? at : undefined;
};

const failedBefore = ({ steps }: RequestRecord, time: number): boolean =>
  steps.some(({ failed, at }) => failed && at <= time);

/** Whether something allows a second start while or after the first one. */
function isExcused({ plan, forgotAt }: Receiving, first: StartRecord, second: StartRecord): boolean {
  const { leaseDurationMs: leaseMs, onStoreError } = plan.options;
  const crash = crashedWith(first.request);
  const forgot = forgotAt() ?? -1;
  return (
    (first.fails && first.endedAt !== undefined && first.endedAt <= second.at) ||
    (crash !== undefined && crash <= second.at) ||
    stalled(first.request, leaseMs, first.at, Math.min(endOf(first.request), second.at)) ||
    (forgot >= first.request.at && forgot <= second.at) ||
    second.at - first.at > longestHandlingMs + leaseMs / 3 ||
    failedBefore(first.request, second.at) ||
    (onStoreError === "handle" && failedBefore(second.request, second.at))
  );
}

function* handledOnce(receiving: Receiving, offer: OfferRecord): Iterable<string> {
  for (const [index, second] of offer.starts.entries())
    for (const first of offer.starts.slice(0, index))
      if (!isExcused(receiving, first, second)) yield `${nameOf(offer, second.at)} was handled again without a reason`;
}

function* startsAfterClaim({ plan }: Receiving, offer: OfferRecord): Iterable<string> {
  for (const { request, at } of offer.starts) {
    // Later claims may be of the same instant.
    const handled = request.steps.findIndex(({ name }) => name !== "claim");
    const before = handled === -1 ? request.steps : request.steps.slice(0, handled);
    const last = before.findLast(
      ({ failed, received, at: askedAt }) => (failed || received !== undefined) && askedAt <= at,
    );
    const state = (last?.received as { state?: string } | undefined)?.state;
    if (state === "claimed" || (last?.failed && plan.options.onStoreError === "handle")) continue;
    yield `${nameOf(offer, at)} was handled although the store answered ${state ?? "nothing"}`;
  }
}

/** All answers of an event are the same, and are of one of its own starts. Answers from before a loss may differ. */
function* oneAnswer({ forgotAt }: Receiving, offer: OfferRecord): Iterable<string> {
  const decided = offer.requests.filter(isDecision);
  for (const { status, text, at } of decided)
    if (status !== offer.app.status || (status !== 204 && !text?.endsWith(` of ${offer.name}`)))
      yield `${nameOf(offer, at)} got the answer of something else: ${status} ${text}`;
  const forgot = forgotAt() ?? Number.NEGATIVE_INFINITY;
  // A process remembers what it had in hand or answered before.
  const isNew = ({ process }: RequestRecord) =>
    !offer.requests.some((one) => one.process === process && one.at <= forgot);
  const after = decided.filter((request) => request.at > forgot && isNew(request));
  for (const group of [after, decided.filter((one) => endOf(one) < forgot)]) {
    const texts = new Set(group.map(({ text }) => text));
    if (texts.size > 1 && !group.some(isUnstored)) yield `${offer.name} got several answers: ${[...texts].join(", ")}`;
  }
}

/** Whether a receiver could not store its answer, and sent it all the same. It tries again at least once. */
const isUnstored = ({ steps }: RequestRecord): boolean =>
  steps.filter(({ name, failed }) => name === "complete" && failed).length > 1;

function* settledInTime({ plan }: Receiving, offer: OfferRecord): Iterable<string> {
  const { duplicateWaitMs: waitMs, storeTimeoutMs } = plan.options;
  for (const request of offer.requests) {
    const { at, process, steps } = request;
    if (crashedWith(request) !== undefined) continue;
    const tookMs = endOf(request) - at;
    if (tookMs === Number.POSITIVE_INFINITY) yield `${nameOf(offer, at)} was never answered`;
    if (process.stalls.some(({ from, to }) => to >= at && from <= endOf(request))) continue;
    const start = offer.starts.find((one) => one.request === request);
    const handlingMs = start?.endedAt === undefined ? 0 : start.endedAt - start.at;
    const store = start ? 6 : 2;
    const waits = start ? Math.max(1, steps.filter(({ found }) => found === false).length + 1) : 1;
    const limitMs = waits * waitMs + store * storeTimeoutMs + handlingMs + slackMs;
    if (tookMs > limitMs) yield `${nameOf(offer, at)} was answered after ${tookMs} ms instead of ${limitMs} ms`;
    const last = claims(request).findLast(({ received }) => received !== undefined)?.received;
    const isBusy = (last as { state?: string } | undefined)?.state === "in_progress";
    if (request.status === 503 && isBusy && !start && tookMs < waitMs - slackMs)
      yield `${nameOf(offer, at)} got 503 after ${tookMs} ms, but copies wait for ${waitMs} ms`;
  }
}

/** Every answer that is not the app's has a reason. */
function* refusalsHaveReasons({ plan }: Receiving, offer: OfferRecord): Iterable<string> {
  const { onStoreError, duplicateWaitMs: waitMs } = plan.options;
  for (const request of offer.requests) {
    const { status, text = "", at, steps } = request;
    if (status === undefined || isDecision(request)) continue;
    const others = joined(offer, request);
    const start = offer.starts.find((one) => one.request === request);
    const wasTaken = steps.some(
      ({ received }) => received === false || (received as { state?: string } | undefined)?.state === "in_progress",
    );
    const isStoreError =
      onStoreError === "reject" && [request, ...others].some((one) => failedBefore(one, endOf(request)));
    // One that it waits for is still handled, or was itself refused because others have the event.
    const waited = others.some((one) => endOf(request) - at >= waitMs - slackMs || one.status === 503);
    const isReasonable = (status >= 500 && start?.fails) || (status === 503 && (wasTaken || waited || isStoreError));
    if (!isReasonable) yield `${nameOf(offer, at)} got ${status} ${text.trim()} without a reason`;
  }
}

/** An event is only busy while a request has it, or until the lease of a lost one ends. */
function* busyHasReasons({ plan }: Receiving, offer: OfferRecord): Iterable<string> {
  const { leaseDurationMs: leaseMs } = plan.options;
  const isHolding = (request: RequestRecord, time: number): boolean => {
    const isOpen = request.at <= time && endOf(request) >= time;
    if (isOpen && (request.process.crashedAt ?? time) >= time) return true;
    return claims(request).some(
      (step) =>
        stateOf(step) === "claimed" &&
        (step.doneAt ?? 0) <= time &&
        (step.doneAt ?? 0) + leaseMs >= time &&
        (failedBefore(request, time) || crashedWith(request) !== undefined || stalled(request, 0, request.at, time)),
    );
  };
  for (const request of offer.requests)
    for (const claim of claims(request)) {
      const { doneAt } = claim;
      if (doneAt === undefined || stateOf(claim) !== "in_progress") continue;
      if (!offer.requests.some((other) => other !== request && isHolding(other, doneAt)))
        yield `${nameOf(offer, doneAt)} is busy although nothing handles it`;
    }
}

/** Senders that try again get the app's decision. */
function* nothingIsLost({ forgotAt }: Receiving, offer: OfferRecord): Iterable<string> {
  // A handling that takes too long loses its lease to the next copy, as long as copies come.
  if (offer.app.takesMs.some((ms) => ms > longestHandlingMs)) return;
  for (const { status, text, attempts } of offer.senders)
    if (!isDecision({ status, text }))
      yield `a sender of ${offer.name} got ${status} ${text.trim()} after ${attempts} attempts`;
  // A copy is refused as well if the answer of the first one was lost.
  const isExcused =
    forgotAt() !== undefined ||
    offer.senders.some(({ missedAnAnswer }) => missedAnAnswer) ||
    offer.requests.some((request) => failedBefore(request, Number.POSITIVE_INFINITY));
  if (!isExcused && !offer.senders.some(isDecision)) yield `${offer.name} was lost`;
}

const checks: readonly Check[] = [
  handledOnce,
  startsAfterClaim,
  oneAnswer,
  oneAnswerOfAProcess,
  answersAreStored,
  leasesAreGivenBack,
  settledInTime,
  refusalsHaveReasons,
  busyHasReasons,
  nothingIsLost,
];

/** Checks the offers of a world. Yields a message per violation. */
export function* oneDecisionPerOffer(receiving: Receiving): Iterable<string> {
  for (const offer of receiving.offers) for (const check of checks) yield* check(receiving, offer);
}
