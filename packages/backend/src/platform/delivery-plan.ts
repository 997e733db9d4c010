import { webhookSignature } from "@call-transfer/spec";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { SignatureFault } from "../faults/fault.ts";
import type { SignatureParts, WebhookFaultAction } from "../generated/models.gen.ts";
import type { DestinationRecord } from "../model/records.ts";
import { secretsAt } from "../rules/accounts.ts";

type Secrets = Partial<Pick<DestinationRecord, "signingSecret" | "previousSecret">>;

/**
 * Signs a body sent at `at` (milliseconds) with one signature per secret (§6, A-31), with the parts in reverse order if
 * `isReversed`. Returns the header, and the same taken apart.
 */
export function sign(
  body: string,
  secrets: readonly string[],
  at: number,
  { signingSecret, previousSecret }: Secrets,
  isReversed: boolean,
): { readonly header: string; readonly parts: SignatureParts } {
  const t = Math.floor(at / 1000);
  const signed = utf8ToBytes(`${t}${webhookSignature.separator}${body}`);
  const v1 = secrets.map((secret): SignatureParts["v1"][number] => ({
    value: bytesToHex(hmac(sha256, utf8ToBytes(secret), signed)),
    secret: secret === signingSecret ? "current" : secret === previousSecret ? "previous" : "other",
  }));
  const header = [`t=${t}`, ...v1.map(({ value }) => `${webhookSignature.scheme}=${value}`)];
  return isReversed
    ? { header: header.toReversed().join(","), parts: { t, v1: v1.toReversed() } }
    : { header: header.join(","), parts: { t, v1 } };
}

/** An event about to be sent. */
export interface SignableEvent {
  readonly body: string;
  readonly url: string;
  /** Has the secrets that sign. */
  readonly destination: DestinationRecord;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A request to a receiver, and when to send it. */
export interface PlannedSend {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The signature header taken apart; absent without one. */
  readonly signature?: SignatureParts;
  /** Seconds of the backend's clock until it is sent. */
  readonly afterSecs: number;
  /** Whether it is sent earlier if the next delivery to the destination is over. */
  readonly afterNext?: boolean;
}

/** Everything to send for one event. */
export interface DeliveryPlan {
  readonly sends: readonly PlannedSend[];
  /** How often, and when, the event is sent again. */
  readonly retries?: Extract<WebhookFaultAction, { retry: object }>["retry"] | undefined;
}

/** How long `reorder` waits for the next delivery, in seconds. */
const reorderWaitSecs = 10;

const contentType = { "content-type": "application/json" };

/** No destination has this secret: those of the platform are letters and digits. */
const wrongSecret = "not the secret of a destination";

/** Plans the delivery of an event: one signed request at once, unless a fault does something else. */
export function planDelivery(event: SignableEvent, action?: WebhookFaultAction): DeliveryPlan {
  const { body, url } = event;
  const send = signedSend(event);
  if (action === undefined) return { sends: [send] };
  if (action === "truncate") return { sends: [{ ...send, body: body.slice(0, Math.floor(body.length / 2)) }] };
  if (action === "reorder") return { sends: [{ ...send, afterSecs: reorderWaitSecs, afterNext: true }] };
  if ("duplicate" in action) {
    const { copies, intervalSecs = 0 } = action.duplicate;
    return { sends: Array.from({ length: copies }, (_, index) => ({ ...send, afterSecs: index * intervalSecs })) };
  }
  if ("retry" in action) return { sends: [send], retries: action.retry };
  if ("delaySecs" in action) return { sends: [{ ...send, afterSecs: action.delaySecs }] };
  if ("copyTo" in action) return { sends: [url, ...action.copyTo].map((to) => ({ ...send, url: to })) };
  if ("sign" in action) return { sends: [unusualSend(event, action.sign)] };
  return { sends: [signedSend(event, undefined, event.at - action.signatureAgeSecs * 1000)] };
}

/** A delivery with a signature of each secret; by default of those that are valid, at the time of sending. */
export function signedSend(
  { body, url, destination, at }: SignableEvent,
  secrets?: readonly string[],
  signedAt = at,
  isReversed = false,
): PlannedSend {
  const { header, parts } = sign(body, secrets ?? secretsAt(destination, at), signedAt, destination, isReversed);
  return { url, headers: { ...contentType, [webhookSignature.header]: header }, body, signature: parts, afterSecs: 0 };
}

function unusualSend(event: SignableEvent, fault: SignatureFault): PlannedSend {
  const { body, url, destination, at } = event;
  switch (fault) {
    case "none":
      return { url, headers: contentType, body, afterSecs: 0 };
    case "wrong_secret":
      return signedSend(event, [wrongSecret]);
    case "previous_secret":
      return signedSend(event, [destination.previousSecret ?? wrongSecret]);
    case "wrong_first":
      return signedSend(event, [wrongSecret, ...secretsAt(destination, at)]);
    case "reversed":
      return signedSend(event, undefined, at, true);
  }
}
