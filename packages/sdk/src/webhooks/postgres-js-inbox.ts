// The inbox over `postgres`, also called Postgres.js.
import type { EventInbox } from "./event-inbox.ts";
import { sleep } from "./in-time.ts";
import { inboxOver } from "./inbox.ts";
import { defaultTable } from "./postgres-table.ts";
import { LostConnection, rolledBack } from "./transactions.ts";

/** What `postgresJsInbox` needs of a transaction of `postgres`. `onEvent` gets the whole transaction. */
export interface PostgresJsTransaction {
  /** Runs a query. */
  unsafe(query: string, parameters?: (string | number)[]): PromiseLike<readonly unknown[]>;
}

const isLost = (error: unknown): boolean => /^CONNECTION_/.test(String(Object(error).code));

/** Whether `postgres` refused to send a query, so that PostgreSQL does not know that it failed. */
const isUnsent = (error: unknown): boolean =>
  /^(undefined|UNDEFINED_VALUE|MAX_PARAMETERS_EXCEEDED)$/.test(String(Object(error).code));

/** A part of the work, in a savepoint. It may return a list of queries. */
type Part<Tx> = (tx: Tx) => unknown;

/** Keeps a transaction of `postgres`, and its savepoints, from sending anything over another connection. */
class Guard {
  lost: LostConnection | undefined;
  isOver = false;

  /** The transaction, whose queries throw after its end and after the loss of its connection. */
  of<Tx extends object>(tx: Tx): Tx {
    const check = (): void => {
      if (this.lost) throw this.lost;
      if (this.isOver) throw new Error("The transaction of the inbox is over. onEvent must await its queries.");
    };
    return new Proxy(tx, {
      get: (target, name) => {
        check();
        const value: unknown = Reflect.get(target, name);
        return name === "savepoint" && typeof value === "function" ? this.#savepointOf<Tx>(value as never) : value;
      },
      apply(target, self, words) {
        check();
        return Reflect.apply(target as never, self, words);
      },
    });
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

  #savepointOf<Tx extends object>(savepoint: (...words: unknown[]) => Promise<unknown>) {
    return (...words: (string | Part<Tx>)[]) =>
      new Promise((resolve, reject) => {
        const run = async (part: Part<Tx>, tx: Tx): Promise<unknown> => {
          const result = part(this.of(tx));
          return Array.isArray(result) ? Promise.all(result) : result;
        };
        const guarded = words.map((word) =>
          typeof word === "function" ? (tx: Tx) => this.settle(run(word, tx), reject) : word,
        );
        savepoint(...guarded).then(resolve, reject);
      });
  }
}

/** Runs work in a transaction. After its end or the loss of its connection, `postgres` would run queries outside of one. */
async function run<Tx extends PostgresJsTransaction & object, Result>(
  sql: { begin(options: string, work: (tx: Tx) => Promise<unknown>): Promise<unknown> },
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const guard = new Guard();
  const results: Result[] = [];
  try {
    await sql.begin("", (tx) => {
      const working = work(guard.of(tx)).finally(() => {
        guard.isOver = true;
      });
      return guard.settle(working.then((result) => void results.push(result)));
    });
  } catch (error) {
    if (isLost(error)) guard.lost = new LostConnection(error);
    // It would commit nothing, although all of the work is done.
    throw guard.lost ?? (results.length > 0 && isUnsent(error) ? rolledBack(error) : error);
  }
  return results[0] as Result;
}

/**
 * Creates an inbox over `postgres`, for the option `inbox` of `createWebhookHandler`. `onEvent` gets the transaction, which
 * the inbox commits: its queries must go there. `createEventTable` returns the table.
 *
 * @throws {TypeError} The name of the table is invalid.
 *
 * @example
 * createWebhookHandler({
 *   secret,
 *   inbox: postgresJsInbox(postgres()),
 *   async onEvent(event, tx) {
 *     await tx`insert into offers values (${event.destinationId})`;
 *   },
 * });
 */
export function postgresJsInbox<Tx extends PostgresJsTransaction & object>(
  sql: { begin(options: string, work: (tx: Tx) => Promise<unknown>): Promise<unknown> },
  { table = defaultTable }: { table?: string } = {},
): EventInbox<Tx> {
  return inboxOver<Tx>({ run: (work) => run(sql, work), query: (tx, text, values) => tx.unsafe(text, values) }, table);
}
