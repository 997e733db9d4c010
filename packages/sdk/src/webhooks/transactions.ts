// What an inbox needs of a client of PostgreSQL, and how a transaction may end.

/** How a client of PostgreSQL runs transactions. */
export interface Transactions<Tx> {
  /** Commits when the work resolves, rolls back when it rejects. Rejects with a `LostConnection` where that was the cause. */
  run<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Runs a statement in the transaction. Returns its rows. */
  query(tx: Tx, text: string, values: (string | number)[]): PromiseLike<readonly unknown[]>;
}

/** The connection of a transaction was lost. Before the commit that rolls it back; at the commit the outcome is unknown. */
export class LostConnection extends Error {
  constructor(cause: unknown) {
    super("The connection to the database was lost.", { cause });
  }
}

/** `onEvent` runs on after its time. What it still sends must not reach the next transaction of its connection. */
export class StillRunning extends Error {}

/** A failed query was hidden from the client, which could not commit. */
export const rolledBack = (cause?: unknown): Error =>
  Object.assign(new Error("The transaction was rolled back.", { cause }), { code: "25P02" });
