import type { Candidate } from "../generated/operations.gen.ts";

/**
 * Effect of a request on the server: `not_sent` (it never left the client), `rejected` (it was refused without effect),
 * `applied` (it was carried out) or `unknown`.
 */
export type RequestOutcome = "not_sent" | "rejected" | "applied" | "unknown";

/** One sending of a request. Holds no secrets. */
export interface Attempt {
  /** When it was sent, in milliseconds since 1970. */
  readonly startedAt: number;
  /** HTTP status of the response, if one arrived. */
  status?: number;
  /** Error code of the response. */
  code?: string;
  /** Request ID of the response, for support. */
  requestId?: string;
  /** Milliseconds waited after this attempt, before the next one. */
  delayMs?: number;
  /** Why no complete response arrived. */
  error?: string;
}

/** Details that every `RequestError` carries besides its message. */
export interface RequestErrorDetails {
  /** Effect of the request on the server, over all attempts. */
  readonly outcome: RequestOutcome;
  /** Every attempt, in order. */
  readonly attempts: readonly Attempt[];
  /** The operationId; for an operation that this SDK version does not know, its method and path. */
  readonly operationId: string;
  /** Why the request was not retried although retries were left. Undefined where no retry was due or none was left. */
  readonly retrySkippedReason?: string | undefined;
}

/** Body of an error response, secrets redacted; undefined where it is not a JSON object. */
export type Problem = Readonly<Record<string, unknown>> | undefined;

/** Input of the constructor of `ApiError`. */
export interface ApiErrorDetails extends RequestErrorDetails {
  /** HTTP status; 0 for a redirect that the browser hides. */
  readonly status: number;
  /** HTTP method in capitals. The message of a refusal may name a cause that goes by it. */
  readonly method?: string | undefined;
  /** The body, where it is a JSON object. The error takes `code`, `title`, `detail`, `errors` and `meta` from it. */
  readonly problem?: Problem;
  /** Any other body. */
  readonly bodyText?: string | undefined;
  /** Request ID, for support; by default the one in `problem`. */
  readonly requestId?: string | undefined;
  /** Response headers; none by default. */
  readonly headers?: Headers | undefined;
  /** Seconds to wait, as requested by `meta.retryAfterSecs` or a `Retry-After` header. */
  readonly retryAfterSecs?: number | undefined;
}

/** Period in which an operation may have been carried out, by the server's clock. */
export interface OutcomeWindow {
  /** Start, as an ISO 8601 time. */
  readonly from: string;
  /** End, as an ISO 8601 time. */
  readonly to: string;
}

/** Options of `OutcomeUnknownError.reconcile()`. */
export interface ReconcileOptions {
  /** Ends the reading. The result holds what was found until then, and `complete` is false. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How many listed calls to read at most, rounded up to whole pages of 100; 1,000 by default. If the list is longer,
   * `complete` is false.
   */
  readonly maxCalls?: number | undefined;
}

/** Result of `OutcomeUnknownError.reconcile()`. */
export interface Reconciliation<Item = Candidate> {
  /**
   * Items that may be the result of the request: the calls that were placed meanwhile, without inbound calls, and without
   * those to other numbers where the list shows numbers. Nothing says which one it is.
   */
  readonly candidates: readonly Item[];
  /** Whether the whole list was read. */
  readonly complete: boolean;
  /** What the result means, as text for a person. */
  readonly explanation: string;
}

/** Input of the constructor of `OutcomeUnknownError`. */
export interface OutcomeUnknownErrorDetails extends RequestErrorDetails {
  /** Period in which the operation may have been carried out, by the server's clock. */
  readonly window: OutcomeWindow;
  /** Part of the response body that arrived. */
  readonly partialBody?: string | undefined;
  /** What `reconcile()` calls. Without it, there are no candidates. */
  readonly findCandidates?: ((options: ReconcileOptions) => Promise<Reconciliation>) | undefined;
}
