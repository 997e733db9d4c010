// Tokens at the start, the cost of a retry, and the gain of a success (after AWS's standard retry mode).
const capacity = 500;
const retryCost = 5;
const successGain = 1;

/** Limits a client's retries, so that in a long outage the load stays close to that of first attempts alone. */
export class RetryBudget {
  #tokens = capacity;

  /** Takes the cost of a retry. Returns false when too little is left. */
  spend(): boolean {
    if (this.#tokens < retryCost) return false;
    this.#tokens -= retryCost;
    return true;
  }

  /** Gives back a little after a success. */
  refill(): void {
    this.#tokens = Math.min(capacity, this.#tokens + successGain);
  }
}
