// A token bucket after AWS's standard retry mode. A full one is enough for 100 retries that fail. It fills again by the cost of
// each retry that succeeds, by a fifth of that with each other success, and by ten retries an hour.
export const capacity = 500;
export const successGain = 1;
export const msPerGain = 3_600_000 / 50;

/** Cost of a retry that the server did not ask for. */
export const retryCost = 5;

/** Most accounts whose budgets are kept. Of more, the one that was used longest ago begins again with a full one. */
const maxAccounts = 10_000;

/** The budgets of a client and its copies, one for each account: an outage of one account takes no retries from another. */
export class RetryBudgets {
  readonly #byAccount = new Map<string | undefined, RetryBudget>();

  /** The budget of an account; undefined stands for requests that name none. */
  of(accountId: string | undefined): RetryBudget {
    const accounts = this.#byAccount;
    const budget = accounts.get(accountId) ?? new RetryBudget();
    // A map keeps the order of insertion, so that the first account is the one that was used longest ago.
    accounts.delete(accountId);
    accounts.set(accountId, budget);
    if (accounts.size > maxAccounts) accounts.delete(accounts.keys().next().value);
    return budget;
  }
}

/** Limits the retries of an account, so that in a long outage the load stays close to that of first attempts alone. */
export class RetryBudget {
  #tokens = capacity;
  #filledAt = 0;

  /** Takes the cost of a retry. Returns false when too little is left. `now` is in milliseconds since any fixed moment. */
  spend(cost: number, now: number): boolean {
    this.#add(Math.max(0, now - this.#filledAt) / msPerGain);
    this.#filledAt = now;
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }

  /** Gives back the cost of a retry that succeeded, or a little after a success without costs. */
  refill(cost: number): void {
    this.#add(cost || successGain);
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(capacity, this.#tokens + tokens);
  }
}
