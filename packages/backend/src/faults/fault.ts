import type { ErrorCode, ErrorResponseMeta, FieldErrorCode } from "@call-transfer/spec";
import type { FaultMatch, FaultWhen, WebhookFaultAction, WebhookMatch } from "../generated/models.gen.ts";

/** What a fault does to a request: replaces the response, or damages it in transit. */
export type FaultAction =
  /** Does not process the request. Resets the connection, closes it without a response, or keeps it open without one. */
  | "reset"
  | "empty"
  | "hang"
  /** Processes the request, then resets the connection. */
  | "process_then_reset"
  /** Cuts the response off, sends it slowly, labels it as HTML, or replaces its enum values with unknown ones. */
  | "truncate"
  | "slow_body"
  | "wrong_content_type"
  | "unknown_enum_value"
  /**
   * Responds with an error code (§7.2). `errors` are its field errors, for a code that has them, each with a field error
   * code (§7.3). `meta` is sent unchanged. Both have a default that fits the code.
   */
  | {
      /** The code of the error. */
      readonly code: ErrorCode;
      /** The field errors. */
      readonly errors?: readonly FaultFieldError[];
      /** Fields of `meta`. */
      readonly meta?: ErrorResponseMeta & { readonly [field: string]: unknown };
    }
  /** Responds with `rate_limit_exceeded`. */
  | { readonly rateLimit: { readonly retryAfterSecs: number } }
  /** Responds with any status and any body: a string, or JSON. */
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Delays the request by this many milliseconds of the backend's clock, then processes it. */
  | { readonly latencyMs: number };

/** A field error in the response of a fault. */
export interface FaultFieldError {
  /** The invalid field, e.g. `members[0].ringTimeoutSecs`. */
  readonly field: string;
  /** The code of the field error (§7.3). */
  readonly code: FieldErrorCode;
  /** Has a general text by default. */
  readonly message?: string;
}

/**
 * What is wrong with, or unusual about, a signature header: it is left out (`none`), made with another secret (`wrong_secret`),
 * made with the secret before the rotation, even if it has expired (`previous_secret`; without a rotation, with another
 * secret), begins with the signature of another secret (`wrong_first`), or has its parts in reverse order (`reversed`).
 * Receivers should accept the last two.
 */
export type SignatureFault = Extract<WebhookFaultAction, { sign: unknown }>["sign"];

/** A failure to inject into matching requests. */
export interface RequestFault {
  /** A name to show. */
  readonly name?: string;
  /** Which requests match; every request by default. */
  readonly match?: FaultMatch;
  /** Only for a fault of deliveries. */
  readonly webhooks?: never;
  /** When the fault applies to matching requests; always by default. */
  readonly when?: FaultWhen;
  /** What to do, or a list of steps: each match takes the next one. `pass` lets the request through. */
  readonly do: FaultAction | readonly (FaultAction | "pass")[];
}

/** A failure to inject into matching deliveries. */
export interface WebhookFault {
  /** A name to show. */
  readonly name?: string;
  /** Which deliveries match; absent criteria match every delivery. `url` is the address of the destination. */
  readonly webhooks: WebhookMatch;
  /** Only for a fault of requests. */
  readonly match?: never;
  /** When the fault applies to matching deliveries; always by default. */
  readonly when?: FaultWhen;
  /** What to do, or a list of steps: each match takes the next one. `pass` lets the delivery through. */
  readonly do: WebhookFaultAction | readonly (WebhookFaultAction | "pass")[];
}

/** What one match gets of a fault. */
export type FaultStep = FaultAction | WebhookFaultAction | "pass";

/** A failure to inject into requests or into deliveries. */
export type Fault = RequestFault | WebhookFault;
