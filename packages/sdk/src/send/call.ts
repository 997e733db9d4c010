// One logical request, and what is found out about it.

import type { FindCandidates } from "../core/reconcile.ts";
import type { Attempt, Problem, RequestErrorDetails } from "../errors/errors.ts";
import type { Credential } from "../options/auth.ts";
import type { RequestOptions } from "../options/options.ts";
import type { Settings } from "../options/settings.ts";
import type { Failure } from "./deadline.ts";
import type { Middleware } from "./middleware.ts";
import type { OperationFacts } from "./operation-facts.ts";
import type { AttemptEnd } from "./retry.ts";

/** What goes out, and can go out again. */
export interface Outgoing {
  readonly url: string;
  /** The client's and, over them, the request's own; the credential is added to a copy. */
  readonly headers: Headers;
  readonly body?: unknown;
}

/** One logical request: what it may do. Only `tokens` grows while it is under way. */
export interface Call extends Omit<Settings, "headers" | "middleware">, OperationFacts {
  readonly method: string;
  /** The path template. */
  readonly route: string;
  readonly signal?: AbortSignal | undefined;
  readonly middleware: readonly Middleware[];
  /** When the whole request must be over, as `elapsed()` counts. */
  readonly deadline: number | undefined;
  /** How to look whether it was carried out. */
  readonly findCandidates: FindCandidates | undefined;
  /** What the request was sent with, so that the look is one of the same caller. */
  readonly findOptions: RequestOptions;
  /** Every token that was sent, to keep them out of messages and errors. */
  readonly tokens: Set<string>;
}

/** What one attempt found. */
export interface AttemptResult extends AttemptEnd {
  /** The sending itself; undefined where nothing was sent. */
  readonly attempt?: Attempt | undefined;
  /** What it was sent with. */
  readonly credential?: Credential | undefined;
  /** The answer, its body read. */
  readonly response?: Response;
  /** Why there is no usable answer. */
  readonly failure?: Failure;
  /** Whether the caller's own code ended it, so that nothing may follow. */
  readonly final?: boolean;
  /** A success's body, parsed. */
  readonly data?: unknown;
  /** The part of a success's body that came before it broke off, or all of one that is unusable. */
  readonly partialBody?: string | undefined;
  /** An error's body, parsed; undefined where it is no JSON object. */
  readonly problem?: Problem;
  /** An error's body where it is no JSON object. */
  readonly bodyText?: string | undefined;
  /** Seconds that the server asked to wait. */
  readonly hintSecs?: number | undefined;
  /** Milliseconds that the server's clock is ahead. */
  readonly skewMs?: number | undefined;
}

/** What is known of a request over all its attempts; only the loop writes it. */
export interface CallRecord extends RequestErrorDetails {
  readonly attempts: Attempt[];
  outcome: RequestErrorDetails["outcome"];
  retrySkippedReason: string | undefined;
  skewMs: number | undefined;
  /** Whether an expired token was exchanged. */
  renewed: boolean;
}
