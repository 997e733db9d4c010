// Entry point for an inbox in PostgreSQL: a handled event's effects and its response are committed together.
import { type EventInbox, type Handled, type Handling, maxHandlingMs } from "./deduplicator.ts";
import { isRejection, unavailable, type WebhookErrorCode } from "./errors.ts";
import { readResponse, writeResponse } from "./stored-response.ts";
import { after, checkRetention, pauses, sleep, withTimeout } from "./timeout.ts";

/** A client of PostgreSQL, of any library, as two functions. */
export interface PostgresClient<Tx> {
  /**
   * Begins a transaction and calls `work` with it. Commits when `work` resolves; when it rejects, rolls back and rejects. Rejects
   * also if PostgreSQL answers the commit with `ROLLBACK`, as after a query that failed unseen. Must not call `work` again.
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
/** Also a constraint or trigger that runs at the commit, or a query that postgres.js did not send. */
const failsAtCommit = /^(25P02|(2[1-3]|P0)\w{3}|UNDEFINED_VALUE|MAX_PARAMETERS_EXCEEDED)$/;
/** Waiting cannot help: no such table, column or database, or no permission. */
const hopeless = /^(42|28|3D)\w{3}$/;

/** Methods by which an app would end the transaction that is lent to it. */
const endings: readonly (string | symbol)[] = ["release", "end", "commit", "rollback"];

/** Methods that run a part of the transaction in a function. */
const parts: readonly (string | symbol)[] = ["savepoint", "transaction"];

type AnyFunction = (...args: unknown[]) => unknown;

const never = new Promise<never>(() => {});

/** A transaction that is lent to the app, which can neither end it nor use it after its end. */
class Loan {
  isOver = false;
  /** Set when the client ended the transaction while work went on: its connection is lost. */
  lost: Error | undefined;
  lose: (error: Error) => void = () => {};
  readonly #loss = new Promise<never>((_, reject) => {
    this.lose = (error) => {
      this.lost = error;
      reject(error);
    };
  });

  constructor() {
    this.#loss.catch(() => {});
  }

  check(): void {
    if (this.lost) throw this.lost;
    if (this.isOver) throw new Error("The transaction of the inbox is over. onEvent must await its queries.");
  }

  /** Clients that reconnect would run later queries outside of the transaction. */
  lend<Tx>(tx: Tx): Tx {
    if ((typeof tx !== "object" && typeof tx !== "function") || tx === null) return tx;
    const apply = (run: AnyFunction, self: unknown, args: unknown[], name?: string | symbol): unknown => {
      this.check();
      if (name !== undefined && endings.includes(name))
        throw new Error(`onEvent must not call ${String(name)}() of the inbox's transaction. To roll back, throw.`);
      // Private members are those of the client's own object.
      const call = (given: unknown[]) => Reflect.apply(run, self === lent ? tx : self, given);
      if (name === undefined || !parts.includes(name)) return call(args);
      const guarded = args.map((arg) => (typeof arg === "function" ? this.#part(arg as AnyFunction) : arg));
      return Promise.race([call(guarded), this.#loss]);
    };
    // A proxy of a frozen object must return its own members.
    const target: object = typeof tx === "function" ? tx : Object.create(tx);
    const lent: object = new Proxy(target, {
      get: (_, name) => {
        this.check();
        const value: unknown = Reflect.get(tx, name);
        if (typeof value !== "function") return value;
        return new Proxy(value as AnyFunction, { apply: (run, self, args) => apply(run, self, args, name) });
      },
      set: (_, name, value) => Reflect.set(tx, name, value),
      apply: (_, self, args) => apply(tx as AnyFunction, self, args),
    });
    return lent as Tx;
  }

  /** A function that gets a lent part of the transaction and may return a list of queries. */
  #part(run: AnyFunction): AnyFunction {
    return (tx) => {
      const result = run(this.lend(tx));
      return this.hold(Array.isArray(result) ? Promise.all(result) : Promise.resolve(result));
    };
  }

  /** Does not settle after the loss: a commit or rollback would reach the client's next connection. */
  async hold<Result>(work: Promise<Result>): Promise<Result> {
    const hasFailed = await work.then(
      () => false,
      () => true,
    );
    // The loss is reported after the queries that it fails.
    if (hasFailed) await sleep(0);
    return this.lost ? never : work;
  }
}

/** Runs a statement in a transaction. Returns its first row. */
type Ask = (text: string, values?: (string | number)[]) => Promise<Record<string, unknown>>;

/** Runs work in a transaction, of which it gets the form to lend. */
async function transact<Tx, Result>(
  client: PostgresClient<Tx>,
  work: (ask: Ask, lent: Tx, endLoan: () => void) => Promise<Result>,
) {
  const loan = new Loan();
  const results: Result[] = [];
  let isWorking = false;
  const run = async (tx: Tx): Promise<void> => {
    isWorking = true;
    const ask: Ask = async (text, values = []) => {
      if (loan.lost) throw loan.lost;
      return Object((await client.query(tx, text, values))[0]);
    };
    const endLoan = () => {
      loan.isOver = true;
    };
    const working = work(ask, loan.lend(tx), endLoan).finally(endLoan);
    await loan.hold(working.then((result) => void results.push(result))).finally(() => {
      isWorking = false;
    });
  };
  try {
    await client.transaction(run);
  } catch (error) {
    // Before the commit, the loss rolls it back; at the commit, the outcome is unknown.
    if (isWorking) loan.lose(new Error("The connection to the database was lost.", { cause: error }));
    throw loan.lost ?? error;
  }
  const [result] = results;
  if (result === undefined) throw new TypeError("transaction() of postgresInbox must wait for the work that it calls.");
  return result;
}

/** Whether the connection of a transaction is lost. `onEvent` may throw any error then. */
async function isLost(ask: Ask): Promise<boolean> {
  await sleep(0);
  return withTimeout(() => ask("select 1"), 1000, "The database", "store_timeout").then(
    () => false,
    (error: unknown) => !hasCode(error, /^(25P02|store_timeout)$/),
  );
}

/** The database needs some time even if a duplicate must not wait. */
const minWaitMs = 2000;

/** Handles one delivery of an event. */
async function receive<Tx>(
  { client, table, retentionMs }: { client: PostgresClient<Tx>; table: string; retentionMs: number },
  { key, owner: own, handle, leftMs, report }: Handling<Tx>,
): Promise<Handled> {
  const waitMs = leftMs();
  const maxWaitMs = Math.max(waitMs, minWaitMs);
  /** What ends the delivery: an error of `onEvent`, or its 5xx. */
  let verdict: { readonly error?: unknown; readonly declined?: Response } | undefined;
  /** The last response that may have been committed. */
  let answered: { readonly stored: string; readonly response: Response } | undefined;
  /** The end of `onEvent`. */
  let called: Promise<unknown> | undefined;
  /** Whether this delivery was answered. */
  let isOver = false;
  let giveUp = (): void => {};
  let stopWaiting = (): void => {};
  const givenUp = new Promise<undefined>((resolve) => {
    giveUp = () => {
      isOver = true;
      resolve(undefined);
    };
  });
  /** Gives up after the time to wait, unless `onEvent` runs. */
  const startWaiting = (): void => {
    stopWaiting = after(maxWaitMs, giveUp);
  };
  const blame = (error: unknown): unknown => {
    verdict ??= { error: hasCode(error, aborted) ? new Error(failed, { cause: error }) : error };
    return error;
  };
  const decided = ({ error, declined }: NonNullable<typeof verdict>): Handled => {
    if (declined) return { response: declined, deduplicated: false };
    throw error;
  };

  /** Calls `onEvent`. Returns its response as text. */
  const call = async (ask: Ask, lent: Tx): Promise<string> => {
    // This delivery was answered with 503 while it waited for the database.
    if (isOver) throw new Error("The database answered too late.");
    stopWaiting();
    let isRunning = true;
    const run = async () => {
      const response = await handle(lent);
      return { response, stored: response.status < 500 ? await writeResponse(response, own) : undefined };
    };
    const limited = () => run().finally(() => (isRunning = false));
    const running = withTimeout(limited, maxHandlingMs, "onEvent", "handler_failed");
    called = running.catch(() => {});
    try {
      const { response, stored } = await running;
      if (stored !== undefined) {
        answered = { stored, response };
        return stored;
      }
      verdict = { declined: response };
      throw new Error("onEvent responded with 5xx.");
    } catch (error) {
      const isOfApp = isRunning || verdict !== undefined || (!hasCode(error, conflict) && !(await isLost(ask)));
      throw isOfApp ? blame(error) : error;
    } finally {
      startWaiting();
    }
  };

  /** Runs in the transaction. */
  const work = async (
    ask: Ask,
    lent: Tx,
    endLoan: () => void,
  ): Promise<"handled" | "in_progress" | { readonly stored: string }> => {
    const { claim, complete } = statementsFor(table);
    if (isOver || !(await ask(lock, [`${table} ${key}`, own])).free) return "in_progress";
    // A statement of its own, which sees what was committed before the lock was free.
    const { state, answer } = await ask(claim, [key, own, maxHandlingMs]);
    if (state === "completed") return { stored: String(answer) };
    if (state !== "claimed") return "in_progress";
    const text = await call(ask, lent);
    // A later query could fail unseen and turn the commit into a rollback.
    endLoan();
    const stored = await ask(complete, [key, own, text, retentionMs]).catch((error: unknown) => {
      throw hasCode(error, aborted) ? blame(error) : error;
    });
    if (stored.key === undefined) throw blame(new Error(`onEvent must not change the table ${table}.`));
    if (stored.owner !== own) report(new Error(ended), "handler_failed");
    return "handled";
  };

  /** Tries to handle the event. Rejects with the error of `onEvent`, or with the database's. */
  const attempt = async (): Promise<Handled | "in_progress"> => {
    [verdict, called] = [undefined, undefined];
    const claim = await transact(client, work).catch(async (error: unknown) => {
      // A client may report a lost connection while `onEvent` still runs.
      await called;
      if (hasCode(error, failsAtCommit)) blame(error);
      if (verdict) return decided(verdict);
      throw error;
    });
    if (claim === "in_progress" || (claim !== "handled" && "response" in claim)) return claim;
    // Its own text: it was committed, but the response of the commit was lost.
    if (answered && (claim === "handled" || claim.stored === answered.stored))
      return { ...answered, deduplicated: false };
    const { stored } = claim as { readonly stored: string };
    return { response: readResponse(stored), stored, deduplicated: true };
  };

  startWaiting();
  const from = performance.now();
  let failure: unknown;
  let code: WebhookErrorCode = "store_timeout";
  try {
    for (const pauseMs of pauses()) {
      const tried = attempt().catch((error: unknown) => {
        // `onEvent` failed, or the event must not be handled: the error is not the database's.
        if (verdict || isRejection(error)) throw error;
        failure = error;
        return "failed" as const;
      });
      const result = await Promise.race([tried, givenUp]);
      if (typeof result === "object") return result;
      // The client waits for a rollback that does not come.
      if (result === undefined && verdict) return decided(verdict);
      if (result !== undefined) code = result === "in_progress" ? "duplicate_timeout" : "store_failed";
      const isLate = performance.now() - from >= (result === "in_progress" ? waitMs : maxWaitMs);
      if (result === undefined || isLate || (result === "failed" && hasCode(failure, hopeless))) break;
      await sleep(pauseMs);
    }
    throw unavailable(code, failure);
  } finally {
    isOver = true;
    stopWaiting();
  }
}

const ended =
  "onEvent ended the transaction of the inbox, so a crash may keep its changes without their response. It must not commit or " +
  "roll back. Use a savepoint for a part that may fail.";

const failed = "A query of onEvent failed, so nothing can be committed. Let onEvent throw, or use a savepoint.";

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
    coordinate: (handling) => receive({ client, table, retentionMs }, handling),
    async check({ waitMs }) {
      const work = () => transact(client, (ask) => ask(statementsFor(table).check));
      await withTimeout(work, Math.max(waitMs, minWaitMs), "The database", "store_timeout");
    },
  };
}
