// Handles an event and stores its answer in one transaction, so that a crash leaves both or neither.
import { answerOf, responseOf } from "./answer.ts";
import type { WebhookErrorCode } from "./codes.ts";
import type { EventInbox } from "./event-inbox.ts";
import type { EventClaim } from "./event-store.ts";
import { after, inTime, sleep } from "./in-time.ts";
import { quotedTable, statementsFor } from "./postgres-table.ts";
import { duplicate, isRefusal, unavailable } from "./refusal.ts";
import { LostConnection, StillRunning, type Transactions } from "./transactions.ts";

type Received<Tx> = Parameters<EventInbox<Tx>["receive"]>[0];
type Handled = Awaited<ReturnType<EventInbox<unknown>["receive"]>>;

/** After this time `onEvent` counts as one that never ends, and its transaction is rolled back. */
const longestHandlingMs = 60_000;

/** The database needs some time even if a copy must not wait. */
const leastWaitMs = 2000;

const longestMsOf = (waitMs: number): number => Math.max(waitMs, leastWaitMs);

const [firstPollMs, longestPollMs] = [15, 200];

/**
 * Takes the event without waiting. All of it lasts until the end of the transaction. The second part ends transactions of
 * processes that have stopped or whose machine is gone: PostgreSQL would notice some of them only after hours.
 */
const lock = `select pg_try_advisory_xact_lock(hashtextextended($1::text, 0)) as free,
set_config('idle_in_transaction_session_timeout', '10000', true),
set_config('call_transfer.owner', $2, true)`;

const owner = "current_setting('call_transfer.owner', true) as owner";

const codesOf = (error: unknown): string[] => {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  return [String(code), ...(cause === undefined ? [] : codesOf(cause))];
};

/** Whether PostgreSQL asks to run the transaction again: serialization failures and deadlocks. */
const isConflict = (error: unknown): boolean => codesOf(error).some((code) => code === "40001" || code === "40P01");

/** Whether waiting cannot help: no such table, column or database, or no permission. */
const isHopeless = (error: unknown): boolean => codesOf(error).some((code) => /^(42|28|3D)\w{3}$/.test(code));

/** What `onEvent` came to in an attempt. */
interface Handling {
  readonly over: Promise<unknown>;
  /** It threw this. */
  thrown?: { readonly error: unknown };
  /** It answered 5xx. */
  declined?: Response;
}

/** Makes an inbox over the transactions of a client. */
export function inboxOver<Tx>(transactions: Transactions<Tx>, table: string): EventInbox<Tx> {
  const quoted = quotedTable(table);
  const ask = () => transactions.run((tx) => Promise.resolve(transactions.query(tx, statementsFor(quoted).check, [])));
  return {
    receive: (event) => new Reception(transactions, quoted, event).respond(),
    check: async ({ waitMs }) => void (await inTime(ask, longestMsOf(waitMs), "The database", "store_timeout")),
  };
}

/** One copy of an event. */
class Reception<Tx> {
  readonly #transactions: Transactions<Tx>;
  readonly #table: string;
  readonly #event: Received<Tx>;
  readonly #owner = crypto.randomUUID();
  #handling: Handling | undefined;
  /** The last answer that may have been committed. */
  #answered: { readonly answer: string; readonly response: Response } | undefined;
  /** Whether this copy was answered. */
  #isOver = false;
  /** Whether an attempt failed whose transaction may go on in PostgreSQL, so that this copy's own lock makes it busy. */
  #mayBeOwn = false;
  #stopWaiting: () => void = () => {};
  #giveUp: () => void = () => {};

  constructor(transactions: Transactions<Tx>, table: string, event: Received<Tx>) {
    this.#transactions = transactions;
    this.#table = table;
    this.#event = event;
  }

  async respond(): Promise<Handled> {
    const { waitMs } = this.#event;
    const longestMs = longestMsOf(waitMs);
    const givenUp = new Promise<undefined>((resolve) => {
      this.#giveUp = () => resolve(undefined);
    });
    this.#startWaiting();
    let failure: unknown;
    let code: WebhookErrorCode = "store_timeout";
    let waited = 0;
    try {
      for (let pauseMs = firstPollMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPollMs)) {
        const from = performance.now();
        const attempt = this.#attempt().catch((error: unknown) => {
          // `onEvent` failed, or the event must not be handled: the error is not the database's.
          if (this.#handling?.thrown || isRefusal(error)) throw error;
          failure = error;
          return "failed" as const;
        });
        const result = await Promise.race([attempt, givenUp]);
        if (typeof result === "object") return result;
        if (result !== undefined) code = result === "busy" ? "busy" : "store_failed";
        waited += performance.now() - from;
        const isLate =
          waited >= (result === "busy" ? waitMs : longestMs) || (result === "failed" && isHopeless(failure));
        if (result === undefined || isLate) throw unavailable(code, failure);
        await sleep(pauseMs);
        waited += pauseMs;
      }
    } finally {
      this.#isOver = true;
      this.#stopWaiting();
    }
  }

  /** Gives up after `waitMs`, unless `onEvent` runs. */
  #startWaiting(): void {
    this.#stopWaiting = after(longestMsOf(this.#event.waitMs), () => {
      this.#isOver = true;
      this.#giveUp();
    });
  }

  /** Tries to handle the event. Rejects with the error of `onEvent`, or with the database's. */
  async #attempt(): Promise<Handled | "busy"> {
    this.#handling = undefined;
    const claim = await this.#transactions.run((tx) => this.#work(tx)).catch((error: unknown) => this.#explain(error));
    if (claim instanceof Response) return { response: claim, isCopy: false };
    const answered = this.#answered;
    // `done` with this answer: it was committed, but the response of the commit was lost.
    if (answered && (claim.state === "mine" || (claim.state === "done" && claim.answer === answered.answer)))
      return { response: answered.response, isCopy: false };
    if (this.#event.duplicates === "refuse" && !(claim.state === "busy" && this.#mayBeOwn)) throw duplicate();
    return claim.state === "done" ? { response: responseOf(claim.answer), isCopy: true } : "busy";
  }

  /** What a transaction that was not committed means. */
  async #explain(error: unknown): Promise<Response> {
    // A client may report a lost connection while `onEvent` still runs.
    await this.#handling?.over;
    const { declined, thrown } = this.#handling ?? {};
    if (declined) return declined;
    if (codesOf(error).includes("25P02")) throw this.#fail(aborted(error));
    // Such as a deferred constraint or trigger, which runs at the commit.
    if (codesOf(error).some((code) => /^(2[1-3]|P0)\w{3}$/.test(code))) throw this.#fail(error);
    if (thrown && !(error instanceof LostConnection) && !isConflict(thrown.error)) throw thrown.error;
    this.#handling = undefined;
    this.#mayBeOwn = true;
    throw error;
  }

  /** Runs in the transaction. `mine` means that the event was handled. */
  async #work(tx: Tx): Promise<EventClaim> {
    const { claim, complete } = statementsFor(this.#table);
    const rowOf = async (text: string, values: (string | number)[]): Promise<Record<string, unknown>> =>
      Object((await this.#transactions.query(tx, text, values))[0]);
    const own = [this.#event.key, this.#owner] as const;
    if (this.#isOver || !(await rowOf(lock, [`${this.#table} ${this.#event.key}`, this.#owner])).free)
      return { state: "busy" };
    // A statement of its own, which sees what was committed before the lock was free.
    const { state, answer } = await rowOf(claim, [...own, longestHandlingMs]);
    if (state === "done") return { state, answer: String(answer) };
    if (state !== "mine") return { state: "busy" };
    const handled = await this.#handleIn(tx);
    const text = `with stored as (${complete}) select key, ${owner} from stored`;
    const stored = await rowOf(text, [...own, handled.answer, this.#event.keepMs]).catch((error: unknown) => {
      throw codesOf(error).includes("25P02") ? this.#fail(aborted(error)) : error;
    });
    if (stored.key === undefined) throw this.#fail(new Error(`onEvent must not change the table ${this.#table}.`));
    if (stored.owner !== this.#owner) this.#event.report(new Error(ended), "event_failed");
    return { state: "mine" };
  }

  /** Calls `onEvent`. */
  async #handleIn(tx: Tx): Promise<{ readonly answer: string }> {
    // This copy was answered with 503 while it waited for the database.
    if (this.#isOver) throw new Error("The database answered too late.");
    this.#stopWaiting();
    let isRunning = true;
    const handle = async () => {
      try {
        const response = await this.#event.handle(tx);
        return { response, answer: response.status < 500 ? await answerOf(response, this.#owner) : undefined };
      } finally {
        isRunning = false;
      }
    };
    const running = inTime(handle, longestHandlingMs, "onEvent", "event_failed");
    const handling: Handling = { over: running.catch(() => {}) };
    this.#handling = handling;
    try {
      const { response, answer } = await running;
      if (answer === undefined) {
        handling.declined = response;
        throw new Error("onEvent answered 5xx.");
      }
      this.#answered = { answer, response };
      return { answer };
    } catch (error) {
      handling.thrown = { error };
      throw isRunning ? new StillRunning("onEvent still runs.", { cause: error }) : error;
    } finally {
      this.#startWaiting();
    }
  }

  /** Makes an error that counts as thrown by `onEvent`. */
  #fail(error: unknown): unknown {
    if (this.#handling) this.#handling.thrown = { error };
    return error;
  }
}

const ended =
  "onEvent ended the transaction of the inbox, so a crash may keep its changes without their answer. It must not commit or " +
  "roll back. Use a savepoint for a part that may fail.";

const aborted = (cause: unknown): Error =>
  new Error("A query of onEvent failed, so nothing can be committed. Let onEvent throw, or use a savepoint.", {
    cause,
  });
