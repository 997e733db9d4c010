import { kind } from "./base.ts";
import type { OutcomeUnknownErrorDetails, OutcomeWindow, ReconcileOptions, Reconciliation } from "./details.ts";
import { RequestError } from "./request-error.ts";

/**
 * An operation that is not idempotent may have been carried out, but its response was lost, e.g. that of a call
 * placement. Call `reconcile()` before sending it again (§8.3). The `cause` says how the last attempt ended.
 */
export class OutcomeUnknownError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "OutcomeUnknownError";
  /** Period in which the operation may have been carried out, by the server's clock as far as it was known. */
  readonly window: OutcomeWindow;
  /** Part of the response body that arrived. Left out when the error is printed. */
  declare readonly partialBody: string | undefined;
  readonly #findCandidates: OutcomeUnknownErrorDetails["findCandidates"];

  /** Tests of your own code can create one, with the `findCandidates` that `reconcile()` calls. */
  constructor(message: string, details: OutcomeUnknownErrorDetails, cause?: unknown) {
    super(message, details, cause);
    this.window = details.window;
    this.#findCandidates = details.findCandidates;
    Object.defineProperty(this, "partialBody", { value: details.partialBody });
  }

  /**
   * Looks for results of the request on the server. For a call placement it reads the call list of the same account from
   * the start of `window`. An empty list does not prove that no call was placed. For other operations there are no
   * candidates, and the explanation says why.
   */
  async reconcile(options: ReconcileOptions = {}): Promise<Reconciliation> {
    const explanation = `${this.operationId} cannot be reconciled. Confirm its result manually before sending it again.`;
    const nothing = {
      candidates: [],
      complete: false,
      reason: "not_supported",
      explanation,
      window: this.window,
    } as const;
    return this.#findCandidates?.(options) ?? nothing;
  }
}
