import type { Deviation } from "@call-transfer/backend/unstable";
import type { OperationDescription } from "@call-transfer/spec";
import type { Content } from "./json-content.ts";

/** A request that the proxy took, and its answer. */
export interface Exchange {
  /** When the target answered, by its own clock if it says so: milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** The address that the client used. */
  readonly url: URL;
  /** Names and values alternating. */
  readonly requestHeaders: readonly string[];
  /** The target's headers, names and values alternating; empty without an answer of it. */
  readonly responseHeaders: readonly string[];
  readonly requestContent: Content | undefined;
  readonly responseContent: Content | undefined;
  /** Undefined for a path and method that the document does not have. */
  readonly operation: OperationDescription | undefined;
  /** The status that the client sees; 0 if it left first. */
  readonly status: number;
  readonly deviations: readonly Deviation[];
  readonly durationMs: number;
  /** What the proxy did instead of passing the answer on, in a sentence. */
  readonly detail?: string;
}
