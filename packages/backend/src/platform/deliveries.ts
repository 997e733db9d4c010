import { webhookSignature } from "@call-transfer/spec";
import type { WebhookFaultAction } from "../faults/fault.ts";
import type { FaultQueue, MatchedWebhookFault } from "../faults/faults.ts";
import { InputError } from "../model/errors/input-error.ts";
import type { DestinationRecord } from "../model/records/records.ts";
import { History } from "../model/storage/history.ts";
import type { Keeper } from "../model/storage/keeper.ts";
import { omitUndefined } from "../model/values/omit-undefined.ts";
import { retention } from "../model/values/retention.ts";
import { isWebAddress } from "../model/values/web-address.ts";
import type { World } from "../model/world.ts";
import { type PlannedSend, plainSend, planDelivery } from "./delivery-plan.ts";
import { HeldSends } from "./held-sends.ts";
import { OpenOffer } from "./open-offer.ts";
import type { SignatureParts } from "./signer.ts";

/** One attempt to deliver an event to the server of an `app` destination. */
export interface Delivery {
  /** The id of the attempt. */
  readonly id: string;
  /** The `app` destination. */
  readonly destinationId: string;
  /** When it was sent, as an ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  /** The address that it was sent to. */
  readonly url: string;
  /** The request headers by name, with the signature (§6.2). */
  readonly headers: Readonly<Record<string, string>>;
  /** The body exactly as it was sent. */
  readonly body: string;
  /** The `transferId` of the event; absent for an event of no transfer. */
  readonly transferId?: string;
  /** The signature header taken apart; absent if the delivery had none. */
  readonly signature?: SignatureParts;
  /** Milliseconds of real time from sending to the answer. */
  readonly durationMs: number;
  /** The receiver's status; absent if there was no answer. */
  readonly status?: number;
  /** Whether the receiver answered 2xx. */
  readonly accepted: boolean;
  /** Why there was no answer. */
  readonly error?: string;
  /** The delivery whose event was sent again. */
  readonly redeliveryOf?: string;
  /** The id of the fault that matched it. */
  readonly fault?: string;
  /** What the fault did. */
  readonly faultDo?: WebhookFaultAction;
}

/** An event to send. Every field but `destinationId` becomes part of the payload. */
export interface Trigger {
  /** The `app` destination that gets the event. */
  readonly destinationId: string;
  readonly [field: string]: unknown;
}

/** Webhook deliveries (§6). */
export interface Deliveries {
  /**
   * Sends one signed event and resolves with the outcome. If a fault sends it several times, this is the delivery whose
   * answer counts. Rejects with InputError for a destination without a server.
   */
  trigger(trigger: Trigger): Promise<Delivery>;
  /** Sends the event of a delivery again with a new signature. Rejects with InputError for an unknown id. */
  redeliver(id: string): Promise<Delivery>;
  /** The latest 1000, oldest first. */
  list(): readonly Delivery[];
}

/** The identity of an event; an event that is sent again keeps it. */
export interface EventIdentity {
  /** A new one by default. */
  readonly id?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Gets the delivery whose answer counts. */
type Answered = (delivery: Delivery) => void;

/** The deliveries of one backend, with what its other parts do with them. */
export interface DeliveryEngine extends Deliveries {
  /** Sends an event like `trigger`, and returns its id at once. An answer that comes after a clearing is dropped. */
  offer(trigger: Trigger, answered: Answered, event?: EventIdentity): string;
  /** The latest deliveries. */
  readonly sent: History<SentDelivery>;
  /** Gives up the deliveries that faults hold back. */
  giveUp(): void;
  /** Forgets sent deliveries and those in flight. */
  clear(): void;
}

/** A delivery, with its event for sending it again. */
export interface SentDelivery {
  readonly delivery: Delivery;
  readonly event: Identified;
}

/** How deliveries leave the backend. */
export interface DeliveryRoute {
  /** The address that a delivery to a destination's address is sent to. */
  addressFor(url: string): string;
  send(url: string, init: RequestInit): Promise<Response>;
}

type DeliveryFaults = Pick<FaultQueue, "matchDelivery" | "newDeliveryId">;
type Identified = OpenOffer["event"];

/** What a delivery shows that was never sent. */
const unsent = {
  durationMs: 0,
  accepted: false,
  error: "The sandbox was reset, restored or closed before this was sent",
};

/** Creates the deliveries of one backend. */
export function createDeliveries(world: World, faults: DeliveryFaults, route: DeliveryRoute): DeliveryEngine {
  return new SignedDeliveries(world, faults, route);
}

// Public methods are fields with arrow functions, so that callers may pass them on.
class SignedDeliveries implements DeliveryEngine {
  readonly #world: World;
  readonly #faults: DeliveryFaults;
  readonly #route: DeliveryRoute;
  readonly sent: History<SentDelivery>;
  readonly #held: HeldSends;
  /** Replaced at each clearing, so that a delivery that began before is not recorded. */
  #era = {};

  constructor(world: World, faults: DeliveryFaults, route: DeliveryRoute) {
    this.#world = world;
    this.#faults = faults;
    this.#route = route;
    this.#held = new HeldSends(world.clock);
    this.sent = new History("deliveries", retention.deliveries, world.keeper);
  }

  readonly offer = (trigger: Trigger, answered: Answered, event?: EventIdentity): string => {
    const era = this.#era;
    // The offer may be of a transfer that a reset removed, or that a restore put back as it was before this offer.
    const answeredInEra: Answered = (delivery) => {
      if (era === this.#era) answered(delivery);
    };
    return this.#sendEvent(trigger, answeredInEra, event);
  };

  readonly trigger = (trigger: Trigger): Promise<Delivery> => {
    return new Promise((answered) => void this.#sendEvent(trigger, answered));
  };

  readonly redeliver = async (id: string): Promise<Delivery> => {
    const first = this.sent.items.find(({ delivery }) => delivery.id === id);
    if (first === undefined) throw new InputError("id", `no delivery has the id ${id}`);
    const again = { ...first.event, id: this.#newEventId(), redeliveryOf: id };
    return new Promise((answered) => this.#begin(again, this.#find(again.destinationId), answered));
  };

  readonly list = (): readonly Delivery[] => {
    return this.sent.items.map(({ delivery }) => delivery);
  };

  readonly giveUp = (): void => {
    this.#held.clear();
  };

  readonly clear = (): void => {
    this.#era = {};
    this.sent.clear();
    this.#held.clear();
  };

  #sendEvent({ destinationId, ...payload }: Trigger, answered: Answered, event?: EventIdentity): string {
    const { clock } = this.#world;
    const destination = this.#find(destinationId);
    webhookUrl(destination);
    const id = event?.id ?? this.#newEventId();
    const createdAt = new Date(event?.createdAt ?? clock.now()).toISOString();
    const body = JSON.stringify({ ...payload, type: webhookSignature.event, id, createdAt, destinationId });
    const transferId = typeof payload.transferId === "string" ? { transferId: payload.transferId } : {};
    this.#begin({ id, destinationId, ...transferId, body }, destination, answered);
    return id;
  }

  /** Creates an id. It is stored before the event is sent, so that no other event gets it after a restart. */
  #newEventId(): string {
    const { random, keeper } = this.#world;
    keeper?.touch("random");
    return random.uuid();
  }

  /** Sends an event: once, or as the fault says that matches it. */
  #begin(event: Identified, destination: DestinationRecord, answered: Answered): void {
    const [url, at] = [webhookUrl(destination), this.#world.clock.now()];
    const { transferId } = event;
    const fault = this.#faults.matchDelivery({ destinationId: destination.id, url, transferId }, event.id);
    const plan = planDelivery({ body: event.body, url, destination, at }, fault?.action);
    const about = { at: new Date(at).toISOString(), url: this.#route.addressFor(url), headers: {} };
    const delivery = { ...event, ...about, ...unsent, ...aboutFault(fault) };
    const offer = new OpenOffer({ event, fault }, plan, delivery, answered);
    for (const [index, send] of plan.sends.entries()) {
      const own = index === 0 ? event : this.#again(event);
      this.#after(send, offer, own, () => this.#start(offer, own, send));
    }
  }

  /** The same event as another delivery. */
  #again(event: Identified): Identified {
    return { ...event, id: this.#faults.newDeliveryId(), redeliveryOf: event.id };
  }

  #after(
    wait: Pick<PlannedSend, "afterSecs" | "afterNext">,
    offer: OpenOffer,
    event: Identified,
    start: () => void,
  ): void {
    const { afterSecs, afterNext = false } = wait;
    const { id, destinationId } = event;
    const at = this.#world.clock.now() + afterSecs * 1000;
    if (afterSecs === 0) start();
    else this.#held.hold({ id, destinationId, at, afterNext, start, giveUp: () => offer.conclude() });
  }

  #start(offer: OpenOffer, event: Identified, send: PlannedSend): void {
    offer.track(this.#post(offer, event, send), this.#world.clock);
  }

  async #post(offer: OpenOffer, event: Identified, planned: PlannedSend): Promise<void> {
    const { headers, body, signature } = planned;
    const url = this.#route.addressFor(planned.url);
    const { clock, policies, events, keeper } = this.#world;
    const [at, era] = [clock.now(), this.#era];
    // After a failed commit, its change did not happen.
    if (keeper !== undefined && !(await isSaved(keeper))) return offer.conclude();
    if (era !== this.#era) return offer.conclude();
    const overtaken = this.#held.waitingForNext(event.destinationId);
    const sentAt = new Date(at).toISOString();
    const request = { ...event, at: sentAt, url, headers, body, ...(signature && { signature }) };
    const sent = { ...request, ...aboutFault(offer.fault) };
    events.emit("webhook.sent", () => announced(sent));
    const start = performance.now();
    const outcome = await attempt(this.#route.send, url, { headers, body }, policies.deliveryTimeoutSecs);
    const durationMs = Math.round((performance.now() - start) * 100) / 100;
    const delivery: Delivery = { ...sent, durationMs, ...outcome };
    if (era === this.#era) {
      this.sent.add({ delivery, event });
      // Its time is that of the answer.
      events.emit("webhook.delivered", () => ({ ...announced(delivery), ...withoutAddress(outcome, url), durationMs }));
      this.#planRetry(offer, delivery.accepted);
    }
    offer.conclude(delivery);
    this.#held.release(overtaken);
  }

  #planRetry(offer: OpenOffer, isAccepted: boolean): void {
    const afterSecs = offer.planRetry(isAccepted);
    if (afterSecs === undefined) return;
    const again = this.#again(offer.event);
    this.#after({ afterSecs }, offer, again, () => this.#retry(offer, again));
  }

  /** Sends an event again, unless its destination is gone. */
  #retry(offer: OpenOffer, again: Identified): void {
    const { state, clock } = this.#world;
    const destination = state.destinations.get(again.destinationId);
    const url = destination?.config.url;
    if (destination?.kind !== "app" || !isWebAddress(url)) offer.conclude();
    else this.#start(offer, again, plainSend({ body: again.body, url, destination, at: clock.now() }));
  }

  #find(destinationId: string): DestinationRecord {
    const destination = this.#world.state.destinations.get(destinationId);
    if (destination === undefined) throw new InputError("destinationId", `no destination has the id ${destinationId}`);
    return destination;
  }
}

async function isSaved(keeper: Keeper): Promise<boolean> {
  try {
    await keeper.saved();
    return true;
  } catch {
    return false;
  }
}

/** What an event says about a delivery. */
function announced({ id, destinationId, transferId, url, redeliveryOf, fault, signature }: Partial<Delivery>) {
  return omitUndefined({
    id,
    destinationId,
    transferId,
    url: shownAddress(url),
    redeliveryOf,
    fault,
    signature: signature && {
      t: signature.t,
      v1: signature.v1.length,
      secrets: signature.v1.map(({ secret }) => secret),
    },
  });
}

function aboutFault(fault: MatchedWebhookFault | undefined): Pick<Delivery, "fault" | "faultDo"> {
  return fault === undefined ? {} : { fault: fault.id, faultDo: fault.action };
}

async function attempt(
  send: DeliveryRoute["send"],
  url: string,
  message: { headers: Record<string, string>; body: string },
  timeoutSecs: number,
): Promise<Pick<Delivery, "status" | "accepted" | "error">> {
  const signal = AbortSignal.timeout(Math.ceil(timeoutSecs * 1000));
  try {
    const sending = send(url, { method: "POST", ...message, redirect: "manual", signal });
    // A receiver in the same process may not watch the signal.
    const response = await Promise.race([sending, rejectedBy(signal)]);
    // Not awaited: under MSW 2 this never settles.
    response.body?.cancel().catch(() => {});
    return { status: response.status, accepted: response.ok };
  } catch (error) {
    if (signal.aborted)
      return { accepted: false, error: `no answer within ${timeoutSecs} s (policy deliveryTimeoutSecs)` };
    return { accepted: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

function webhookUrl({ kind, config: { url } }: DestinationRecord): string {
  if (kind !== "app") throw new InputError("destinationId", "only a destination of kind app receives webhooks");
  if (!isWebAddress(url))
    throw new InputError("config.url", "the destination has no http or https address to deliver to");
  return url;
}

/** An address without user, password and query, which may hold secrets; undefined for none. */
export function shownAddress(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** An outcome whose error does not quote the whole address. */
export function withoutAddress<Outcome extends { readonly error?: string }>(outcome: Outcome, url: string): Outcome {
  const { error } = outcome;
  return error === undefined ? outcome : { ...outcome, error: error.replaceAll(url, shownAddress(url) ?? "") };
}
