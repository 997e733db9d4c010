import type { TransferOffer } from "../generated/models.gen.ts";
import { signature } from "../generated/signature.gen.ts";
import { equal, hmac } from "./bytes.ts";
import type { WebhookErrorCode } from "./errors.ts";

const maxHeaderLength = 4096;
const maxSignatures = 8;

/** Shared by every copy of this major version, so that `instanceof` works across ESM and CommonJS copies. */
const mark: unique symbol = Symbol.for("@call-transfer/sdk/1/webhook-error");

/** What runtimes call to print an object: here at most eight lines. */
const printed: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** A webhook failed verification. The message says why, and never holds a secret. */
export class WebhookVerificationError extends Error {
  /** The name of the class. */
  override readonly name = "WebhookVerificationError";
  /** Why, for programs. */
  readonly code: WebhookErrorCode;

  constructor(message?: string, code: WebhookErrorCode = "body_already_read") {
    super(message);
    this.code = code;
  }

  /** @internal */
  static readonly [mark] = true;

  /** @internal */
  [printed](): string {
    return `${this.stack}`.split("\n", 8).join("\n");
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A customer's own subclass has no mark: there the prototype decides.
    if (!Object.hasOwn(this, mark)) return super[Symbol.hasInstance](value);
    return (value as { constructor?: { [mark]?: unknown } } | null | undefined)?.constructor?.[mark] === true;
  }
}

/** An event of a type that this SDK version does not know. */
export interface UnknownWebhookEvent {
  /** The type as the platform sent it; without the prefix that the compiler shows. */
  readonly type: `unknown: ${string}`;
  readonly [field: string]: unknown;
}

/** A verified event. Check `type`, which narrows it, or use `isTransferOffer()`. */
export type WebhookEvent = TransferOffer | UnknownWebhookEvent;

/** A body as it was received, before any parsing. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Request headers: a `Headers`, or the plain object of Node servers. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A `Request` whose body was not read, or a raw body with its headers. */
export type WebhookInput = Request | { readonly body: RawBody; readonly headers: WebhookHeaders };

/** Options of `verifyWebhook`. */
export interface VerifyOptions {
  /** The destination's signing secret. During a rotation, the new and the previous one: either may match. */
  secret: string | readonly string[];
  /** Milliseconds that the signature's time may differ from now, in both directions: above 0; 300,000 by default (§6). */
  toleranceMs?: number;
  /** Source of time in milliseconds since the epoch, such as the `clock` of a backend in a test; `Date` by default. */
  clock?: { now(): number };
}

/** Returns the secrets as a list. One that is empty or padded is a `TypeError`. */
export function secretsOf(secret: VerifyOptions["secret"]): readonly string[] {
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError("secret must be a signing secret or a list of them");
  for (const one of secrets) {
    const usable = typeof one === "string" && one !== "" && one === one.trim();
    if (!usable) throw new TypeError("secret must be non-empty text without spaces or line breaks around it");
  }
  return secrets;
}

/** Returns the tolerance in milliseconds. Anything but a finite number above 0 is a `TypeError`. */
export function toleranceOf(options: Pick<VerifyOptions, "toleranceMs">): number {
  const { toleranceMs = signature.toleranceSecs * 1000 } = options;
  if (Number.isFinite(toleranceMs) && toleranceMs > 0) return toleranceMs;
  throw new TypeError("toleranceMs must be a finite number above 0");
}

/** The bytes of a body. Does not check classes: they differ between realms, such as those of test runners. */
export function bytesOf(body: RawBody): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body);
  throw new WebhookVerificationError("The body must be the raw bytes or text of the request, not a parsed object.");
}

/** Text stays what it is: encoding it takes as long as signing it. */
const rawOf = (body: RawBody): string | Uint8Array => (typeof body === "string" ? body : bytesOf(body));

function headerOf(headers: WebhookHeaders): string {
  const name = signature.header.toLowerCase();
  if (typeof headers !== "object" || headers === null)
    throw new WebhookVerificationError("The headers are missing. Pass the request's headers with the body.");
  // Some servers have a Headers class of their own.
  const found =
    typeof headers.get === "function"
      ? (headers.get(name) ?? headers.get(signature.header))
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const value: unknown = Array.isArray(found) && found.length === 1 ? found[0] : found;
  if (typeof value === "string") return value;
  throw headerError(Array.isArray(value) ? `appears ${value.length} times` : "is missing");
}

const headerError = (problem: string) =>
  new WebhookVerificationError(`The header ${signature.header} ${problem}.`, "invalid_signature_header");

/** Parses the signature header. Skips malformed signatures and unknown schemes. */
export function parseHeader(headers: WebhookHeaders): { timestamp: string; signatures: string[] } {
  const header = headerOf(headers);
  if (header.length > maxHeaderLength) throw headerError(`is longer than ${maxHeaderLength} characters`);
  const parts = header.split(",").map((part) => part.trim());
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  // Several have commas between them, so they are no number.
  const timestamp = valuesOf("t").join();
  if (!/^\d{1,12}$/.test(timestamp)) throw headerError("must contain one t=<Unix seconds>");
  const signatures = valuesOf(signature.scheme);
  if (signatures.length > maxSignatures) throw headerError(`has more than ${maxSignatures} signatures`);
  const wellFormed = signatures.filter((value) => /^[0-9a-f]{64}$/.test(value));
  if (wellFormed.length === 0) throw headerError(`has no valid ${signature.scheme} signature`);
  return { timestamp, signatures: wellFormed };
}

/**
 * Verifies a webhook and returns its event (§6). Any secret may match any signature, so that receivers can change secrets
 * during a rotation.
 *
 * @throws {WebhookVerificationError} The webhook failed verification. The message says why.
 * @throws {TypeError} An option is invalid, e.g. an empty secret.
 */
export async function verifyWebhook(input: WebhookInput, options: VerifyOptions): Promise<WebhookEvent> {
  const secrets = secretsOf(options.secret);
  const toleranceMs = toleranceOf(options);
  const { timestamp, signatures } = parseHeader(input.headers);
  const isRequest = "arrayBuffer" in input;
  if (isRequest && input.bodyUsed)
    throw new WebhookVerificationError("The request's body was already read. Verify before parsing it.");
  const body = rawOf(isRequest ? await input.arrayBuffer() : input.body);
  let isValid = false;
  for (const secret of secrets) {
    const expected = await hmac(secret, timestamp, body);
    for (const candidate of signatures) isValid = equal(expected, candidate) || isValid;
  }
  if (!isValid)
    throw new WebhookVerificationError(
      "No signature matches. Check the destination's secret, and that the body is unchanged.",
      "signature_mismatch",
    );
  const now = (options.clock ?? Date).now();
  if (!Number.isFinite(now)) throw new TypeError("clock.now() must return milliseconds since the epoch");
  const ageMs = now - Number(timestamp) * 1000;
  if (!(Math.abs(ageMs) <= toleranceMs)) {
    const direction = ageMs > 0 ? "old" : "ahead";
    const age = `${Math.abs(Math.round(ageMs / 1000))} s ${direction}, more than ${toleranceMs / 1000} s`;
    throw new WebhookVerificationError(`The signature is ${age}. Check the clocks.`, "timestamp_out_of_tolerance");
  }
  return eventOf(body);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function eventOf(body: string | Uint8Array): WebhookEvent {
  let event: unknown;
  try {
    // Bytes lose a byte order mark when they are decoded.
    event = JSON.parse(typeof body === "string" ? body.replace(/^\uFEFF/, "") : decoder.decode(body));
  } catch {
    throw new WebhookVerificationError("The signature is valid, but the body is not JSON.", "invalid_event");
  }
  if (typeof (event as { type?: unknown } | null)?.type !== "string") {
    const problem = "The signature is valid, but the body is not an event: it has no type.";
    throw new WebhookVerificationError(problem, "invalid_event");
  }
  return event as WebhookEvent;
}

/** Whether an event offers a call to an `app` destination (§6). */
export function isTransferOffer(event: WebhookEvent): event is TransferOffer {
  return event.type === signature.event;
}

/** Options of `signWebhook`. */
export interface SignOptions {
  /** The signing secret. During a rotation, the new and the previous one, in this order. */
  secret: string | readonly string[];
  /** Time of the signature in milliseconds since the epoch; now by default. */
  timestampMs?: number;
}

/**
 * Signs a body like the platform, for tests of a handler. Returns the value of the signature header (§6).
 *
 * @throws {TypeError} An option is invalid, e.g. an empty secret.
 */
export async function signWebhook(body: RawBody, options: SignOptions): Promise<string> {
  const { timestampMs = Date.now() } = options;
  if (!Number.isFinite(timestampMs)) throw new TypeError("timestampMs must be milliseconds since the epoch");
  const timestamp = String(Math.floor(timestampMs / 1000));
  const parts = [`t=${timestamp}`];
  for (const secret of secretsOf(options.secret))
    parts.push(`${signature.scheme}=${await hmac(secret, timestamp, rawOf(body))}`);
  return parts.join(",");
}
