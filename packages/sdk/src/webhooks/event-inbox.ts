// The inbox of a receiver: its own database, in which an event's effects and its answer are committed together.
import type { WebhookErrorCode } from "./codes.ts";

/**
 * Handles each event in a transaction of the app's database, which also stores its answer. `pgInbox` and `postgresJsInbox`
 * of `/webhooks/postgres` make one for the option `inbox` of `createWebhookHandler`.
 */
export interface EventInbox<Tx> {
  /**
   * Handles an event, or finds its answer; `isCopy` says which. Rejects if the event is refused, or with an error of
   * `onEvent`. Only the webhook handler calls this. A later version may add fields.
   */
  receive(event: {
    /** Names the event: 1 to 512 printable ASCII characters without spaces. */
    readonly key: string;
    /** As the option of the webhook handler. */
    readonly duplicates: "answer" | "refuse";
    /** In milliseconds, as the option of the webhook handler. */
    readonly waitMs: number;
    /** In milliseconds, as the option of the webhook handler. */
    readonly keepMs: number;
    /** Calls `onEvent`. If it rejects or answers 5xx, the transaction is rolled back. */
    readonly handle: (tx: Tx) => Promise<Response>;
    /** Receives what went wrong apart from `onEvent`, such as an error of the database. */
    readonly report: (error: unknown, code: WebhookErrorCode) => void;
  }): Promise<{ readonly response: Response; readonly isCopy: boolean }>;
  /**
   * Asks the database whether it would store an answer, for as long as an event waits. Rejects if not. Only the webhook handler
   * calls this.
   */
  check(options: { readonly waitMs: number }): Promise<void>;
}

/** Refuses what is no inbox, and options that have no effect with one. */
export function checkInbox(inbox: unknown, options: object): void {
  if (inbox === undefined || inbox === null) return;
  if (typeof (inbox as { receive?: unknown }).receive !== "function")
    throw new TypeError("inbox must be made by pgInbox or postgresJsInbox of /webhooks/postgres");
  for (const name of ["store", "onStoreError", "leaseMs", "storeTimeoutMs"])
    if (Reflect.get(options, name) !== undefined) throw new TypeError(`${name} has no effect with inbox. Remove it.`);
}
