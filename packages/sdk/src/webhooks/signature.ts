// Verifying and signing webhooks (§6).
import type { TransferOffer } from "../generated/models.gen.ts";
import { signature } from "../generated/signature.gen.ts";

const maxHeaderLength = 4096;
const maxSignatures = 8;

/** The key is shared by every copy of this major version, so that `instanceof` works across ESM and CJS copies. */
const mark: unique symbol = Symbol.for("@call-transfer/sdk/1/webhook-error");

/** Why a webhook was refused. The message says what to look at and never holds a secret. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";

  /** @internal */
  static readonly [mark] = true;

  static override [Symbol.hasInstance](value: unknown): boolean {
    // Of a customer's own subclass the prototype decides.
    if (!Object.hasOwn(this, mark)) return super[Symbol.hasInstance](value);
    return (value as { constructor?: { [mark]?: unknown } } | null | undefined)?.constructor?.[mark] === true;
  }
}

/** An event of a kind that this version of the SDK does not know. */
export interface UnknownWebhookEvent {
  readonly type: string & {};
  readonly [field: string]: unknown;
}

/** A verified event; `type` tells which. */
export type WebhookEvent = TransferOffer | UnknownWebhookEvent;

/** A body as it came over the wire. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Headers of any server: a `Headers`, or Node's plain object. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** What is verified: a `Request` whose body was not read, or a raw body with its headers. */
export type WebhookInput = Request | { readonly body: RawBody; readonly headers: WebhookHeaders };

/** How to verify. */
export interface VerifyOptions {
  /** The destination's signing secret, or several while a rotation overlaps. Any of them may match. */
  secret: string | readonly string[];
  /** Seconds that the signature's time may differ from now, in both directions: above 0; 300 by default. */
  toleranceSecs?: number;
  /** Now, in milliseconds since 1970. */
  now?: () => number;
}

const encoder = new TextEncoder();

/**
 * Checks how to verify.
 *
 * @throws {TypeError} A secret is empty or padded, or the tolerance is not a finite number above 0.
 */
export function checkVerifyOptions(options: VerifyOptions): { secrets: readonly string[]; toleranceSecs: number } {
  return { secrets: secretsOf(options.secret), toleranceSecs: toleranceOf(options) };
}

function secretsOf(secret: VerifyOptions["secret"]): readonly string[] {
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError("secret must be a signing secret or a list of them");
  for (const one of secrets) {
    const usable = typeof one === "string" && one !== "" && one === one.trim();
    if (!usable) throw new TypeError("secret must be non-empty text without spaces or line breaks around it");
  }
  return secrets;
}

function toleranceOf({ toleranceSecs = signature.toleranceSecs }: VerifyOptions): number {
  if (Number.isFinite(toleranceSecs) && toleranceSecs > 0) return toleranceSecs;
  throw new TypeError("toleranceSecs must be a finite number above 0");
}

/** The bytes of a body. Looks at no class, since each realm has its own: a test runner's is not the server's. */
export function bytesOf(body: RawBody): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return encoder.encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body);
  throw new WebhookVerificationError("The body must be the raw bytes or text of the request, not a parsed object");
}

function headerOf(headers: WebhookHeaders): string {
  const wanted = signature.header.toLowerCase();
  if (typeof headers !== "object" || headers === null) {
    throw new WebhookVerificationError("The request's headers are missing: pass them beside the body");
  }
  // Not every server's Headers is the global one.
  const found =
    typeof headers.get === "function"
      ? (headers.get(wanted) ?? headers.get(signature.header))
      : Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const value: unknown = Array.isArray(found) && found.length === 1 ? found[0] : found;
  if (typeof value === "string") return value;
  const many = Array.isArray(value) ? `came ${value.length} times` : "is missing";
  throw new WebhookVerificationError(`The header ${signature.header} ${many}`);
}

/** The time and the well-formed signatures of a header; malformed signatures and unknown schemes are skipped. */
function parseHeader(header: string): { timestamp: string; signatures: Uint8Array[] } {
  if (header.length > maxHeaderLength) throw new WebhookVerificationError(`The header ${signature.header} is too long`);
  const parts = header.split(",").map((part) => part.trim());
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const times = valuesOf("t");
  const [timestamp = ""] = times;
  if (times.length !== 1 || !/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError(`The header ${signature.header} needs one t of Unix seconds`);
  }
  const signatures = valuesOf(signature.scheme);
  if (signatures.length > maxSignatures)
    throw new WebhookVerificationError(`The header ${signature.header} has too many signatures`);
  const wellFormed = signatures.filter((value) => /^[0-9a-f]{64}$/.test(value)).map(fromHex);
  if (wellFormed.length === 0)
    throw new WebhookVerificationError(`The header ${signature.header} has no usable ${signature.scheme}`);
  return { timestamp, signatures: wellFormed };
}

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** Bytes as text of hexadecimal digits. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

async function hmac(secret: string, timestamp: string, body: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const start = encoder.encode(timestamp + signature.separator);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);
  return new Uint8Array(await crypto.subtle.sign(algorithm, key, signed));
}

/** Compares without an early exit, so that the time taken tells nothing. */
function equal(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/**
 * Verifies a webhook and gives its event (§6). Any secret may match any signature, so a receiver can change secrets
 * while a rotation overlaps.
 *
 * @throws {WebhookVerificationError} The webhook must not be trusted; the message says why.
 * @throws {TypeError} The options are unusable, e.g. an empty secret.
 */
export async function verifyWebhook(input: WebhookInput, options: VerifyOptions): Promise<WebhookEvent> {
  return (await verifySigned(input, options)).event;
}

/** The same, with the time that was signed. */
export async function verifySigned(
  input: WebhookInput,
  options: VerifyOptions,
): Promise<{ event: WebhookEvent; timestamp: string }> {
  const { secrets, toleranceSecs } = checkVerifyOptions(options);
  const { timestamp, signatures } = parseHeader(headerOf(input.headers));
  const isRequest = "arrayBuffer" in input;
  if (isRequest && input.bodyUsed) {
    throw new WebhookVerificationError("The request's body was already read: verify before parsing it");
  }
  const body = bytesOf(isRequest ? await input.arrayBuffer() : input.body);
  let genuine = false;
  for (const secret of secrets) {
    const expected = await hmac(secret, timestamp, body);
    for (const candidate of signatures) genuine = equal(expected, candidate) || genuine;
  }
  if (!genuine) {
    throw new WebhookVerificationError(
      "No signature matches: is it this destination's secret, and the body as it came?",
    );
  }
  const now = (options.now ?? Date.now)();
  if (!Number.isFinite(now)) throw new TypeError("now must give milliseconds since 1970");
  const ageSecs = now / 1000 - Number(timestamp);
  if (!(Math.abs(ageSecs) <= toleranceSecs)) {
    const direction = ageSecs > 0 ? "old" : "ahead";
    const words = `The signature is ${Math.abs(Math.round(ageSecs))} s ${direction}, more than ${toleranceSecs} s: is a clock wrong?`;
    throw new WebhookVerificationError(words);
  }
  return { event: eventOf(body), timestamp };
}

function eventOf(body: Uint8Array): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new WebhookVerificationError("The signature is genuine but the body is no JSON");
  }
  if (typeof event !== "object" || event === null || typeof (event as { type?: unknown }).type !== "string") {
    throw new WebhookVerificationError("The signature is genuine but the body is no event: it has no type");
  }
  return event as WebhookEvent;
}

/** Whether an event is an offer of a call to an `app` destination. */
export function isTransferOffer(event: WebhookEvent): event is TransferOffer {
  return event.type === signature.event;
}

/** What to sign, for tests of a receiver. */
export interface SignOptions {
  /** The signing secret, or two while a rotation overlaps: the new one first. */
  secret: string | readonly string[];
  /** When it is signed, in milliseconds since 1970; now by default. */
  at?: number;
}

/** The signature header's value for a body, for tests of a receiver. */
export async function signWebhook(body: RawBody, options: SignOptions): Promise<string> {
  const { at = Date.now() } = options;
  if (!Number.isFinite(at)) throw new TypeError("at must be milliseconds since 1970");
  const timestamp = String(Math.floor(at / 1000));
  const parts = [`t=${timestamp}`];
  for (const secret of secretsOf(options.secret)) {
    parts.push(`${signature.scheme}=${toHex(await hmac(secret, timestamp, bytesOf(body)))}`);
  }
  return parts.join(",");
}
