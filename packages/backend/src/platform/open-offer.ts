import type { Delivery } from "../generated/models.gen.ts";
import type { WorldClock } from "../model/clock.ts";
import type { Answered, OutgoingEvent } from "./delivery.ts";
import type { DeliveryPlan } from "./delivery-plan.ts";

/** An event, until one of its deliveries has the answer that counts. */
export class OpenOffer {
  readonly event: OutgoingEvent;
  /** What each delivery shows of the fault that matched the event. */
  readonly fault: Pick<Delivery, "fault" | "faultDo">;
  readonly #answered: Answered;
  #retries: DeliveryPlan["retries"];
  /** The latest delivery that is over; at first one that was never sent. */
  #latest: Delivery;
  /** The number of deliveries that are not over. */
  #open: number;
  #isAnswered = false;
  #inFlight = 0;
  #rest = (): void => {};

  /** `answered` gets the delivery whose answer counts. */
  constructor(
    { event, fault }: Pick<OpenOffer, "event" | "fault">,
    { sends, retries }: DeliveryPlan,
    unsent: Delivery,
    answered: Answered,
  ) {
    this.event = event;
    this.fault = fault;
    this.#retries = retries;
    this.#open = sends.length;
    this.#latest = unsent;
    this.#answered = answered;
  }

  /**
   * Makes the clock wait for a delivery in flight. The deliveries of one offer are one piece of work: a receiver may let a
   * copy wait for the answer to another, which sleeps on the clock.
   */
  track(delivering: Promise<void>, clock: Pick<WorldClock, "track">): void {
    this.#inFlight += 1;
    if (this.#inFlight === 1)
      clock.track(
        new Promise<void>((resolve) => {
          this.#rest = resolve;
        }),
      );
    const end = (): void => {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#rest();
    };
    delivering.then(end, end);
  }

  /** Counts a retry after an answer. Returns the seconds until it; undefined if the event is not sent again. */
  planRetry(isAccepted: boolean): number | undefined {
    const retries = this.#retries;
    if (retries === undefined || retries.times === 0 || (isAccepted && !retries.evenIfAccepted)) return undefined;
    this.#retries = { ...retries, times: retries.times - 1, afterSecs: retries.afterSecs * 2 };
    this.#open += 1;
    return retries.afterSecs;
  }

  /**
   * Ends one delivery; without an argument, one that is never sent. The answer that counts is the first response; with
   * retries, the first 2xx; otherwise that of the last delivery. So a receiver that cannot be reached decides nothing while
   * another one can still answer.
   */
  conclude(delivery?: Delivery): void {
    this.#open -= 1;
    this.#latest = delivery ?? this.#latest;
    const isFinal = delivery?.status !== undefined && (delivery.accepted || this.#retries === undefined);
    if (this.#isAnswered || (this.#open > 0 && !isFinal)) return;
    this.#isAnswered = true;
    this.#answered(this.#latest);
  }
}
