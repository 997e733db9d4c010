import type { Candidate } from "../generated/operations.gen.ts";

/**
 * Effect of a request on the server: `not_sent` (it never left the client), `rejected` (it was refused without effect),
 * `applied` (it was carried out) or `unknown`.
 */
export type RequestOutcome = "not_sent" | "rejected" | "applied" | "unknown";

/**
 * Why an attempt got no complete response.
 *
 * - `connection_failed`: it could not be sent, or the connection was lost before a response. The `outcome` says which.
 * - `connection_lost`: the connection was lost in the body of the response.
 * - `timeout`: it took longer than `timeoutMs`, or the request longer than `totalTimeoutMs`.
 * - `aborted`: the caller's signal aborted it.
 * - `body_too_large`: the body of the response exceeds the limit of 10 MiB.
 * - `callback_failed`: the caller's own middleware or token function threw.
 */
export type AttemptErrorCode =
  | "connection_failed"
  | "connection_lost"
  | "timeout"
  | "aborted"
  | "body_too_large"
  | "callback_failed";

/**
 * Why a request was not retried although retries were left.
 *
 * - `already_applied`: its response was lost after it was carried out.
 * - `not_idempotent`: it may have been carried out, and repeating it may do it twice.
 * - `untrusted_503`: the same, after a 503 that `retry.trust503Codes` would trust.
 * - `list_inconclusive`: the list did not rule out that it was carried out.
 * - `body_not_replayable`: its body, such as a stream, can be sent only once.
 * - `retry_after_too_long`: the server asked to wait longer than the client accepts.
 * - `total_timeout`: `totalTimeoutMs` would expire first.
 * - `retry_budget`: the client's retry budget is used up.
 * - `token_still_expired`: the accessToken function keeps returning expired tokens.
 */
export type RetrySkippedReason =
  | "already_applied"
  | "not_idempotent"
  | "untrusted_503"
  | "list_inconclusive"
  | "body_not_replayable"
  | "retry_after_too_long"
  | "total_timeout"
  | "retry_budget"
  | "token_still_expired";

/**
 * What a reconciliation means.
 *
 * - `candidates_found`: any of the candidates may be the result.
 * - `none_found`: the list has no candidate, which does not prove that no call was created.
 * - `list_changed`: the list changed while it was read.
 * - `server_time_unknown`: no response had a `Date` header, so the list may lack the period of the request.
 * - `list_incomplete`: the list could not be read to its end.
 * - `limit_reached`: the list is longer than `maxItems`.
 * - `not_supported`: there is no list to look in.
 */
export type ReconciliationReason =
  | "candidates_found"
  | "none_found"
  | "list_changed"
  | "server_time_unknown"
  | "list_incomplete"
  | "limit_reached"
  | "not_supported";

/** One sending of a request. Holds no secrets. */
export interface Attempt {
  /** When it was sent, in milliseconds since 1970. */
  readonly startedAt: number;
  /** HTTP status of the response, if one arrived. */
  readonly status?: number;
  /** Error code of the response. */
  readonly code?: string;
  /** Request ID of the response, for support. */
  readonly requestId?: string;
  /** Milliseconds waited after this attempt, before the next one. */
  readonly delayMs?: number;
  /** Milliseconds until its response was read or it failed. */
  readonly durationMs?: number;
  /** Why no complete response arrived. */
  readonly error?: AttemptErrorCode;
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
  readonly retrySkippedReason?: RetrySkippedReason | undefined;
  /** Milliseconds that the whole request took, its waits included. */
  readonly durationMs?: number | undefined;
  /** Base URL of the API. */
  readonly baseUrl?: string | undefined;
  /** Account that the request was for, if the client or the request named one (§5.2). */
  readonly accountId?: string | undefined;
  /** Custom data: the request's option `context`. */
  readonly context?: RequestContext | undefined;
}

/** Custom data of a request, e.g. `{ jobId }`. Logs may show it, so keep secrets out. */
export type RequestContext = Readonly<Record<string, unknown>>;

/** Input of the constructor of `ApiError`. */
export interface ApiErrorDetails extends RequestErrorDetails {
  /** HTTP status; 0 for a redirect that the browser hides. */
  readonly status: number;
  /** HTTP method in capitals. The message of a refusal may name a cause that goes by it. */
  readonly method?: string | undefined;
  /** The body, where it is a JSON object. The error takes `code`, `title`, `detail`, `errors` and `meta` from it. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Any other body, as text. */
  readonly bodyText?: string | undefined;
  /** Request ID, for support; by default the one in `body`. */
  readonly requestId?: string | undefined;
  /** Response headers; none by default. */
  readonly headers?: Headers | undefined;
  /** Seconds to wait, as requested by `meta.retryAfterSecs` or a `Retry-After` header. */
  readonly retryAfterSecs?: number | undefined;
}

/** Period in which an operation may have been carried out. */
export interface OutcomeWindow {
  /** Start, as an ISO 8601 time. */
  readonly start: string;
  /** End, as an ISO 8601 time. */
  readonly end: string;
  /**
   * Whether the times are the server's, because an answer to this client or a copy of it had a `Date`. Otherwise they are by the
   * caller's clock, with five minutes more on each side.
   */
  readonly byServerClock: boolean;
}

/** Options of `OutcomeUnknownError.reconcile()`. */
export interface ReconcileOptions {
  /** Ends the reading. The result holds what was found until then, and `complete` is false. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Maximum number of calls to read, rounded up to whole pages of 100; 1,000 by default. If the list is longer,
   * `complete` is false.
   */
  readonly maxItems?: number | undefined;
}

/** Result of `OutcomeUnknownError.reconcile()`. */
export interface Reconciliation<Item = Candidate> {
  /**
   * Items that may be the result of the request: the calls that were placed meanwhile, without inbound calls, and without
   * those to other numbers where the list shows numbers. Nothing says which one it is.
   */
  readonly candidates: readonly Item[];
  /** True if the whole list was read, from a time on the server's clock. */
  readonly complete: boolean;
  /** What the result means. */
  readonly reason: ReconciliationReason;
  /** The same as text for a person. Its wording may change. */
  readonly explanation: string;
  /** The period that was looked at. It may differ from that of the error: the answers that were read show the server's clock. */
  readonly window: OutcomeWindow;
}

/** Input of the constructor of `OutcomeUnknownError`. */
export interface OutcomeUnknownErrorDetails extends RequestErrorDetails {
  /** Period in which the operation may have been carried out. */
  readonly window: OutcomeWindow;
  /** Part of the response body that arrived. */
  readonly partialBody?: string | undefined;
  /** What `reconcile()` calls. Without it, there are no candidates. */
  readonly findCandidates?: ((options: ReconcileOptions) => Promise<Reconciliation>) | undefined;
}
