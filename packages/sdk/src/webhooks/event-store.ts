// Where a receiver remembers the events that it has handled, so that each gets one answer.

/** What a store has of an event. */
export type EventClaim =
  /** The caller has the event: it was never received, its lease ran out, or the caller had it already. */
  | { readonly state: "mine" }
  /** Another owner has it, and its lease still runs. */
  | { readonly state: "busy" }
  /** It was handled. `answer` is the text that `complete` was given. */
  | { readonly state: "done"; readonly answer: string };

/** Key of what says why a store of this package will not keep what it is given. */
export const checkKey: unique symbol = Symbol.for("@call-transfer/sdk/1/check-store");

/**
 * Remembers which events were received, and how they were answered. Processes that share a store handle each event once.
 *
 * Each method is one atomic step, also between processes. A method that rejects is handled as `onStoreError` of
 * `createWebhookHandler` says. The cases of `@call-transfer/contract/webhooks` test a store of your own.
 */
export interface EventStore {
  /**
   * How many steps the store takes at once; 100 by default. More wait in the receiver, for up to `waitMs`, and this time does not
   * count for `storeTimeoutMs`: a store that is busy is not a store that is down. With a pool, its connections.
   */
  readonly stepsAtOnce?: number;
  /** How many answers the store has forgotten before `keepMs` was over, so far. `onError` then receives `store_forgets`. */
  readonly forgottenEarly?: number;
  /**
   * Takes an event for an owner, or extends the owner's lease.
   *
   * @param key Names the event: 1 to 512 printable ASCII characters without spaces.
   * @param owner Names one handling of the event: a UUID.
   * @param leaseMs How long the lease runs from now, in milliseconds. After it, another owner may take the event.
   */
  claim(key: string, owner: string, leaseMs: number): Promise<EventClaim>;
  /**
   * Stores the answer of a handled event and ends the lease. Stores it too if the lease ran out and nothing else happened
   * since.
   *
   * @param answer JSON text of at most 24 kB.
   * @param keepMs How long to keep the answer from now, in milliseconds.
   * @returns False if another owner has the event or has completed it. Nothing is changed then. If this owner has completed
   * it before, its answer stays, and either value is right.
   */
  complete(key: string, owner: string, answer: string, keepMs: number): Promise<boolean>;
  /** Ends the owner's lease, so that the next copy is handled. Does nothing if the event is another owner's or completed. */
  release(key: string, owner: string): Promise<void>;
}
