// The options of an attack, and what they must be.
import { webhookSignature } from "@call-transfer/spec";
import { hasCredentials, isHttp } from "../net/urls.ts";
import type { HandledCounts } from "./handled-counts.ts";
import { Sender } from "./sender.ts";

/** Options of `attackReceiver`. */
export interface AttackOptions {
  /** The receiver's address. Several are processes of one receiver: deliveries go to them in turn, copies in parallel. */
  readonly url: string | readonly string[];
  /** The signing secret. */
  readonly secret: string;
  /** The previous secret, if the receiver accepts it during a rotation. */
  readonly previousSecret?: string;
  /** A secret that was valid before a rotation and must not be accepted any more. */
  readonly retiredSecret?: string;
  /** Returns how often the app handled each event. Without it, the attack sees only answers. */
  readonly handled?: () => HandledCounts | Promise<HandledCounts>;
  /** Milliseconds that a signature's time may differ from now; 300,000 by default. */
  readonly toleranceMs?: number;
  /** How long an answer may take, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  /**
   * Waits up to 60 seconds for each answer, so that a receiver that takes longer than `timeoutMs` is checked all the same,
   * and raises the default of `maxDurationMs` to 600,000.
   */
  readonly patient?: boolean;
  /** Decides the ids of the events: a whole number; random by default. */
  readonly seed?: number;
  /** Fields of each event, such as a `destinationId` that the receiver recognizes. `id` is always set. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Allows addresses of other machines. */
  readonly allowRemote?: boolean;
  /** The IP address to connect to, in place of a look-up of the host's name. */
  readonly address?: string;
  /** Milliseconds after which no further check begins; 120,000 by default. */
  readonly maxDurationMs?: number;
}

/** The limits of an attack, in milliseconds. */
export interface AttackLimits {
  /** How long a correct receiver takes for an answer. */
  readonly timeoutMs: number;
  /** How long the attack waits for an answer. */
  readonly patienceMs: number;
  readonly maxDurationMs: number;
  readonly toleranceMs: number;
}

/** Returns the limits, with their defaults. Throws TypeError for one that is no number above 0. */
export function limitsOf(options: AttackOptions): AttackLimits {
  if ("toleranceSecs" in options)
    throw new TypeError("toleranceSecs is no longer an option. Use toleranceMs, in milliseconds.");
  const { toleranceMs = webhookSignature.toleranceSecs * 1000, timeoutMs = 10_000, patient = false } = options;
  const { maxDurationMs = patient ? 600_000 : 120_000 } = options;
  for (const [name, value] of Object.entries({ toleranceMs, timeoutMs, maxDurationMs }))
    if (!Number.isFinite(value) || value <= 0) throw new TypeError(`${name} must be a number above 0`);
  return { toleranceMs, timeoutMs, maxDurationMs, patienceMs: patient ? Math.max(60_000, timeoutMs) : timeoutMs };
}

/** Creates what sends the deliveries. Throws TypeError for an invalid option. */
export function createSender(options: AttackOptions, { patienceMs: timeoutMs }: AttackLimits): Sender {
  const { url, secret, previousSecret, retiredSecret, payload = {}, allowRemote = false } = options;
  const { seed = Math.floor(Math.random() * 2 ** 31) } = options;
  const urls = typeof url === "string" ? [url] : [...url];
  if (urls.length === 0) throw new TypeError("url must be an address or a list of them");
  for (const one of urls) checkUrl(one, allowRemote);
  for (const [name, value] of Object.entries({ secret, previousSecret, retiredSecret }))
    if ((name === "secret" || value !== undefined) && (typeof value !== "string" || value === ""))
      throw new TypeError(`${name} must be non-empty text`);
  if (retiredSecret === secret || (retiredSecret !== undefined && retiredSecret === previousSecret))
    throw new TypeError("retiredSecret must differ from the secrets that the receiver accepts");
  if (!Number.isSafeInteger(seed)) throw new TypeError("seed must be a whole number");
  return new Sender({ urls, secret, timeoutMs, seed, payload, address: options.address });
}

function checkUrl(url: string, allowRemote: boolean): void {
  if (URL.canParse(url) && hasCredentials(new URL(url)))
    throw new TypeError("url must not contain a user name or password");
  if (!isHttp(url)) throw new TypeError(`url must be an http or https URL, not ${url}`);
  if (!allowRemote && !isLoopback(new URL(url).hostname))
    throw new TypeError(`${url} is not on this machine. If the receiver is yours, set allowRemote: true.`);
}

/** Whether the name of a host in a URL is this machine's own. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
