import { signature } from "@call-transfer/spec";
import { InputError } from "../model/input-error.ts";
import type { DestinationRecord } from "../model/records.ts";
import { retention, withLatest } from "../model/retention.ts";
import type { World } from "../model/world.ts";
import { secretsAt } from "../rules/secrets.ts";
import { signatureHeader } from "./signer.ts";

/** One attempt to hand an event to an `app` destination's server. */
export interface Delivery {
  readonly id: string;
  readonly destinationId: string;
  /** When it was sent, as an ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body exactly as it was signed and sent. */
  readonly body: string;
  /** The receiver's status; absent when there was no answer. */
  readonly status?: number;
  /** Whether the receiver answered 2xx. */
  readonly accepted: boolean;
  /** Why there was no answer. */
  readonly error?: string;
  /** The delivery whose event was sent again. */
  readonly redeliveryOf?: string;
}

/** What to offer, and to whom; every other field becomes part of the payload. */
export interface Trigger {
  readonly destinationId: string;
  readonly [field: string]: unknown;
}

/** Webhook deliveries (§6). */
export interface Deliveries {
  /** Sends one signed event and resolves with what came of it. Throws InputError for a destination without a server. */
  trigger(trigger: Trigger): Promise<Delivery>;
  /** Sends the event of a delivery once more, signed anew. Throws InputError for an unknown id. */
  redeliver(id: string): Promise<Delivery>;
  /** The latest 1000, oldest first. */
  list(): readonly Delivery[];
}

/** What tells an event from others; it stays when the event is sent again. */
export interface EventIdentity {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Creates the deliveries of one backend. */
export function createDeliveries(
  world: World,
  send: (url: string, init: RequestInit) => Promise<Response>,
): Deliveries & {
  /** The same as `trigger`, for whoever wants the id before the answer. */
  offer(trigger: Trigger, event?: EventIdentity): { readonly id: string; readonly done: Promise<Delivery> };
  /** Forgets what was sent, and what is still under way. */
  clear(): void;
} {
  const { state, clock, random, policies, events } = world;
  let sent: Delivery[] = [];
  // Another one after each clearing, so that what was under way then does not turn up later.
  let era = {};
  const post = async (
    about: Pick<Delivery, "id" | "destinationId" | "body" | "redeliveryOf">,
    destination: DestinationRecord,
  ): Promise<Delivery> => {
    const [url, at, own] = [webhookUrl(destination), clock.now(), era];
    const headers = {
      "content-type": "application/json",
      [signature.header]: signatureHeader(about.body, secretsAt(destination, at), at),
    };
    const outcome = await attempt(send, url, { headers, body: about.body }, policies.deliveryTimeoutSecs);
    const delivery: Delivery = { ...about, at: new Date(at).toISOString(), url, headers, ...outcome };
    if (own !== era) return delivery;
    sent = withLatest(sent, delivery, retention.deliveries);
    const { id, destinationId, accepted } = delivery;
    events.emit("webhook.delivered", { id, destinationId, accepted });
    return delivery;
  };
  const find = (destinationId: string): DestinationRecord => {
    const destination = state.destinations.get(destinationId);
    if (destination === undefined) throw new InputError("destinationId", `no destination has the id ${destinationId}`);
    return destination;
  };
  const offer = ({ destinationId, ...payload }: Trigger, event?: EventIdentity) => {
    const destination = find(destinationId);
    webhookUrl(destination);
    const id = event?.id ?? random.uuid();
    const createdAt = new Date(event?.createdAt ?? clock.now()).toISOString();
    const body = JSON.stringify({ ...payload, type: signature.event, id, createdAt, destinationId });
    return { id, done: post({ id, destinationId, body }, destination) };
  };
  const tracked = (work: Promise<Delivery>): Promise<Delivery> => {
    clock.track(work);
    return work;
  };
  return {
    offer,
    trigger: async (trigger) => tracked(offer(trigger).done),
    async redeliver(id) {
      const first = sent.find((delivery) => delivery.id === id);
      if (first === undefined) throw new InputError("id", `no delivery has the id ${id}`);
      const { destinationId, body } = first;
      return tracked(post({ id: random.uuid(), destinationId, body, redeliveryOf: id }, find(destinationId)));
    },
    list: () => sent,
    clear() {
      era = {};
      sent = [];
    },
  };
}

async function attempt(
  send: (url: string, init: RequestInit) => Promise<Response>,
  url: string,
  message: { headers: Record<string, string>; body: string },
  timeoutSecs: number,
): Promise<Pick<Delivery, "status" | "accepted" | "error">> {
  try {
    const signal = AbortSignal.timeout(Math.ceil(timeoutSecs * 1000));
    const response = await send(url, { method: "POST", ...message, redirect: "manual", signal });
    // Not waited for: under MSW 2 it never settles.
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
