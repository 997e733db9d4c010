// The invariants of what one process of a receiver knows and owes, whatever its store does.
import { claims, endOf, isDecision, nameOf, stateOf } from "./offers.ts";
import type { OfferRecord, Receiving, RequestRecord } from "./receiving-plan.ts";
import type { Step } from "./stores.ts";

/** How long a copy stays in hand while its process does nothing. */
const inHandMs = 10_000;
/** Far more than are needed while a store fails for twelve seconds. */
const mostCompletes = 60;

/** The requests of an offer that were open in the same process at the end of one that never asked the store: it joined them. */
export const joined = ({ requests }: OfferRecord, request: RequestRecord): RequestRecord[] =>
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
export function* oneAnswerOfAProcess(_: Receiving, offer: OfferRecord): Iterable<string> {
  for (const process of new Set(offer.requests.map((request) => request.process))) {
    if (process.stalls.some(({ from, to }) => to - from >= inHandMs)) continue;
    const texts = new Set(
      offer.requests.filter((one) => one.process === process && isDecision(one)).map(({ text }) => text),
    );
    if (texts.size > 1) yield `${offer.name} got several answers of ${process.name}: ${[...texts].join(", ")}`;
  }
}

/** An answer is offered twice before it is sent. What could not be stored then is stored later, without asking a store that fails all the time. */
export function* answersAreStored(_: Receiving, offer: OfferRecord): Iterable<string> {
  const completes = offer.requests.map(({ steps }) => steps.filter(({ name }) => name === "complete"));
  const given = offer.starts.filter(
    ({ request, fails }) => !fails && isDecision(request) && request.process.crashedAt === undefined,
  );
  if (given.length > 0 && !completes.flat().some(({ found }) => found === true))
    yield `the answer of ${offer.name} was never stored`;
  for (const { request } of given) {
    const [first, second] = request.steps.filter(({ name, at }) => name === "complete" && at <= endOf(request));
    if (first?.failed && second === undefined) yield `the answer of ${offer.name} was offered once before it was sent`;
  }
  for (const { length } of completes)
    if (length > mostCompletes) yield `an answer of ${offer.name} was offered ${length} times`;
}

/** A process that refuses an event keeps no lease. */
export function* leasesAreGivenBack(_: Receiving, offer: OfferRecord): Iterable<string> {
  for (const request of offer.requests) {
    if (request.process.crashedAt !== undefined || offer.starts.some((one) => one.request === request)) continue;
    const last = claims(request)
      .filter(({ doneAt }) => doneAt !== undefined)
      .reduce<Step | undefined>((one, other) => ((one?.doneAt ?? 0) > (other.doneAt ?? 0) ? one : other), undefined);
    const release = request.steps.findLast(({ name, doneAt }) => name === "release" && doneAt !== undefined);
    if (stateOf(last) === "mine" && (release?.doneAt ?? 0) < (last?.doneAt ?? 0))
      yield `${nameOf(offer, request.at)} kept a lease although it was refused`;
  }
}
