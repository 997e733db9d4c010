// Inboxes in PostgreSQL: what an event changes and its answer are committed together, whatever breaks.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
  createWebhookHandler,
  type EventInbox,
  signWebhook,
  type WebhookEvent,
  type WebhookHandler,
  type WebhookHandlerOptions,
} from "@call-transfer/sdk/webhooks";
import { inboxTableSql, postgresInbox } from "@call-transfer/sdk/webhooks/postgres";
import { Pool } from "pg";
import postgres from "postgres";
import { startCommitProxy } from "./commit-proxy.ts";
import { startPostgres } from "./servers.ts";
import { pgInbox } from "./stores.ts";

const server = await startPostgres();
const proxy = await startCommitProxy(server.port);
const closings: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const close of closings) await close();
  proxy.close();
  await server.stop();
});

function openPool(url: string, max: number, isolation: string): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    options: `-c default_transaction_isolation=${isolation.replaceAll(" ", "\\ ")}`,
  });
  pool.on("error", () => {});
  // Without a listener, a client whose connection is lost ends the process.
  pool.on("connect", (client) => void client.on("error", () => {}));
  // Not awaited: it would wait for each onEvent that a failed test left waiting. The end of the server ends its connections.
  closings.push(async () => void pool.end());
  return pool;
}

const admin = openPool(server.url, 4, "read committed");
await admin.query(`${inboxTableSql()}
create table effects (event text, note text);
create table counters (name text primary key, count int);
create table late (event text unique deferrable initially deferred);`);

type Query = (text: string, values?: string[]) => Promise<readonly unknown[]>;
type OnEvent = (event: WebhookEvent, query: Query) => ReturnType<WebhookHandlerOptions["onEvent"]>;
type Options = Omit<WebhookHandlerOptions, "secret" | "onEvent" | "inbox">;
type Receiver = ReturnType<typeof createWebhookHandler>;
interface Client {
  receiverOf(options: Options & { retentionMs?: number }, onEvent: OnEvent): Receiver;
  /** Runs a query over the same pool, outside of the inbox. */
  query(text: string): Promise<readonly unknown[]>;
}
const isolations = ["read committed", "repeatable read", "serializable"] as const;
type Isolation = (typeof isolations)[number];
interface Connection {
  readonly url?: string;
  readonly max?: number;
  readonly isolation?: Isolation;
}

const secret = "secret";

/** As docs/webhook-stores.md shows it for postgres.js. */
const postgresJsInbox = (sql: postgres.Sql, options = {}) =>
  postgresInbox<postgres.TransactionSql>(
    { transaction: (work) => sql.begin(work), query: (tx, text, values) => tx.unsafe(text, values) },
    options,
  );

const create = <Tx>(open: (options: object) => EventInbox<Tx>, queryOf: (tx: Tx) => Query) => ({
  receiverOf: ({ retentionMs, ...options }: Options & { retentionMs?: number }, onEvent: OnEvent) =>
    createWebhookHandler({
      onError() {},
      ...options,
      secret,
      inbox: open(retentionMs === undefined ? {} : { retentionMs }),
      onEvent: (event, tx) => onEvent(event, queryOf(tx)),
    }),
});

const clients: Readonly<Record<string, (connection?: Connection) => Client>> = {
  pg({ url = server.url, max = 5, isolation = "read committed" } = {}) {
    const pool = openPool(url, max, isolation);
    const query = async (text: string) => (await pool.query(text)).rows as unknown[];
    return {
      query,
      ...create(
        (options) => pgInbox(pool, options),
        (client) => async (text, values) => (await client.query(text, values)).rows as unknown[],
      ),
    };
  },
  postgres({ url = server.url, max = 5, isolation = "read committed" } = {}) {
    const connection = { default_transaction_isolation: isolation };
    const sql = postgres(url, { max, connection, prepare: false, onnotice() {}, backoff: () => 0.01 });
    closings.push(() => sql.end({ timeout: 0 }));
    return {
      query: async (text) => sql.unsafe(text),
      ...create(
        (options) => postgresJsInbox(sql, options),
        (tx) => async (text, values) => tx.unsafe(text, values),
      ),
    };
  },
};

let events = 0;
const eventOf = () => ({ type: "transfer.offer", id: `event_${process.pid}_${events++}`, destinationId: "1" });

async function deliver(receive: WebhookHandler, event: object) {
  const body = JSON.stringify(event);
  const headers = { "Service-Signature": await signWebhook(body, { secret }) };
  const response = await receive(new Request("http://localhost/", { method: "POST", headers, body }));
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get("retry-after") };
}

async function effectsOf({ id }: { id: string }): Promise<unknown[]> {
  const { rows } = await admin.query("select note from effects where event = $1", [id]);
  return rows.map(({ note }) => note);
}

/** Something that is awaited from two sides. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

let handlings = 0;
/** Writes a row with the number of the handling, and answers that number. */
async function writeAndAnswer({ id }: WebhookEvent, query: Query): Promise<Response> {
  const note = String(++handlings);
  await query("insert into effects values ($1, $2)", [String(id), note]);
  return new Response(note, { status: 200 });
}

const backendOf = async (query: Query): Promise<string> => {
  const [row] = (await query("select pg_backend_pid()::text as pid")) as { pid: string }[];
  return row?.pid ?? "";
};

/** Ends a session, and waits until it is over. */
async function endSession(pid: string): Promise<void> {
  await admin.query("select pg_terminate_backend($1, 60000)", [pid]);
}

for (const [name, open] of Object.entries(clients)) {
  describe(`an inbox over ${name}`, () => {
    it("commits what an event changes together with its answer, and answers copies with it", async () => {
      const receive = open().receiverOf({}, writeAndAnswer);
      const event = eventOf();
      const first = await deliver(receive, event);
      assert.equal(first.status, 200);
      assert.deepEqual(await deliver(open().receiverOf({}, writeAndAnswer), event), first);
      assert.deepEqual(await effectsOf(event), [first.text]);
    });

    it("rolls back when onEvent throws or answers 5xx, and handles the next copy", async () => {
      const outcomes = [() => Promise.reject(new Error("No.")), () => new Response("No.", { status: 502 })];
      const receive = open().receiverOf({}, async (event, query) => {
        const response = await writeAndAnswer(event, query);
        return outcomes.shift()?.() ?? response;
      });
      const event = eventOf();
      assert.equal((await deliver(receive, event)).status, 500);
      assert.deepEqual(await deliver(receive, event), { status: 502, text: "No.", retryAfter: null });
      assert.deepEqual(await effectsOf(event), []);
      const { status, text } = await deliver(receive, event);
      assert.equal(status, 200);
      assert.deepEqual(await effectsOf(event), [text]);
    });

    it("never answers 2xx for what was rolled back, whenever a query that onEvent does not await fails", async () => {
      const client = open();
      for (let turns = 0; turns < 40; turns += 1) {
        const receive = client.receiverOf({}, async (event, query) => {
          const response = await writeAndAnswer(event, query);
          const fail = async () => {
            for (let turn = 0; turn < turns; turn += 1) await undefined;
            await query("select broken from effects");
          };
          fail().catch(() => {});
          return response;
        });
        const event = eventOf();
        const { status, text } = await deliver(receive, event);
        assert.deepEqual([turns, await effectsOf(event)], [turns, status === 200 ? [text] : []]);
      }
    });

    it("lets copies wait without a connection, also of another process", async () => {
      const [started, go] = [signal(), signal()];
      const client = open({ max: 2 });
      const onEvent: OnEvent = async (event, query) => {
        started.give();
        await go.given;
        return writeAndAnswer(event, query);
      };
      const [receive, elsewhere] = [client.receiverOf({}, onEvent), open({ max: 2 }).receiverOf({}, onEvent)];
      const event = eventOf();
      const first = deliver(receive, event);
      await Promise.race([started.given, first]);
      const copies = Array.from({ length: 10 }, (_, copy) => deliver(copy % 2 === 0 ? receive : elsewhere, event));
      // The pool has one connection left, which no copy keeps.
      for (let query = 0; query < 20; query += 1) assert.equal((await client.query("select 1")).length, 1);
      go.give();
      const { text } = await first;
      for (const copy of copies) assert.deepEqual(await copy, await first);
      assert.deepEqual(await effectsOf(event), [text]);
    });

    for (const moment of ["between two queries", "during a query", "after the last query"] as const) {
      it(`handles an event again in the same request when its connection is lost ${moment}`, async () => {
        let calls = 0;
        const receive = open().receiverOf({}, async (event, query) => {
          calls += 1;
          if (calls > 1) return writeAndAnswer(event, query);
          const pid = await backendOf(query);
          if (moment === "during a query") void endSession(pid);
          else if (moment === "between two queries") await endSession(pid);
          if (moment === "during a query") await query("select pg_sleep(60)");
          const response = await writeAndAnswer(event, query);
          if (moment === "after the last query") await endSession(pid);
          return response;
        });
        const event = eventOf();
        const { status, text } = await deliver(receive, event);
        assert.deepEqual({ status, calls }, { status: 200, calls: 2 });
        assert.deepEqual(await effectsOf(event), [text]);
      });
    }

    for (const [what, broken, handled] of [
      ["handles an event again when its commit did not arrive", "before", 2],
      ["finds its own answer when the response of the commit was lost", "after", 1],
      ["handles its own event while PostgreSQL has not noticed that the connection is lost", "unnoticed", 2],
    ] as const)
      it(what, async () => {
        const receive = open({ url: proxy.url }).receiverOf({}, writeAndAnswer);
        const event = eventOf();
        const before = handlings;
        proxy.breakNext(broken);
        const { status, text } = await deliver(receive, event);
        assert.deepEqual({ status, calls: handlings - before }, { status: 200, calls: handled });
        assert.deepEqual(await effectsOf(event), [text]);
      });

    for (const isolation of isolations) {
      it(`handles each event once at ${isolation}, also events that change the same row`, async () => {
        await admin.query("delete from counters");
        await admin.query("insert into counters values ('offers', 0)");
        const [receive, elsewhere] = [open({ isolation }), open({ isolation })].map((client) =>
          client.receiverOf({ duplicateWaitMs: 60_000 }, async (event, query) => {
            const [row] = (await query("select count from counters for update")) as { count: number }[];
            await query("update counters set count = $1", [String((row?.count ?? 0) + 1)]);
            return writeAndAnswer(event, query);
          }),
        ) as [Receiver, Receiver];
        const all = Array.from({ length: 8 }, eventOf);
        const answers = await Promise.all(
          all.map((event) => Promise.all([receive, elsewhere].map((to) => deliver(to, event)))),
        );
        for (const [index, [first, second]] of answers.entries()) {
          assert.equal(first?.status, 200);
          assert.deepEqual(second, first);
          assert.deepEqual(await effectsOf(all[index] ?? { id: "" }), [first?.text]);
        }
        const { rows } = await admin.query("select count from counters");
        assert.deepEqual(rows, [{ count: all.length }]);
      });
    }

    it("answers 500 and commits nothing when onEvent hides the failure of a query", async () => {
      const errors: unknown[] = [];
      const receive = open().receiverOf({ onError: (error) => errors.push(error) }, async (event, query) => {
        const response = await writeAndAnswer(event, query);
        await query("select 1 / 0").catch(() => {});
        return response;
      });
      const event = eventOf();
      assert.equal((await deliver(receive, event)).status, 500);
      assert.match(String(errors), /A query of onEvent failed/);
      assert.deepEqual(await effectsOf(event), []);
    });

    it("answers 500 when a constraint fails at the commit, and does not try again", async () => {
      const errors: unknown[] = [];
      let calls = 0;
      const receive = open().receiverOf({ onError: (error) => errors.push(error) }, async (event, query) => {
        calls += 1;
        for (let row = 0; row < 2; row += 1) await query("insert into late values ($1)", [String(event.id)]);
      });
      assert.equal((await deliver(receive, eventOf())).status, 500);
      assert.equal(calls, 1);
      assert.match(String(errors), /late_event_key/);
    });

    it("reports that onEvent has ended the transaction, and keeps its answer", async () => {
      const errors: unknown[] = [];
      const onError = (error: unknown, code: string) => errors.push(code, error);
      const receive = open().receiverOf({ onError }, async (event, query) => {
        const response = await writeAndAnswer(event, query);
        await query("commit");
        return response;
      });
      const event = eventOf();
      const first = await deliver(receive, event);
      assert.match(String(errors), /^handler_failed,Error: onEvent ended the transaction of the inbox/);
      assert.deepEqual(await deliver(receive, event), first);
      assert.deepEqual(await effectsOf(event), [first.text]);
    });

    it("says what is wrong with the table at once", async () => {
      const errors: { cause?: unknown }[] = [];
      await admin.query("alter table call_transfer_events rename to elsewhere");
      const onError = (error: unknown) => errors.push(Object(error));
      const { status } = await deliver(
        open().receiverOf({ duplicateWaitMs: 60_000, onError }, writeAndAnswer),
        eventOf(),
      );
      await admin.query("alter table elsewhere rename to call_transfer_events");
      assert.equal(status, 503);
      assert.match(String(errors[0]?.cause), /"call_transfer_events" does not exist/);
    });

    it("is ready if the database would store an answer", async () => {
      const problemsOf = async (client: Client) => {
        const { problems } = await client.receiverOf({}, writeAndAnswer).checkReadiness();
        return problems.map(({ code, message }) => `${code}: ${message}`);
      };
      assert.deepEqual(await problemsOf(open()), []);
      await admin.query("create role reader login; grant select on call_transfer_events to reader");
      const url = `${server.url.replace("postgres@", "reader@")}/postgres`;
      const [refused = ""] = await problemsOf(open({ url }));
      await admin.query("drop owned by reader; drop role reader");
      assert.match(refused, /^store_failed: permission denied for table call_transfer_events/);
      assert.deepEqual((await admin.query("select 1 from call_transfer_events where key = ''")).rows, []);
    });

    it("leaves nothing in its session, as PgBouncer's transaction pooling requires", async () => {
      const client = open({ max: 1 });
      const setting = "select current_setting('idle_in_transaction_session_timeout') as limit";
      const limits: unknown[] = [];
      const receive = client.receiverOf({}, async (_event, query) => void limits.push(...(await query(setting))));
      assert.equal((await deliver(receive, eventOf())).status, 204);
      assert.deepEqual(limits, [{ limit: "10s" }]);
      assert.deepEqual([...(await client.query(setting))], [{ limit: "0" }]);
      const rest =
        "select name from pg_prepared_statements union select locktype from pg_locks where locktype = 'advisory'";
      assert.deepEqual([...(await client.query(rest))], []);
    });

    it("handles an event again when its answer ran out", async () => {
      const receive = open().receiverOf({ retentionMs: 600_000 }, writeAndAnswer);
      const event = eventOf();
      const first = await deliver(receive, event);
      await admin.query("update call_transfer_events set expires_at = now() where key = $1", [`id:${event.id}`]);
      // Another process: this one remembers.
      const second = await deliver(open().receiverOf({}, writeAndAnswer), event);
      assert.deepEqual(await effectsOf(event), [first.text, second.text]);
      assert.notEqual(first.text, second.text);
    });

    it("handles each of 1,000 doubled events once over a small pool", async () => {
      const [receive, elsewhere] = [open({ max: 4 }), open({ max: 4 })].map((client) =>
        client.receiverOf({ duplicateWaitMs: 60_000 }, writeAndAnswer),
      ) as [Receiver, Receiver];
      const all = Array.from({ length: 1000 }, eventOf);
      const before = handlings;
      const statuses = await Promise.all(
        all.flatMap((event, at) => [deliver(receive, event), deliver(at % 2 === 0 ? receive : elsewhere, event)]),
      );
      assert.deepEqual(new Set(statuses.map(({ status }) => status)), new Set([200]));
      assert.equal(handlings - before, all.length);
    });
  });
}

describe("an inbox over postgres alone", () => {
  const open = () => {
    const sql = postgres(server.url, { prepare: false, onnotice() {}, backoff: () => 0.01 });
    closings.push(() => sql.end({ timeout: 0 }));
    return postgresJsInbox(sql);
  };

  it("sends nothing of a savepoint over another connection when its own is lost", async () => {
    let calls = 0;
    const receive = createWebhookHandler({
      ...{ secret, onError() {}, inbox: open() },
      async onEvent({ id }, tx) {
        calls += 1;
        await tx.savepoint("part", async (part) => {
          await part`insert into effects values (${String(id)}, ${calls})`;
          if (calls > 1) return;
          await endSession(await backendOf(async (text) => part.unsafe(text)));
          await part`insert into effects values (${String(id)}, 'outside')`;
        });
      },
    });
    const event = eventOf();
    assert.equal((await deliver(receive, event)).status, 204);
    assert.deepEqual(await effectsOf(event), ["2"]);
  });

  it("answers 500 when onEvent hides a query that was not sent", async () => {
    let calls = 0;
    const receive = createWebhookHandler({
      ...{ secret, onError() {}, inbox: open() },
      async onEvent(_event, tx) {
        calls += 1;
        await tx`select ${undefined as never}`.catch(() => {});
      },
    });
    assert.equal((await deliver(receive, eventOf())).status, 500);
    assert.equal(calls, 1);
  });
});
