// The invariants of what one process of a receiver knows and owes, whatever its store does.
import { claims, endOf, isDecision, nameOf, stateOf } from "./offers.ts";
import type { OfferRecord, Receiving, RequestRecord } from "./receiving-plan.ts";
import type { Step } from "./stores.ts";

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
export function* oneAnswerOfAProcess({ plan }: Receiving, offer: OfferRecord): Iterable<string> {
  for (const process of new Set(offer.requests.map((request) => request.process))) {
    if (process.stalls.some(({ from, to }) => to - from >= plan.options.leaseDurationMs)) continue;
    const texts = new Set(
      offer.requests.filter((one) => one.process === process && isDecision(one)).map(({ text }) => text),
    );
    if (texts.size > 1) yield `${offer.name} got several answers of ${process.name}: ${[...texts].join(", ")}`;
  }
}

/** An answer is offered twice before it is sent. */
export function* answersAreStored(_: Receiving, offer: OfferRecord): Iterable<string> {
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
export function* leasesAreGivenBack(_: Receiving, offer: OfferRecord): Iterable<string> {
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
