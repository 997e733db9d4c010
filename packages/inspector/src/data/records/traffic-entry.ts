import type { BackendEvent } from "@call-transfer/backend";
import type { Schema } from "@call-transfer/backend/control-client";

/** A request to the API or the delivery of a webhook, as a row shows it. */
export interface TrafficEntry {
  /** Its part of the address: `12` for a request, `webhook/ID` for a delivery. */
  readonly key: string;
  readonly kind: "request" | "webhook";
  readonly id: string;
  readonly at: string;
  readonly method: string;
  /** The operation, the stub, or the type of the event; empty if nothing matches. */
  readonly name: string;
  readonly address: string;
  /** Undefined while a delivery waits for its answer, 0 if there was no response. */
  readonly status: number | undefined;
  /** The error code, or why there was no response. */
  readonly code: string;
  /** Why the request was refused, or the delivery got no response, in a sentence; empty if another column says it. */
  readonly reason: string;
  readonly durationMs: number | undefined;
  /** A role, or the end of a key. */
  readonly caller: string;
  readonly fault: string | undefined;
  /** What else is special about it: words that the filter takes after `is:`. */
  readonly marks: readonly Mark[];
  /** Everything that the filter searches, in lower case. */
  readonly text: string;
}

/** What is special about an entry. */
export type Mark = "replay" | "unmatched" | "stub" | "changed" | "redelivery";

/** The event of every delivery (§6). */
const offer = "transfer.offer";

/** The row of a request. */
export function entryOfRequest(request: Schema<"RequestEntry">): TrafficEntry {
  const { id, at, method, path, status, code, error, durationMs, fault, stub, caller } = request;
  const { operationId = stub ?? "" } = request;
  const marks: Mark[] = [];
  if (request.replayOf !== undefined) marks.push("replay");
  if (operationId === "" && !["server", "fallback"].includes(request.decidedBy.step)) marks.push("unmatched");
  if (stub !== undefined) marks.push("stub");
  if (request.changeCount !== undefined) marks.push("changed");
  return withText(
    {
      key: String(id),
      kind: "request",
      id: String(id),
      at,
      method,
      name: operationId,
      address: path,
      status,
      code: code ?? (status === 0 ? "no response" : error === undefined ? "" : "exception"),
      reason: reasonOf(request),
      durationMs,
      caller: callerOf(caller),
      fault,
      marks,
    },
    [request.requestId, caller?.userId, caller?.accountId],
  );
}

/** What a handler threw, the operation that was probably meant, or the rule that decided. The fault stands in its own column. */
function reasonOf({ status, error, closestOperations: [first] = [], decidedBy }: Schema<"RequestEntry">): string {
  if (error !== undefined) return error.split("\n", 1)[0] ?? "";
  if (first !== undefined) return `Did you mean ${first.method} ${first.path}?`;
  return status < 400 || decidedBy.step === "fault" ? "" : (decidedBy.detail ?? "");
}

function callerOf(caller: Schema<"RequestCaller"> | undefined): string {
  if (caller === undefined) return "";
  return caller.kind === "key" ? `key …${caller.key ?? ""}` : (caller.role ?? "user");
}

/** What is known of a delivery when it is sent; the rest follows with the answer. */
type SentDelivery = Pick<Schema<"Delivery">, "id" | "at" | "destinationId"> &
  Partial<Omit<Schema<"Delivery">, "signature">>;

/** The row of a delivery. */
export function entryOfDelivery(delivery: SentDelivery): TrafficEntry {
  const { id, at, url = "", status, accepted, error, durationMs, fault, redeliveryOf } = delivery;
  const isAnswered = accepted !== undefined;
  return withText(
    {
      key: `webhook/${id}`,
      kind: "webhook",
      id,
      at,
      method: "POST",
      name: offer,
      address: url.replace(/\?.*$/, ""),
      status: isAnswered ? (status ?? 0) : undefined,
      code: error === undefined ? (isAnswered ? "" : "sending") : "no response",
      reason: error ?? "",
      durationMs,
      caller: "",
      fault,
      marks: redeliveryOf === undefined ? [] : ["redelivery"],
    },
    [delivery.destinationId, delivery.transferId],
  );
}

/** The row that an event adds or changes; undefined for other events. */
export function entryOfEvent({ type, id = "", ...event }: BackendEvent): TrafficEntry | undefined {
  // What an event says is the entry itself, with its id as a text.
  if (type === "request.completed")
    return entryOfRequest({ ...(event as unknown as Schema<"RequestEntry">), id: Number(id) });
  if (type === "delivery.started" || type === "delivery.completed")
    return entryOfDelivery({ ...(event as unknown as Schema<"Delivery">), id });
  return undefined;
}

function withText(entry: Omit<TrafficEntry, "text">, others: readonly (string | undefined)[]): TrafficEntry {
  const { id, method, name, address, status, code, reason, caller, fault } = entry;
  const words = [id, method, name, address, status, code, reason, caller, fault, ...others];
  return {
    ...entry,
    text: words
      .filter((word) => word !== undefined)
      .join("\n")
      .toLowerCase(),
  };
}
