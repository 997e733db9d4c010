import { webhookSignature } from "@call-transfer/spec";
import { InputError } from "../model/input-error.ts";
import type { DestinationRecord } from "../model/records.ts";
import { retention, withLatest } from "../model/retention.ts";
import type { World } from "../model/world.ts";
import { secretsAt } from "../rules/secrets.ts";
import { signatureHeader } from "./signer.ts";

/** One attempt to deliver an event to the server of an `app` destination. */
export interface Delivery {
  readonly id: string;
  readonly destinationId: string;
  /** When it was sent, as an ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body exactly as it was signed and sent. */
  readonly body: string;
  /** The receiver's status; absent if there was no answer. */
  readonly status?: number;
  /** Whether the receiver answered 2xx. */
  readonly accepted: boolean;
  /** Why there was no answer. */
  readonly error?: string;
  /** The delivery whose event was sent again. */
  readonly redeliveryOf?: string;
}

/** An event to send. Every field but `destinationId` becomes part of the payload. */
export interface Trigger {
  readonly destinationId: string;
  readonly [field: string]: unknown;
}

/** Webhook deliveries (§6). */
export interface Deliveries {
  /** Sends one signed event and resolves with the outcome. Rejects with InputError for a destination without a server. */
  trigger(trigger: Trigger): Promise<Delivery>;
  /** Sends the event of a delivery again with a new signature. Rejects with InputError for an unknown id. */
  redeliver(id: string): Promise<Delivery>;
  /** The latest 1000, oldest first. */
  list(): readonly Delivery[];
}

/** The identity of an event; an event that is sent again keeps it. */
export interface EventIdentity {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The deliveries of one backend, with what its other parts do with them. */
export interface DeliveryEngine extends Deliveries {
  /** Sends an event like `trigger`, and returns its id at once. */
  offer(trigger: Trigger, event?: EventIdentity): { readonly id: string; readonly done: Promise<Delivery> };
  /** Forgets sent deliveries and those in flight. */
  clear(): void;
}

type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Creates the deliveries of one backend. */
export function createDeliveries(world: World, send: Send): DeliveryEngine {
  return new SignedDeliveries(world, send);
}

// Public methods are fields with arrow functions, so that callers may pass them on.
class SignedDeliveries implements DeliveryEngine {
  readonly #world: World;
  readonly #send: Send;
  #sent: Delivery[] = [];
  /** Replaced at each clearing, so that a delivery that began before is not recorded. */
  #era = {};

  constructor(world: World, send: Send) {
    this.#world = world;
    this.#send = send;
  }

  readonly offer = ({ destinationId, ...payload }: Trigger, event?: EventIdentity) => {
    const { clock, random } = this.#world;
    const destination = this.#find(destinationId);
    webhookUrl(destination);
    const id = event?.id ?? random.uuid();
    const createdAt = new Date(event?.createdAt ?? clock.now()).toISOString();
    const body = JSON.stringify({ ...payload, type: webhookSignature.event, id, createdAt, destinationId });
    return { id, done: this.#post({ id, destinationId, body }, destination) };
  };

  readonly trigger = async (trigger: Trigger): Promise<Delivery> => {
    return this.#tracked(this.offer(trigger).done);
  };

  readonly redeliver = async (id: string): Promise<Delivery> => {
    const first = this.#sent.find((delivery) => delivery.id === id);
    if (first === undefined) throw new InputError("id", `no delivery has the id ${id}`);
    const { destinationId, body } = first;
    const again = { id: this.#world.random.uuid(), destinationId, body, redeliveryOf: id };
    return this.#tracked(this.#post(again, this.#find(destinationId)));
  };

  readonly list = (): readonly Delivery[] => {
    return this.#sent;
  };

  readonly clear = (): void => {
    this.#era = {};
    this.#sent = [];
  };

  async #post(
    event: Pick<Delivery, "id" | "destinationId" | "body" | "redeliveryOf">,
    destination: DestinationRecord,
  ): Promise<Delivery> {
    const { clock, policies, events } = this.#world;
    const [url, at, era] = [webhookUrl(destination), clock.now(), this.#era];
    const headers = {
      "content-type": "application/json",
      [webhookSignature.header]: signatureHeader(event.body, secretsAt(destination, at), at),
    };
    const outcome = await attempt(this.#send, url, { headers, body: event.body }, policies.deliveryTimeoutSecs);
    const delivery: Delivery = { ...event, at: new Date(at).toISOString(), url, headers, ...outcome };
    if (era !== this.#era) return delivery;
    this.#sent = withLatest(this.#sent, delivery, retention.deliveries);
    const { id, destinationId, accepted } = delivery;
    events.emit("webhook.delivered", { id, destinationId, accepted });
    return delivery;
  }

  #find(destinationId: string): DestinationRecord {
    const destination = this.#world.state.destinations.get(destinationId);
    if (destination === undefined) throw new InputError("destinationId", `no destination has the id ${destinationId}`);
    return destination;
  }

  #tracked(work: Promise<Delivery>): Promise<Delivery> {
    this.#world.clock.track(work);
    return work;
  }
}

async function attempt(
  send: Send,
  url: string,
  message: { headers: Record<string, string>; body: string },
  timeoutSecs: number,
): Promise<Pick<Delivery, "status" | "accepted" | "error">> {
  try {
    const signal = AbortSignal.timeout(Math.ceil(timeoutSecs * 1000));
    const response = await send(url, { method: "POST", ...message, redirect: "manual", signal });
    // Not awaited: under MSW 2 this never settles.
    response.body?.cancel().catch(() => {});
    return { status: response.status, accepted: response.ok };
  } catch (error) {
    return { accepted: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function webhookUrl({ kind, config }: DestinationRecord): string {
  if (kind !== "app") throw new InputError("destinationId", "only a destination of kind app receives webhooks");
  const { url } = config;
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new InputError("config.url", "the destination has no http or https address to deliver to");
  return url;
}
