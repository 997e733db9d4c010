// The inbox over `postgres`, also called Postgres.js.
import type { EventInbox } from "./event-inbox.ts";
import { sleep } from "./in-time.ts";
import { inboxOver, LostConnection } from "./inbox.ts";
import { defaultTable } from "./postgres-table.ts";

/** What `postgresJsInbox` needs of a transaction of `postgres`. `onEvent` gets the whole transaction. */
export interface PostgresJsTransaction {
  /** Runs a query. */
  unsafe(query: string, parameters?: (string | number)[]): PromiseLike<readonly unknown[]>;
}

const isLost = (error: unknown): boolean => /^CONNECTION_/.test(String(Object(error).code));

/** Runs work in a transaction. After the loss of a connection, `postgres` would run its queries outside of one. */
async function run<Tx extends PostgresJsTransaction & object, Result>(
  sql: { begin(options: string, work: (tx: Tx) => Promise<unknown>): Promise<unknown> },
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  let lost: LostConnection | undefined;
  const check = (): void => {
    if (lost) throw lost;
  };
  const guarded = (tx: Tx): Tx =>
    new Proxy(tx, {
      get(target, name) {
        check();
        return Reflect.get(target, name);
      },
      apply(target, self, words) {
        check();
        return Reflect.apply(target as never, self, words);
      },
    });
  const results: Result[] = [];
  try {
    await sql.begin(
      "",
      (tx) =>
        // It does not settle after the loss: a commit or rollback would reach the next connection.
        new Promise((resolve, reject) => {
          work(guarded(tx)).then(
            (result) => {
              results.push(result);
              if (!lost) resolve(undefined);
            },
            async (error: unknown) => {
              // The loss is reported after the queries that it fails.
              await sleep(0);
              if (!lost) reject(error);
            },
          );
        }),
    );
  } catch (error) {
    if (isLost(error)) lost = new LostConnection(error);
    throw lost ?? error;
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
