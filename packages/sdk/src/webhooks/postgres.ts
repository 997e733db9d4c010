// Entry point for an inbox in PostgreSQL: a handled event's effects and its response are committed together.
import { type EventInbox, firstPollMs, type Handled, type Handling, maxHandlingMs, maxPollMs } from "./deduplicator.ts";
import { isRejection, unavailable, type WebhookErrorCode } from "./errors.ts";
import { readResponse, writeResponse } from "./stored-response.ts";
import { after, checkRetention, sleep, withTimeout } from "./timeout.ts";

/** A client of PostgreSQL, of any library, as two functions. */
export interface PostgresClient<Tx> {
  /**
   * Begins a transaction and calls `work` with it. Commits when `work` resolves; when it rejects, rolls back and rejects. Must not
   * call `work` again.
   */
  transaction(work: (tx: Tx) => Promise<void>): Promise<unknown>;
  /** Runs a statement with the parameters `$1`, `$2` and so on in the transaction. Returns its rows. */
  query(tx: Tx, text: string, values: (string | number)[]): PromiseLike<readonly unknown[]>;
}

/** Options of `postgresInbox`. */
export interface PostgresInboxOptions {
  /** The table, also with its schema, such as `app.events`; `call_transfer_events` by default. Case counts. */
  table?: string;
  /**
   * Milliseconds for which responses are kept for later duplicates; 86,400,000 (one day) by default. At least twice
   * `toleranceMs` of the handler.
   */
  retentionMs?: number;
}

const defaultTable = "call_transfer_events";

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes the name of a table, with or without its schema. */
function quotedTable(table: unknown): string {
  const parts = typeof table === "string" ? table.split(".") : [];
  const isName = parts.length >= 1 && parts.length <= 2 && parts.every((part) => part !== "" && !part.includes("\0"));
  if (!isName) throw new TypeError("table must be the name of a table, or schema.table");
  return parts.map(quoted).join(".");
}

/**
 * Returns the statements that create the table of inboxes, for a migration. They change nothing if it exists. Run them once,
 * before the app starts: where two processes create a table at the same moment, one fails. Delete expired rows about once an
 * hour: `delete from call_transfer_events where expires_at <= now()`.
 *
 * @param options.table The table's name, also with a schema; `call_transfer_events` by default.
 * @throws {TypeError} The name is invalid.
 */
export function inboxTableSql(options: { table?: string } = {}): string {
  // A name alone would be ignored, and another table created.
  if (typeof options !== "object") throw new TypeError("inboxTableSql takes { table }");
  const { table = defaultTable } = options;
  const index = quoted(`${table.split(".").at(-1)}_expires_at`);
  return `create table if not exists ${quotedTable(table)} (
  key text collate "C" primary key,
  owner text not null,
  answer text,
  expires_at timestamptz not null
);
create index if not exists ${index} on ${quotedTable(table)} (expires_at);
`;
}

/**
 * Takes the event without waiting, which would hold a connection. All of it lasts until the end of the transaction. The second
 * part ends transactions of processes that have stopped or whose machine is gone: PostgreSQL would notice some only after hours.
 */
const lock = `select pg_try_advisory_xact_lock(hashtextextended($1::text, 0)) as free,
set_config('idle_in_transaction_session_timeout', '10000', true),
set_config('call_transfer.owner', $2, true)`;

const owner = "current_setting('call_transfer.owner', true) as owner";

/** Whether the connection of a transaction still is there. */
const probe = "select 1";

// Not now(), which is the start of the transaction: the response is stored after `onEvent`.
const afterMs = (parameter: string): string => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;

/** One row, or none, of each statement. What ran out counts as if it were not there. */
const statementsFor = (table: string) => ({
  // The second part reads a row as it was before the statement. No row: another claim came between.
  claim: `with taken as (
  insert into ${table} as held (key, owner, expires_at) values ($1, $2, ${afterMs("$3")})
  on conflict (key) do update set owner = excluded.owner, answer = null, expires_at = excluded.expires_at
  where held.expires_at <= now() or (held.owner = excluded.owner and held.answer is null)
  returning 'claimed' as state, null::text as answer
)
select state, answer from taken
union all
select 'completed', answer from ${table}
where key = $1 and answer is not null and expires_at > now() and not exists (select from taken)`,
  complete: `with stored as (
  insert into ${table} as held (key, owner, answer, expires_at) values ($1, $2, $3, ${afterMs("$4")})
  on conflict (key) do update set owner = excluded.owner, answer = excluded.answer, expires_at = excluded.expires_at
  where held.expires_at <= now() or (held.owner = excluded.owner and held.answer is null)
  returning key
)
select key, ${owner} from stored`,
  // Needs what a claim needs, and changes nothing.
  check: `insert into ${table} (key, owner, answer, expires_at) select '', '', '', now() where false
on conflict (key) do update set owner = excluded.owner`,
});

const codesOf = (error: unknown): string[] => {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  return [String(code), ...(cause === undefined ? [] : codesOf(cause))];
};

const hasCode = (error: unknown, form: RegExp): boolean => codesOf(error).some((code) => form.test(code));

/** A query failed in the transaction, which PostgreSQL then cannot commit. */
const aborted = /^25P02$/;
/** PostgreSQL asks to run the transaction again: serialization failures and deadlocks. */
const conflict = /^40(001|P01)$/;
/** A constraint or trigger that runs at the commit, or a query that postgres.js did not send. */
const failsAtCommit = /^((2[1-3]|P0)\w{3}|UNDEFINED_VALUE|MAX_PARAMETERS_EXCEEDED)$/;
/** Waiting cannot help: no such table, column or database, or no permission. */
const hopeless = /^(42|28|3D)\w{3}$/;

/** Methods by which an app would end the transaction that is lent to it. */
const endings: readonly (string | symbol)[] = ["release", "end", "commit", "rollback"];

/** Methods that run a part of the transaction in a function. */
const parts: readonly (string | symbol)[] = ["savepoint", "transaction"];

type AnyFunction = (...args: unknown[]) => unknown;

/** The client ended a transaction while work went on. */
class LostConnection extends Error {}

/** A transaction that is lent to the app, which can neither end it nor use it after its end. */
class Loan {
  lost: LostConnection | undefined;
  isOver = false;
  isSettled = false;

  /** Lends a transaction. Clients that reconnect would otherwise run queries outside of it. */
  lend<Tx>(tx: Tx): Tx {
    const check = (): void => {
      if (this.lost) throw this.lost;
      if (this.isOver) throw new Error("The transaction of the inbox is over. onEvent must await its queries.");
    };
    if ((typeof tx !== "object" && typeof tx !== "function") || tx === null) return tx;
    const lent: object = new Proxy(tx, {
      get: (target, name) => {
        check();
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return new Proxy(value as AnyFunction, {
          apply: (run, self, args) => {
            check();
            if (endings.includes(name))
              throw new Error(
                `onEvent must not call ${String(name)}() of the inbox's transaction. To roll back, throw.`,
              );
            // Private members are those of the client's own object.
            const of = self === lent ? target : self;
            return parts.includes(name) ? this.#part(run, of, args) : Reflect.apply(run, of, args);
          },
        });
      },
      apply(target, self, args) {
        check();
        return Reflect.apply(target as AnyFunction, self, args);
      },
    });
    return lent as Tx;
  }

  /** Does not settle after the loss, but calls `onLoss`: a commit or rollback would reach the next connection. */
  settle<Result>(work: Promise<Result>, onLoss: (error: unknown) => void = () => {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      work.then(
        (result) => (this.lost ? onLoss(this.lost) : resolve(result)),
        async (error: unknown) => {
          // The loss is reported after the queries that it fails.
          await sleep(0);
          if (this.lost) onLoss(this.lost);
          else reject(error);
        },
      );
    });
  }

  /** Runs a part, whose function gets a lent transaction and may return a list of queries. */
  #part(run: AnyFunction, self: unknown, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const work = async (part: AnyFunction, tx: unknown): Promise<unknown> => {
        const result = part(this.lend(tx));
        return Array.isArray(result) ? Promise.all(result) : result;
      };
      const guarded = args.map((arg) =>
        typeof arg === "function" ? (tx: unknown) => this.settle(work(arg as AnyFunction, tx), reject) : arg,
      );
      Promise.resolve(Reflect.apply(run, self, guarded)).then(resolve, reject);
    });
  }
}

/** Runs a statement in a transaction. Returns its first row. */
type Ask = (text: string, values?: (string | number)[]) => Promise<Record<string, unknown>>;

/** Runs work in a transaction, of which it gets the form to lend. */
async function transact<Tx, Result>(client: PostgresClient<Tx>, work: (ask: Ask, lent: Tx) => Promise<Result>) {
  const loan = new Loan();
  const results: Result[] = [];
  let hasBegun = false;
  const run = async (tx: Tx): Promise<void> => {
    hasBegun = true;
    const ask: Ask = async (text, values = []) => {
      if (loan.lost) throw loan.lost;
      return Object((await client.query(tx, text, values))[0]);
    };
    const working = work(ask, loan.lend(tx)).finally(() => {
      loan.isOver = true;
    });
    await loan.settle(working.then((result) => void results.push(result))).finally(() => {
      loan.isSettled = true;
    });
  };
  try {
    await client.transaction(run);
  } catch (error) {
    // Before the commit, the loss rolls it back; at the commit, the outcome is unknown.
    if (hasBegun && !loan.isSettled)
      loan.lost = new LostConnection("The connection to the database was lost.", { cause: error });
    throw loan.lost ?? error;
  }
  const [result] = results;
  if (result === undefined) throw new TypeError("transaction() of postgresInbox must wait for the work that it calls.");
  return result;
}

/** The database needs some time even if a duplicate must not wait. */
const minWaitMs = 2000;

const maxProbeMs = 1000;

/** What `onEvent` came to in an attempt. */
interface Calling {
  readonly over: Promise<unknown>;
  /** It threw this. */
  thrown?: { readonly error: unknown };
  /** It responded with 5xx. */
  declined?: Response;
  /** It threw because its connection was lost. */
  isLost?: boolean;
}

/** State of an event for a delivery. */
type Claim = "handled" | "in_progress" | { readonly stored: string };

/** One delivery of an event. */
class Reception<Tx> {
  readonly #client: PostgresClient<Tx>;
  readonly #table: string;
  readonly #retentionMs: number;
  readonly #handling: Handling<Tx>;
  #calling: Calling | undefined;
  /** The last response that may have been committed. */
  #answered: { readonly stored: string; readonly response: Response } | undefined;
  /** Whether this delivery was answered. */
  #isOver = false;
  #maxWaitMs = minWaitMs;
  #stopWaiting: () => void = () => {};
  #giveUp: () => void = () => {};

  constructor(client: PostgresClient<Tx>, table: string, retentionMs: number, handling: Handling<Tx>) {
    this.#client = client;
    this.#table = table;
    this.#retentionMs = retentionMs;
    this.#handling = handling;
  }

  async respond(): Promise<Handled> {
    const waitMs = this.#handling.leftMs();
    this.#maxWaitMs = Math.max(waitMs, minWaitMs);
    const givenUp = new Promise<undefined>((resolve) => {
      this.#giveUp = () => resolve(undefined);
    });
    this.#startWaiting();
    let failure: unknown;
    let code: WebhookErrorCode = "store_timeout";
    let waited = 0;
    try {
      for (let pauseMs: number = firstPollMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPollMs)) {
        const from = performance.now();
        const attempt = this.#attempt().catch((error: unknown) => {
          // `onEvent` failed, or the event must not be handled: the error is not the database's.
          if (this.#calling?.thrown || isRejection(error)) throw error;
          failure = error;
          return "failed" as const;
        });
        const result = await Promise.race([attempt, givenUp]);
        if (typeof result === "object") return result;
        const { thrown, declined, isLost } = this.#calling ?? {};
        // The client waits for a rollback that does not come.
        if (result === undefined && declined) return { response: declined, deduplicated: false };
        if (result === undefined && thrown && !isLost) throw thrown.error;
        if (result !== undefined) code = result === "in_progress" ? "duplicate_timeout" : "store_failed";
        waited += performance.now() - from;
        const isLate =
          waited >= (result === "in_progress" ? waitMs : this.#maxWaitMs) ||
          (result === "failed" && hasCode(failure, hopeless));
        if (result === undefined || isLate) throw unavailable(code, failure);
        await sleep(pauseMs);
        waited += pauseMs;
      }
    } finally {
      this.#isOver = true;
      this.#stopWaiting();
    }
  }

  /** Gives up after the time to wait, unless `onEvent` runs. */
  #startWaiting(): void {
    this.#stopWaiting = after(this.#maxWaitMs, () => {
      this.#isOver = true;
      this.#giveUp();
    });
  }

  /** Tries to handle the event. Rejects with the error of `onEvent`, or with the database's. */
  async #attempt(): Promise<Handled | "in_progress"> {
    this.#calling = undefined;
    const claim = await transact(this.#client, (ask, lent) => this.#work(ask, lent)).catch((error: unknown) =>
      this.#explain(error),
    );
    if (claim instanceof Response) return { response: claim, deduplicated: false };
    if (claim === "in_progress") return claim;
    const answered = this.#answered;
    // Its own text: it was committed, but the response of the commit was lost.
    if (answered && (claim === "handled" || claim.stored === answered.stored))
      return { ...answered, deduplicated: false };
    if (claim === "handled") throw new TypeError("The database returned no response of its own.");
    return { response: readResponse(claim.stored), stored: claim.stored, deduplicated: true };
  }

  /** What a transaction that was not committed means. */
  async #explain(error: unknown): Promise<Response> {
    // A client may report a lost connection while `onEvent` still runs.
    await this.#calling?.over;
    const { declined, thrown, isLost } = this.#calling ?? {};
    if (declined) return declined;
    if (hasCode(error, aborted)) throw this.#fail(abortedError(error));
    if (hasCode(error, failsAtCommit)) throw this.#fail(error);
    if (thrown && !isLost && !(error instanceof LostConnection) && !hasCode(thrown.error, conflict)) throw thrown.error;
    this.#calling = undefined;
    throw error;
  }

  /** Runs in the transaction. */
  async #work(ask: Ask, lent: Tx): Promise<Claim> {
    const { key, owner: own, report } = this.#handling;
    const { claim, complete } = statementsFor(this.#table);
    if (this.#isOver || !(await ask(lock, [`${this.#table} ${key}`, own])).free) return "in_progress";
    // A statement of its own, which sees what was committed before the lock was free.
    const { state, answer } = await ask(claim, [key, own, maxHandlingMs]);
    if (state === "completed") return { stored: String(answer) };
    if (state !== "claimed") return "in_progress";
    const text = await this.#call(ask, lent);
    const stored = await ask(complete, [key, own, text, this.#retentionMs]).catch((error: unknown) => {
      throw hasCode(error, aborted) ? this.#fail(abortedError(error)) : error;
    });
    if (stored.key === undefined) throw this.#fail(new Error(`onEvent must not change the table ${this.#table}.`));
    if (stored.owner !== own) report(new Error(ended), "handler_failed");
    return "handled";
  }

  /** Calls `onEvent`. Returns its response as text. */
  async #call(ask: Ask, lent: Tx): Promise<string> {
    // This delivery was answered with 503 while it waited for the database.
    if (this.#isOver) throw new Error("The database answered too late.");
    this.#stopWaiting();
    let isRunning = true;
    const handle = async () => {
      try {
        const response = await this.#handling.handle(lent);
        const stored = response.status < 500 ? await writeResponse(response, this.#handling.owner) : undefined;
        return { response, stored };
      } finally {
        isRunning = false;
      }
    };
    const running = withTimeout(handle, maxHandlingMs, "onEvent", "handler_failed");
    const calling: Calling = { over: running.catch(() => {}) };
    this.#calling = calling;
    try {
      const { response, stored } = await running;
      if (stored === undefined) {
        calling.declined = response;
        throw new Error("onEvent responded with 5xx.");
      }
      this.#answered = { stored, response };
      return stored;
    } catch (error) {
      calling.thrown = { error };
      if (!isRunning && !calling.declined) calling.isLost = await isLost(ask);
      throw error;
    } finally {
      this.#startWaiting();
    }
  }

  /** Makes an error that counts as thrown by `onEvent`. */
  #fail(error: unknown): unknown {
    if (this.#calling) this.#calling.thrown = { error };
    return error;
  }
}

/** Whether the connection of a transaction is lost. `onEvent` may throw any error then. */
async function isLost(ask: Ask): Promise<boolean> {
  // A client reports the loss after the queries that it fails.
  await sleep(0);
  return withTimeout(() => ask(probe), maxProbeMs, "The database", "store_timeout").then(
    () => false,
    (error: unknown) => !hasCode(error, /^(25P02|store_timeout)$/),
  );
}

const ended =
  "onEvent ended the transaction of the inbox, so a crash may keep its changes without their response. It must not commit or " +
  "roll back. Use a savepoint for a part that may fail.";

const abortedError = (cause: unknown): Error =>
  new Error("A query of onEvent failed, so nothing can be committed. Let onEvent throw, or use a savepoint.", {
    cause,
  });

/**
 * Creates an inbox in PostgreSQL, for the option `inbox` of `createWebhookHandler`. `onEvent` gets a transaction that the inbox
 * commits with the response: its queries must go there. `inboxTableSql` returns the table.
 *
 * @param client Your client's transactions and queries.
 * @throws {TypeError} An option is invalid.
 *
 * @example
 * // postgres.js
 * const inbox = postgresInbox<postgres.TransactionSql>({
 *   transaction: (work) => sql.begin(work),
 *   query: (tx, text, values) => tx.unsafe(text, values),
 * });
 */
export function postgresInbox<Tx>(client: PostgresClient<Tx>, options: PostgresInboxOptions = {}): EventInbox<Tx> {
  for (const name of ["transaction", "query"] as const)
    if (typeof client?.[name] !== "function") throw new TypeError(`postgresInbox requires ${name}: a function`);
  const table = quotedTable(options.table ?? defaultTable);
  const retentionMs = checkRetention(options);
  return {
    retentionMs,
    coordinate: (handling) => new Reception(client, table, retentionMs, handling).respond(),
    async check({ waitMs }) {
      const work = () => transact(client, (ask) => ask(statementsFor(table).check));
      await withTimeout(work, Math.max(waitMs, minWaitMs), "The database", "store_timeout");
    },
  };
}
