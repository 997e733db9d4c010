import { webhookSignature } from "@call-transfer/spec";
import type { Delivery } from "../generated/models.gen.ts";
import type { EventDetails } from "../model/events.ts";
import type { History } from "../model/stored-parts.ts";
import { InputError } from "../utils/input-error.ts";
import { isObject, omitUndefined } from "../utils/values.ts";
import { responseLine } from "./delivery-response.ts";
import type { ReceivingInbox } from "./inbox.ts";

/**
 * An event to send. Every field but `destinationId` becomes part of the payload; `createdAt` replaces its own, and `id`
 * and `type` are refused.
 */
export interface Trigger {
  /** The `app` destination that gets the event. */
  readonly destinationId: string;
  readonly [field: string]: unknown;
}

/** An event on its way: what its deliveries have in common. */
export type OutgoingEvent = Pick<Delivery, "id" | "destinationId" | "transferId" | "body" | "redeliveryOf">;

/** Webhook deliveries (§6). */
export interface Deliveries {
  /**
   * Sends one signed event and resolves with the outcome. If a fault sends it several times, this is the delivery whose
   * answer counts. Rejects with InputError for a destination without a server, and for the fields `id` and `type`.
   */
  trigger(trigger: Trigger): Promise<Delivery>;
  /** Sends the event of a delivery again with a new signature. Rejects with InputError for an unknown id. */
  redeliver(id: string): Promise<Delivery>;
  /** The latest 1000, oldest first. */
  list(): readonly Delivery[];
  /**
   * URL that gets all deliveries but those to the inbox, without credentials and query; undefined if each goes to its own.
   *
   * @internal
   */
  readonly forwardedTo?: string | undefined;
}

/** The identity of an event; an event that is sent again keeps it. */
export interface EventIdentity {
  /** A new one by default. */
  readonly id?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Gets the delivery whose answer counts. */
export type Answered = (delivery: Delivery) => void;

/** The deliveries of one backend, with what its other parts do with them. */
export interface DeliveryEngine extends Deliveries {
  /** Sends an event like `trigger`, and returns its id at once. An answer that comes after a clearing is dropped. */
  offer(trigger: Trigger, answered: Answered, event?: EventIdentity): string;
  /** The latest deliveries. */
  readonly sent: History<SentDelivery>;
  /** Gives up the deliveries that faults hold back. */
  cancel(): void;
  /** Forgets the deliveries in flight, and gives up those that faults hold back. */
  abandon(): void;
  /** Forgets all, also those that were sent. */
  clear(): void;
}

/** A delivery, with its event for sending it again. */
export interface SentDelivery {
  readonly delivery: Delivery;
  readonly event: OutgoingEvent;
}

/** Where deliveries go. */
export interface DeliveryRoute {
  /** Gets those to its own address. */
  readonly inbox: Pick<ReceivingInbox, "receive">;
  /** Sends the others; by default the global fetch, looked up at each delivery. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The address that gets the others, instead of their own. */
  readonly forwardTo?: string | undefined;
  /** What requests to that address have besides their own headers. */
  readonly forwardHeaders: Readonly<Record<string, string>>;
}

/** Those that a delivery or its connection sets. */
const ownHeaders: ReadonlySet<string> = new Set(
  ["Content-Type", "Content-Length", "Transfer-Encoding", "Host", webhookSignature.header].map((name) =>
    name.toLowerCase(),
  ),
);

/** Copies the headers for the forwarding address. Throws InputError that names the wrong one, and never quotes a value. */
export function checkedHeaders(given: unknown = {}, forwardTo: string | undefined): Record<string, string> {
  if (!isObject(given)) throw new InputError("", "must be an object with a text for each name of a header");
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    // Not named, because a value in the wrong place may be a secret.
    if (!isHeader(name, "")) throw new InputError("", "has a name that no header can have, such as one with a space");
    if (ownHeaders.has(name.toLowerCase()))
      throw new InputError(name, "is set by the delivery and cannot be replaced. Remove it");
    if (typeof value !== "string" || !isHeader(name, value))
      throw new InputError(name, "must be a text in one line, without characters beyond Latin-1");
    headers[name] = value;
  }
  if (forwardTo === undefined && Object.keys(headers).length > 0)
    throw new InputError("", "requires the option forwardWebhooksTo with the URL that gets them");
  return headers;
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

/** What a delivery shows that was never sent. */
export const unsent = {
  durationMs: 0,
  accepted: false,
  error: "The sandbox was reset, restored or closed before this was sent",
};

/** What an event says about a delivery. */
export function announcedDelivery({
  id,
  destinationId,
  transferId,
  url,
  redeliveryOf,
  fault,
  signature,
}: Omit<Delivery, "durationMs" | "accepted">): EventDetails {
  return {
    id,
    destinationId,
    ...(transferId !== undefined && { transferId }),
    url: shownAddress(url),
    ...(redeliveryOf !== undefined && { redeliveryOf }),
    ...(fault !== undefined && { fault }),
    ...(signature && {
      signature: { t: signature.t, v1: signature.v1.length, secrets: signature.v1.map(({ secret }) => secret) },
    }),
  };
}

/** What an event says about the answer to a delivery: of a response that is not 2xx also its first line. */
export function announcedAnswer(delivery: Delivery): EventDetails {
  const { url, durationMs, status, accepted, error, response } = delivery;
  const outcome = omitUndefined({ status, accepted, error });
  const responseText = accepted || response === undefined ? undefined : responseLine(response);
  return {
    ...announcedDelivery(delivery),
    ...withoutAddress(outcome, url),
    ...(responseText !== undefined && { responseText }),
    durationMs,
  };
}

/** An absolute address without user, password and query, which may hold secrets. */
export function shownAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** An outcome whose error does not quote the whole address. */
export function withoutAddress<Outcome extends { readonly error?: string }>(outcome: Outcome, url: string): Outcome {
  const { error } = outcome;
  return error === undefined ? outcome : { ...outcome, error: error.replaceAll(url, shownAddress(url)) };
}
