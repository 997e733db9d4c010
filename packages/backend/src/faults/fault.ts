import type { ErrorCode, ErrorResponseMeta, FieldErrorCode } from "@call-transfer/spec";

/** What a fault does to a request: replaces the response, or damages it in transit. */
export type FaultAction =
  /** Does not process the request. Resets the connection, closes it without a response, or keeps it open without one. */
  | "reset"
  | "empty"
  | "hang"
  /** Processes the request, then resets the connection. */
  | "processThenDrop"
  /** Cuts the response off, sends it slowly, labels it as HTML, or replaces its enum values with unknown ones. */
  | "truncate"
  | "slowBody"
  | "wrongContentType"
  | "unknownEnum"
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
  | { readonly latency: number };

/** A field error in the response of a fault. */
export interface FaultFieldError {
  /** The invalid field, e.g. `members[0].ringTimeoutSecs`. */
  readonly field: string;
  /** The code of the field error (§7.3). */
  readonly code: FieldErrorCode;
  /** Has a general text by default. */
  readonly message?: string;
}

/** What a fault does to a delivery (§6). All times are seconds of the backend's clock. */
export type WebhookFaultAction =
  /** Cuts the body in half. The signature is of the whole body. */
  | "truncate"
  /** Sends the delivery after the next one to the same destination, but 10 seconds later at the latest. */
  | "reorder"
  /** Sends the same bytes `copies` times in all: at the same time, or `gapSecs` apart. */
  | { readonly duplicate: { readonly copies: number; readonly gapSecs?: number } }
  /**
   * Sends the event again, with a new signature, up to `times` times until the receiver answers 2xx: `afterSecs` after the
   * first answer, then after twice as long each time. With `evenIfAccepted`, a 2xx is ignored, as if it had been lost.
   */
  | { readonly retry: { readonly times: number; readonly afterSecs: number; readonly evenIfAccepted?: boolean } }
  /** Sends the delivery this much later, with the signature of before. */
  | { readonly delaySecs: number }
  /** Signs the delivery as if it were sent this much earlier; below 0, later. */
  | { readonly signedSecsAgo: number }
  /** Changes the signature. */
  | { readonly sign: SignatureFault }
  /** Sends the same bytes to these http or https addresses too, at the same time. */
  | { readonly alsoTo: readonly string[] };

/**
 * What is wrong with, or unusual about, a signature header: it is left out (`none`), made with another secret (`wrongSecret`),
 * made with the secret before the rotation, even if it has expired (`previousSecret`; without a rotation, with another
 * secret), begins with the signature of another secret (`wrongFirst`), or has its parts in reverse order (`reversed`).
 * Receivers should accept the last two.
 */
export type SignatureFault = "none" | "wrongSecret" | "previousSecret" | "wrongFirst" | "reversed";

/** Which requests or deliveries fail, of those that match. A match outside the days and the times of day does not count. */
export interface FaultWhen {
  /** The first match that fails, counted from 1; 1 by default. */
  readonly nth?: number;
  /**
   * How many matches fail before the fault is removed; null for no limit; 1 by default. Of a list of steps, how often it is
   * run through.
   */
  readonly times?: number | null;
  /** The step of a list that the next match takes, counted from 1; 1 by default. */
  readonly step?: number;
  /** The probability that a match fails, above 0 and up to 1; 1 by default. */
  readonly probability?: number;
  /** The weekdays on which the fault applies, by the backend's clock; all by default. */
  readonly days?: readonly Weekday[];
  /** The time of day from which the fault applies, such as `09:00`; `00:00` by default. */
  readonly from?: string;
  /** The time of day at which it ends, up to `24:00`, the default. If it is earlier than `from`, it is on the next day. */
  readonly to?: string;
  /** The IANA time zone of the days and times; UTC by default. */
  readonly timeZone?: string;
}

/** A day of the week. */
export type Weekday = "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";

/**
 * Which requests match; absent criteria match every request. Texts except `operationId` and `method` may contain `*`, which
 * stands for any characters.
 */
export interface FaultMatch {
  /** The operation, e.g. `createCall`. */
  readonly operationId?: string;
  /** The HTTP method, in any case. */
  readonly method?: string;
  /** A path or a path template. */
  readonly path?: string;
  /** Values by header name, in any case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Values by query parameter. */
  readonly query?: Readonly<Record<string, string>>;
  /** Values by field of the body, such as `members[0].destinationId`. A text also matches a number that reads the same. */
  readonly body?: Readonly<Record<string, string | number | boolean | null>>;
  /** The name of the sandbox; a backend of its own is `default`. */
  readonly sandbox?: string;
}

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
  readonly webhooks: {
    /** The `app` destination. */
    readonly destinationId?: string;
    /** The address of the destination. */
    readonly url?: string;
    /** The transfer that the event is about. */
    readonly transferId?: string;
    /** The name of the sandbox. */
    readonly sandbox?: string;
  };
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
