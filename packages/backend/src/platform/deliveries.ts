import { webhookSignature } from "@call-transfer/spec";
import type { FaultQueue } from "../faults/faults.ts";
import type { Delivery } from "../generated/models.gen.ts";
import type { BackendClock } from "../model/clock.ts";
import type { DestinationRecord } from "../model/records.ts";
import type { BackendState } from "../model/state.ts";
import type { StateWriter } from "../model/state-writer.ts";
import { History } from "../model/stored-parts.ts";
import { canonicalId, withCanonicalIds } from "../utils/ids.ts";
import { InputError } from "../utils/input-error.ts";
import { elapsed } from "../utils/real-time.ts";
import { secretsIn, withoutTexts } from "../utils/redact.ts";
import { errorMessage, isWebAddress, retention } from "../utils/values.ts";
import {
  type Answered,
  announcedAnswer,
  announcedDelivery,
  type DeliveryEngine,
  type DeliveryRoute,
  type EventIdentity,
  type OutgoingEvent,
  type SentDelivery,
  shownAddress,
  type Trigger,
  unsent,
} from "./delivery.ts";
import { type DeliveryPlan, type PlannedSend, planDelivery, signedSend } from "./delivery-plan.ts";
import { recordedResponse, secretsOfAddress } from "./delivery-response.ts";
import { isInbox } from "./inbox.ts";

/** A delivery that a fault holds back. */
export interface DelayedDelivery {
  /** The id of the delivery. */
  readonly id: string;
  readonly destinationId: string;
  /** The time of sending at the latest, in milliseconds since the epoch. */
  readonly at: number;
  /** Whether it is sent earlier, once the next delivery to the destination is over. */
  readonly afterNext: boolean;
  start(): void;
  /** Called instead of `start` if it is never sent. */
  cancel(): void;
}

/** The kind of the timer of a held delivery. Snapshots leave it out, like every delivery. */
const sendTimer = "webhook.sends";

/** The deliveries that faults hold back, until their time or until they are released. */
class DelayedDeliveries {
  readonly #clock: BackendClock;
  /** By id, in the order in which they were held. */
  readonly #delayed = new Map<string, DelayedDelivery>();

  constructor(clock: BackendClock) {
    this.#clock = clock;
  }

  hold(send: DelayedDelivery): void {
    this.#delayed.set(send.id, send);
    this.#clock.schedule(send.at, () => this.release(send), { kind: sendTimer, id: send.id });
  }

  /** Those that wait until the next delivery to their destination, which begins now, is over. */
  waitingForNext(destinationId: string): readonly DelayedDelivery[] {
    return [...this.#delayed.values()].filter((send) => send.afterNext && send.destinationId === destinationId);
  }

  /** Starts a delivery, unless it has started or was given up. */
  release(send: DelayedDelivery): void {
    if (this.#delayed.get(send.id) !== send) return;
    this.#delayed.delete(send.id);
    this.#clock.cancel({ kind: sendTimer, id: send.id });
    send.start();
  }

  /** Gives all of them up. */
  clear(): void {
    const sends = [...this.#delayed.values()];
    this.#delayed.clear();
    for (const send of sends) send.cancel();
  }
}

/** An event, until one of its deliveries has the answer that counts. */
class OpenOffer {
  readonly event: OutgoingEvent;
  /** What each delivery shows of the fault that matched the event. */
  readonly fault: Pick<Delivery, "fault" | "faultAction">;
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
  track(delivering: Promise<void>, clock: Pick<BackendClock, "track">): void {
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
    if (retries === undefined || retries.times === 0 || (isAccepted && !retries.ignoreSuccess)) return undefined;
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

type DeliveryFaults = Pick<FaultQueue, "matchDelivery" | "newDeliveryId">;

/** An app that gets an event, and its address. */
interface Receiver {
  readonly destination: DestinationRecord;
  readonly url: string;
}

// Public methods are fields with arrow functions, so that callers may pass them on.
export class SignedDeliveries implements DeliveryEngine {
  readonly #backend: BackendState;
  readonly #faults: DeliveryFaults;
  readonly #route: DeliveryRoute;
  readonly sent: History<SentDelivery>;
  readonly #delayed: DelayedDeliveries;
  /** Replaced at each clearing, so that a delivery that began before is not recorded. */
  #generation = {};

  constructor(backend: BackendState, faults: DeliveryFaults, route: DeliveryRoute) {
    this.#backend = backend;
    this.#faults = faults;
    this.#route = route;
    this.#delayed = new DelayedDeliveries(backend.clock);
    this.sent = new History("deliveries", retention.deliveries, backend.writer);
  }

  readonly offer = (trigger: Trigger, answered: Answered, event?: EventIdentity): string => {
    const generation = this.#generation;
    // The offer may be of a transfer that a reset removed, or that a restore put back as it was before this offer.
    const answeredInEra: Answered = (delivery) => {
      if (generation === this.#generation) answered(delivery);
    };
    return this.#sendEvent(trigger, answeredInEra, event);
  };

  readonly trigger = (trigger: Trigger): Promise<Delivery> =>
    new Promise((answered) => {
      for (const name of ["id", "type"])
        if (trigger[name] !== undefined)
          throw new InputError(name, "is set by the platform and cannot be replaced. Remove it");
      this.#sendEvent(withCanonicalIds(trigger), answered);
    });

  readonly redeliver = async (given: string): Promise<Delivery> => {
    const id = canonicalId(given);
    const first = this.sent.items.find(({ delivery }) => delivery.id === id);
    if (first === undefined) throw new InputError("id", `no delivery has the id ${id}`);
    const again = { ...first.event, id: this.#newEventId(), redeliveryOf: id };
    return new Promise((answered) => this.#begin(again, this.#find(again.destinationId), answered));
  };

  readonly list = (): readonly Delivery[] => this.sent.items.map(({ delivery }) => delivery);

  get forwardedTo(): string | undefined {
    const { forwardTo } = this.#route;
    return forwardTo === undefined ? undefined : shownAddress(forwardTo);
  }

  readonly cancel = (): void => this.#delayed.clear();

  readonly abandon = (): void => {
    this.#generation = {};
    this.#delayed.clear();
  };

  readonly clear = (): void => {
    this.abandon();
    this.sent.clear();
  };

  #sendEvent({ destinationId, ...payload }: Trigger, answered: Answered, event?: EventIdentity): string {
    const receiver = this.#find(destinationId);
    const id = event?.id ?? this.#newEventId();
    const { createdAt = new Date(event?.createdAt ?? this.#backend.clock.now()).toISOString() } = payload;
    const body = JSON.stringify({ ...payload, type: webhookSignature.event, id, createdAt, destinationId });
    const transferId = typeof payload.transferId === "string" ? { transferId: payload.transferId } : {};
    this.#begin({ id, destinationId, ...transferId, body }, receiver, answered);
    return id;
  }

  /** Finds who gets an event. Throws InputError for a destination without a server. */
  #find(destinationId: string): Receiver {
    const destination = this.#backend.state.destinations.get(destinationId);
    if (destination === undefined) throw new InputError("destinationId", `no destination has the id ${destinationId}`);
    const { kind, config } = destination;
    if (kind !== "app") throw new InputError("destinationId", "only a destination of kind app receives webhooks");
    if (!isWebAddress(config.url))
      throw new InputError("config.url", "the destination has no http or https address to deliver to");
    return { destination, url: config.url };
  }

  /** Creates an id. It is stored before the event is sent, so that no other event gets it after a restart. */
  #newEventId(): string {
    const { random, writer } = this.#backend;
    writer?.touch("random");
    return random.uuid();
  }

  /** Sends an event: once, or as the fault says that matches it. */
  #begin(event: OutgoingEvent, { destination, url }: Receiver, answered: Answered): void {
    const { destinationId, transferId, body } = event;
    const at = this.#backend.clock.now();
    const about = { at: new Date(at).toISOString(), url: this.#addressFor(url), headers: {} };
    const matched = this.#faults.matchDelivery({ destinationId, url, transferId }, event.id);
    const plan = planDelivery({ body, url, destination, at }, matched?.action);
    const fault = matched === undefined ? {} : { fault: matched.id, faultAction: matched.action };
    const offer = new OpenOffer({ event, fault }, plan, { ...event, ...about, ...unsent, ...fault }, answered);
    for (const [index, send] of plan.sends.entries())
      this.#sendAfter(send, offer, index === 0 ? event : this.#again(event), () => send);
  }

  /** The same event as another delivery. */
  #again(event: OutgoingEvent): OutgoingEvent {
    return { ...event, id: this.#faults.newDeliveryId(), redeliveryOf: event.id };
  }

  /** Sends a delivery at its time. `plan` says what to send by then; nothing if it returns undefined. */
  #sendAfter(
    { afterSecs, afterNext = false }: Pick<PlannedSend, "afterSecs" | "afterNext">,
    offer: OpenOffer,
    event: OutgoingEvent,
    plan: () => PlannedSend | undefined,
  ): void {
    const { clock } = this.#backend;
    const start = (): void => {
      const send = plan();
      if (send === undefined) offer.conclude();
      else offer.track(this.#post(offer, event, send), clock);
    };
    if (afterSecs === 0) {
      start();
      return;
    }
    const at = clock.now() + afterSecs * 1000;
    this.#delayed.hold({ ...event, at, afterNext, start, cancel: () => offer.conclude() });
  }

  async #post(offer: OpenOffer, event: OutgoingEvent, planned: PlannedSend): Promise<void> {
    const { headers, body, signature } = planned;
    const url = this.#addressFor(planned.url);
    const { clock, events, writer } = this.#backend;
    const [at, generation] = [clock.now(), this.#generation];
    // After a failed commit, its change did not happen.
    if (writer !== undefined && !(await isSaved(writer))) return offer.conclude();
    if (generation !== this.#generation) return offer.conclude();
    const overtaken = this.#delayed.waitingForNext(event.destinationId);
    const sentAt = new Date(at).toISOString();
    const sent = { ...event, at: sentAt, url, headers, body, ...(signature && { signature }), ...offer.fault };
    events.emit("delivery.started", () => announcedDelivery(sent));
    const start = elapsed();
    const outcome = await this.#attempt(url, planned, () => this.#secretsOf(event));
    const durationMs = Math.round((elapsed() - start) * 100) / 100;
    const delivery: Delivery = { ...sent, durationMs, ...outcome };
    if (generation === this.#generation) {
      this.sent.add({ delivery, event });
      // Its time is that of the answer.
      events.emit("delivery.completed", () => announcedAnswer(delivery));
      const afterSecs = offer.planRetry(delivery.accepted);
      if (afterSecs !== undefined) this.#retry(offer, afterSecs);
    }
    offer.conclude(delivery);
    for (const send of overtaken) this.#delayed.release(send);
  }

  #retry(offer: OpenOffer, afterSecs: number): void {
    const again = this.#again(offer.event);
    this.#sendAfter({ afterSecs }, offer, again, () => this.#planAgain(again));
  }

  /** A delivery to the destination as it is now; undefined if it has no server any more. */
  #planAgain({ destinationId, body }: OutgoingEvent): PlannedSend | undefined {
    const { state, clock } = this.#backend;
    const destination = state.destinations.get(destinationId);
    const url = destination?.config.url;
    if (destination?.kind !== "app" || !isWebAddress(url)) return undefined;
    return signedSend({ body, url, destination, at: clock.now() });
  }

  /** The secrets with which the destination of an event signs. A rotation changes them while a delivery is in flight. */
  #secretsOf({ destinationId }: OutgoingEvent): readonly string[] {
    const { signingSecret, previousSecret } = this.#backend.state.destinations.get(destinationId) ?? {};
    return secretsIn([signingSecret, previousSecret], true);
  }

  #addressFor(url: string): string {
    const { forwardTo } = this.#route;
    return forwardTo === undefined || isInbox(url) ? url : forwardTo;
  }

  async #attempt(
    url: string,
    { headers: own, body, signature }: PlannedSend,
    secretsNow: () => readonly string[],
  ): Promise<Pick<Delivery, "status" | "accepted" | "error" | "response">> {
    const { deliveryTimeoutSecs } = this.#backend.policies;
    const signal = AbortSignal.timeout(Math.ceil(deliveryTimeoutSecs * 1000));
    const before = secretsNow();
    const { inbox, fetch = globalThis.fetch, forwardHeaders } = this.#route;
    try {
      // With forwarding, all that does not go to the inbox goes to that address.
      const headers = isInbox(url) ? own : { ...forwardHeaders, ...own };
      const init: RequestInit = { method: "POST", body, headers, redirect: "manual", signal };
      // A receiver in the same process may not watch the signal.
      const ended = endOf(signal);
      const sending = isInbox(url) ? inbox.receive(init) : fetch(url, init);
      const response = await Promise.race([sending, ended]);
      if (response === undefined) throw signal.reason;
      const secrets = [...before, ...secretsNow(), ...secretsIn(forwardHeaders, true), ...secretsOfAddress(url)];
      const signatures = signature?.v1.map(({ value }) => value) ?? [];
      const recorded = await recordedResponse(response, ended, [...secrets, ...signatures]);
      return { status: response.status, accepted: response.ok, response: recorded };
    } catch (reason) {
      if (signal.aborted)
        return { accepted: false, error: `no answer within ${deliveryTimeoutSecs} s (policy deliveryTimeoutSecs)` };
      const error = withoutTexts(secretsIn(forwardHeaders, true), errorMessage(reason));
      return { accepted: false, error: String(error) };
    }
  }
}

/** Waits until what has changed so far is stored; false if that failed. */
async function isSaved(writer: StateWriter): Promise<boolean> {
  try {
    await writer.saved();
    return true;
  } catch {
    return false;
  }
}

/** Resolves when a signal aborts. */
function endOf(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
}
