// Inboxes over a pool that is only played, in the form of `pg`. tests/receiving/inbox.check.ts runs them over PostgreSQL.
import { createWebhookHandler, signWebhook, type WebhookHandlerOptions } from "@call-transfer/sdk/webhooks";
import { inboxTableSql, postgresInbox } from "@call-transfer/sdk/webhooks/postgres";
import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryStore } from "./memory-store.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const secret = "secret";

function withResolvers(): { readonly promise: Promise<void>; resolve(): void } {
  let settle = () => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: () => settle() };
}

/** Rejects, also if nobody has awaited it yet. */
function rejected(error: Error): Promise<never> {
  const rejection = Promise.reject<never>(error);
  rejection.catch(() => {});
  return rejection;
}

/** A pool whose clients answer as PostgreSQL does for a new event. */
function playedPool(connecting: Promise<void> = Promise.resolve(), answered?: string, free = true) {
  const played = { sent: [] as string[], destroyed: [] as (boolean | undefined)[], asked: 0 };
  let owner: unknown;
  const client = {
    async query(text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
      played.sent.push(/^\w+/.exec(text)?.[0] ?? "");
      if (text.includes("try_advisory")) {
        owner = values[1];
        return { rows: [{ free }] };
      }
      if (text.startsWith("with taken") && answered !== undefined)
        return { rows: [{ state: "completed", answer: answered }] };
      if (text.startsWith("with taken")) return { rows: [{ state: "claimed", answer: null }] };
      if (text.startsWith("with stored")) return { rows: [{ key: values[0], owner }] };
      return { rows: [] };
    },
    release: (destroy?: boolean) => void played.destroyed.push(destroy),
  };
  const inbox = postgresInbox<typeof client>({
    async transaction(work) {
      played.asked += 1;
      await connecting;
      try {
        await client.query("begin");
        await work(client);
        await client.query("commit");
        client.release();
      } catch (error) {
        client.release(true);
        throw error;
      }
    },
    query: async (tx, text, values) => (await tx.query(text, values)).rows,
  });
  return { played, inbox };
}

type Inbox = ReturnType<typeof playedPool>["inbox"];

type OnEvent = WebhookHandlerOptions<{ release(): void }>["onEvent"];

async function webhook(): Promise<Request> {
  const body = JSON.stringify({ type: "any", id: "1" });
  const headers = { "Service-Signature": await signWebhook(body, { secret }) };
  return new Request("http://localhost/", { method: "POST", headers, body });
}

async function deliver(inbox: Inbox, onEvent: OnEvent, onError?: (error: unknown) => void) {
  const receive = createWebhookHandler({
    ...{ secret, inbox, onEvent, duplicateWaitMs: 0 },
    ...(onError && { onError }),
  });
  return receive(await webhook());
}

describe("a handler with an inbox", () => {
  it.each(["store", "onStoreError", "leaseDurationMs", "storeTimeoutMs"])("rejects the option %s", (name) => {
    const value = { store: memoryStore(), onStoreError: "handle" }[name] ?? 1000;
    const options = { secret, inbox: playedPool().inbox, onEvent() {}, [name]: value };
    expect(() => createWebhookHandler(options)).toThrow(`${name} has no effect with inbox. Remove it.`);
  });

  it("rejects what is not an inbox, such as a pool itself", () => {
    const options = { secret, onEvent() {}, inbox: { query() {} } as never };
    expect(() => createWebhookHandler(options)).toThrow("inbox must be made by postgresInbox");
    expect(() => postgresInbox({ query() {} } as never)).toThrow("postgresInbox requires transaction: a function");
  });

  it("rejects a retention shorter than deliveries stay valid", () => {
    const inbox = postgresInbox({ transaction: async () => {}, query: async () => [] }, { retentionMs: 599_999 });
    expect(() => createWebhookHandler({ secret, onEvent() {}, inbox })).toThrow("retentionMs must be at least twice");
  });

  it.each(["", "a.b.c", ".events", "app.", "a\0b"])("rejects the table %j", (table) => {
    const client = { transaction: async () => {}, query: async () => [] };
    expect(() => postgresInbox(client, { table })).toThrow(/^table must be/);
    expect(() => inboxTableSql({ table })).toThrow(/^table must be/);
  });

  it("rejects a table's name in place of options, which would create another table", () => {
    expect(() => Reflect.apply(inboxTableSql, undefined, ["events"])).toThrow("takes { table }");
  });

  it("quotes the names of schema and table", () => {
    expect(inboxTableSql({ table: 'my app.ev"ents' })).toMatch(/^create table if not exists "my app"\."ev""ents" \(/);
  });

  it("commits between begin and the release of the client", async () => {
    const { played, inbox } = playedPool();
    expect((await deliver(inbox, () => {})).status).toBe(204);
    expect(played.sent).toEqual(["begin", "select", "with", "with", "commit"]);
    expect(played.destroyed).toEqual([undefined]);
  });

  it.each(["release", "commit", "rollback", "end"])(
    "does not let onEvent call %s() of its transaction",
    async (name) => {
      const errors: unknown[] = [];
      const { played, inbox } = playedPool();
      const onEvent: OnEvent = (_, tx) => Reflect.get(Object.assign(tx, { [name]() {} }), name)();
      const { status } = await deliver(inbox, onEvent, (error) => errors.push(error));
      expect([status, String(errors)]).toEqual([
        500,
        `Error: onEvent must not call ${name}() of the inbox's transaction. To roll back, throw.`,
      ]);
      expect(played.sent).not.toContain("commit");
    },
  );

  it("lends objects with private members", async () => {
    class Transaction {
      readonly #rows = [{ free: true, state: "claimed", key: "1" }];
      query(): unknown[] {
        return this.#rows;
      }
    }
    const inbox = postgresInbox<Transaction>({
      transaction: (work) => work(new Transaction()),
      query: async (tx) => tx.query(),
    });
    const seen: unknown[] = [];
    const receive = createWebhookHandler({
      ...{ secret, inbox, onError() {} },
      onEvent: (_, tx) => void seen.push(tx.query(), tx instanceof Transaction),
    });
    await receive(await webhook());
    expect(seen).toEqual([[expect.anything()], true]);
  });

  it("ends its connection after 60 seconds of an onEvent that never returns, which cannot use it afterwards", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { played, inbox } = playedPool();
    const errors: unknown[] = [];
    const started = withResolvers();
    const answer = deliver(
      inbox,
      () => {
        started.resolve();
        return new Promise<void>(() => {});
      },
      (error) => errors.push(error),
    );
    await started.promise;
    await vi.advanceTimersByTimeAsync(59_000);
    expect(played.destroyed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1010);
    expect((await answer).status).toBe(500);
    expect(String(errors)).toContain("onEvent did not answer within 60000 ms");
    expect(played.sent.at(-1)).toBe("with");
    expect(played.destroyed).toEqual([true]);
  });

  it("refuses a query that onEvent did not await once its response is stored, so that the commit cannot fail unseen", async () => {
    const answers: object[] = [{ free: true }, { state: "claimed" }, { key: "1" }];
    const transaction = Object.freeze({ unsafe: async (_text: string) => [answers.shift()] });
    const storing = withResolvers();
    const inbox = postgresInbox<typeof transaction>({
      transaction: (work) => work(transaction),
      query(tx, text) {
        if (text.startsWith("with stored")) storing.resolve();
        return tx.unsafe(text);
      },
    });
    let late: Promise<unknown> = Promise.resolve();
    const receive = createWebhookHandler({
      ...{ secret, inbox, onError() {} },
      onEvent(_event, tx) {
        late = storing.promise.then(() => tx.unsafe("select broken"));
        late.catch(() => {});
      },
    });
    expect((await receive(await webhook())).status).toBe(204);
    await expect(late).rejects.toThrow("The transaction of the inbox is over.");
  });

  const codesOf = async (inbox: Inbox) => {
    const [codes, counted] = [[] as string[], [] as string[]];
    const receive = createWebhookHandler({
      ...{ secret, inbox, onEvent() {}, duplicateWaitMs: 0 },
      onError: (_error, code) => void codes.push(code),
      instrumentation: { recordWebhook: (result) => void counted.push(result) },
    });
    const { status } = await receive(await webhook());
    return { status, codes, counted };
  };
  const stored = (version: number) => JSON.stringify({ version, status: 201, owner: "another" });

  it("counts what it handled, and copies", async () => {
    expect(await codesOf(playedPool().inbox)).toEqual({ status: 204, codes: [], counted: ["handled"] });
    const { inbox } = playedPool(undefined, stored(1));
    expect(await codesOf(inbox)).toEqual({ status: 201, codes: [], counted: ["deduplicated"] });
  });

  it("rejects with the code stored_response_unreadable", async () => {
    const { played, inbox } = playedPool(undefined, stored(2));
    const code = "stored_response_unreadable";
    expect(await codesOf(inbox)).toEqual({ status: 503, codes: [code], counted: [code] });
    expect(played.sent).toEqual(["begin", "select", "with", "commit"]);
  });

  it("rejects with the code duplicate_timeout while another process handles the event", async () => {
    const { played, inbox } = playedPool(undefined, undefined, false);
    const code = "duplicate_timeout";
    expect(await codesOf(inbox)).toEqual({ status: 503, codes: [code], counted: [code] });
    expect(played.sent).toEqual(["begin", "select", "commit"]);
  });

  it("rejects with the code store_timeout where no connection comes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { played, inbox } = playedPool(new Promise(() => {}));
    const answer = codesOf(inbox);
    await expect.poll(() => played.asked).toBe(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await answer).toEqual({ status: 503, codes: ["store_timeout"], counted: ["store_timeout"] });
  });

  it("rejects with the code store_failed where the database fails", async () => {
    const { inbox } = playedPool(rejected(Object.assign(new Error("no such database"), { code: "3D000" })));
    expect(await codesOf(inbox)).toEqual({ status: 503, codes: ["store_failed"], counted: ["store_failed"] });
  });

  it("is ready if its database answers one statement", async () => {
    const { played, inbox } = playedPool();
    const { checkReadiness } = createWebhookHandler({ secret, inbox, onEvent() {} });
    expect(await checkReadiness()).toEqual({ ready: true, problems: [] });
    expect(played.sent).toEqual(["begin", "insert", "commit"]);
  });

  it("is not ready while its database does not answer, or fails", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const connecting = withResolvers();
    const { inbox } = playedPool(connecting.promise);
    const answer = createWebhookHandler({ secret, inbox, onEvent() {}, duplicateWaitMs: 3000 }).checkReadiness();
    await vi.advanceTimersByTimeAsync(3000);
    const message = "The database did not answer within 3000 ms.";
    expect(await answer).toEqual({ ready: false, problems: [{ code: "store_timeout", message }] });
    connecting.resolve();
    const { inbox: failing } = playedPool(rejected(new Error("down")));
    expect(await createWebhookHandler({ secret, inbox: failing, onEvent() {} }).checkReadiness()).toEqual({
      ready: false,
      problems: [{ code: "store_failed", message: "down" }],
    });
  });
});
