// Inboxes over a pool that is only played. tests/receiving/inbox.check.ts runs them over PostgreSQL.
import { createWebhookHandler, signWebhook, type WebhookHandlerOptions } from "@call-transfer/sdk/webhooks";
import { pgInbox, postgresJsInbox } from "@call-transfer/sdk/webhooks/postgres";
import { afterEach, describe, expect, it, vi } from "vitest";

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
  const played = {
    sent: [] as string[],
    destroyed: [] as (boolean | undefined)[],
    listeners: 0,
    atHandOut: 0,
    asked: 0,
  };
  let owner: unknown;
  const client = {
    async query(text: string, values: unknown[] = []) {
      played.sent.push(/^\w+/.exec(text)?.[0] ?? "");
      if (text.includes("try_advisory")) {
        owner = values[1];
        return { rows: [{ free }] };
      }
      if (text.startsWith("with taken") && answered !== undefined)
        return { rows: [{ state: "done", answer: answered }] };
      if (text.startsWith("with taken")) return { rows: [{ state: "mine", answer: null }] };
      if (text.startsWith("with stored")) return { rows: [{ key: values[0], owner }] };
      return { rows: [], command: text.toUpperCase() };
    },
    release: (destroy?: boolean) => void played.destroyed.push(destroy),
    on: () => (played.listeners += 1),
    removeListener: () => (played.listeners -= 1),
  };
  type Callback = (error: Error | undefined, handed: typeof client | undefined, done: () => void) => void;
  async function connect(): Promise<typeof client>;
  function connect(callback: Callback): void;
  async function connect(callback?: Callback) {
    played.asked += 1;
    await connecting.then(
      () => {
        callback?.(undefined, client, () => {});
        played.atHandOut = played.listeners;
      },
      (error) => callback?.(error, undefined, () => {}),
    );
    return client;
  }
  return { played, pool: { connect } };
}

type OnEvent = WebhookHandlerOptions<unknown>["onEvent"];

async function deliver(
  pool: ReturnType<typeof playedPool>["pool"],
  onEvent: OnEvent,
  onError?: (error: unknown) => void,
) {
  const receive = createWebhookHandler({
    ...{ secret, inbox: pgInbox(pool), onEvent, waitMs: 0 },
    ...(onError && { onError }),
  });
  const body = JSON.stringify({ type: "any", id: "1" });
  const headers = { "Service-Signature": await signWebhook(body, { secret }) };
  return receive(new Request("http://localhost/", { method: "POST", headers, body }));
}

describe("a receiver with an inbox", () => {
  it.each(["store", "onStoreError", "leaseMs", "storeTimeoutMs"])("refuses the option %s", (name) => {
    const options = { secret, inbox: pgInbox(playedPool().pool), onEvent() {}, [name]: 1000 };
    expect(() => createWebhookHandler(options)).toThrow(`${name} has no effect with inbox. Remove it.`);
  });

  it("refuses what is no inbox, such as the pool itself", () => {
    const options = { secret, onEvent() {}, inbox: playedPool().pool as never };
    expect(() => createWebhookHandler(options)).toThrow("inbox must be made by pgInbox or postgresJsInbox");
  });

  it.each([
    ["pgInbox", (table: string) => pgInbox(playedPool().pool, { table })],
    ["postgresJsInbox", (table: string) => postgresJsInbox({ begin: async () => {} }, { table })],
  ])("refuses the name of no table: %s", (_, create) => {
    expect(() => create("a.b.c")).toThrow("table must be the name of a table");
  });

  it("commits between begin and the release of the client", async () => {
    const { played, pool } = playedPool();
    expect((await deliver(pool, () => {})).status).toBe(204);
    expect(played.sent).toEqual(["begin", "select", "with", "with", "commit"]);
    // A client that nobody listens to when its connection is lost ends the process.
    expect(played).toMatchObject({ destroyed: [false], atHandOut: 1, listeners: 0 });
  });

  it("ends its connection after 60 seconds of an onEvent that never returns, which cannot use it afterwards", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { played, pool } = playedPool();
    const errors: unknown[] = [];
    const started = withResolvers();
    const answer = deliver(
      pool,
      () => {
        started.resolve();
        return new Promise<void>(() => {});
      },
      (error) => errors.push(error),
    );
    await started.promise;
    await vi.advanceTimersByTimeAsync(59_000);
    expect(played.destroyed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect((await answer).status).toBe(500);
    expect(String(errors)).toContain("onEvent did not answer within 60000 ms");
    expect(played.sent.at(-1)).toBe("with");
    expect(played.destroyed).toEqual([true]);
  });

  it("refuses queries of an onEvent that goes on after its transaction is over", async () => {
    const answers: object[] = [{ free: true }, { state: "mine" }, { key: "1" }];
    const transaction = { unsafe: async () => [answers.shift()] };
    const inbox = postgresJsInbox<typeof transaction>({ begin: (_, work) => work(transaction) });
    const returned = withResolvers();
    let late: Promise<unknown> = Promise.resolve();
    const receive = createWebhookHandler({
      ...{ secret, inbox, onError() {} },
      onEvent(_event, tx) {
        late = returned.promise.then(() => tx.unsafe());
        late.catch(() => {});
      },
    });
    const body = JSON.stringify({ type: "any" });
    const headers = { "Service-Signature": await signWebhook(body, { secret }) };
    expect((await receive(new Request("http://localhost/", { method: "POST", headers, body }))).status).toBe(204);
    returned.resolve();
    await expect(late).rejects.toThrow("The transaction of the inbox is over.");
  });

  const codesOf = async (pool: ReturnType<typeof playedPool>["pool"], options: object = {}) => {
    const [codes, counted] = [[] as string[], [] as string[]];
    const receive = createWebhookHandler({
      ...{ secret, inbox: pgInbox(pool), onEvent() {}, waitMs: 0, ...options },
      onError: (_error, code) => void codes.push(code),
      instrumentation: { webhook: (result) => void counted.push(result) },
    });
    const body = JSON.stringify({ type: "any", id: "1" });
    const headers = { "Service-Signature": await signWebhook(body, { secret }) };
    const { status } = await receive(new Request("http://localhost/", { method: "POST", headers, body }));
    return { status, codes, counted };
  };
  const stored = (version: number) => JSON.stringify({ version, status: 201, owner: "another" });

  it("counts what it handled, and copies", async () => {
    expect(await codesOf(playedPool().pool)).toEqual({ status: 204, codes: [], counted: ["handled"] });
    const { pool } = playedPool(undefined, stored(1));
    expect(await codesOf(pool)).toEqual({ status: 201, codes: [], counted: ["repeated"] });
  });

  it.each([
    ["duplicate", 409, 1, { duplicates: "refuse" }],
    ["answer_unreadable", 503, 2, {}],
  ])("refuses with the code %s", async (code, status, version, options) => {
    const { played, pool } = playedPool(undefined, stored(version));
    expect(await codesOf(pool, options)).toEqual({ status, codes: [code], counted: [code] });
    expect(played.sent).toEqual(["begin", "select", "with", "commit"]);
  });

  it("refuses with the code busy while another process handles the event", async () => {
    const { played, pool } = playedPool(undefined, undefined, false);
    expect(await codesOf(pool)).toEqual({ status: 503, codes: ["busy"], counted: ["busy"] });
    expect(played.sent).toEqual(["begin", "select", "commit"]);
  });

  it("refuses with the code store_timeout where no connection comes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { played, pool } = playedPool(new Promise(() => {}));
    const answer = codesOf(pool);
    await expect.poll(() => played.asked).toBe(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await answer).toEqual({ status: 503, codes: ["store_timeout"], counted: ["store_timeout"] });
  });

  it("refuses with the code store_failed where the database fails", async () => {
    const { pool } = playedPool(rejected(Object.assign(new Error("no such database"), { code: "3D000" })));
    expect(await codesOf(pool)).toEqual({ status: 503, codes: ["store_failed"], counted: ["store_failed"] });
  });

  it("is ready if its database answers one statement", async () => {
    const { played, pool } = playedPool();
    const { checkReady } = createWebhookHandler({ secret, inbox: pgInbox(pool), onEvent() {} });
    expect(await checkReady()).toEqual({ isReady: true, problems: [] });
    expect(played.sent).toEqual(["begin", "insert", "commit"]);
  });

  it("is not ready while its database does not answer, or fails", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const connecting = withResolvers();
    const inbox = pgInbox(playedPool(connecting.promise).pool);
    const answer = createWebhookHandler({ secret, inbox, onEvent() {}, waitMs: 3000 }).checkReady();
    await vi.advanceTimersByTimeAsync(3000);
    const message = "The database did not answer within 3000 ms.";
    expect(await answer).toEqual({ isReady: false, problems: [{ code: "store_timeout", message }] });
    connecting.resolve();
    const failing = pgInbox(playedPool(rejected(new Error("down"))).pool);
    expect(await createWebhookHandler({ secret, inbox: failing, onEvent() {} }).checkReady()).toEqual({
      isReady: false,
      problems: [{ code: "store_failed", message: "down" }],
    });
  });

  it("handles nothing when its connection comes after the answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    const connecting = withResolvers();
    const { played, pool } = playedPool(connecting.promise);
    const onEvent = vi.fn();
    const answer = deliver(pool, onEvent);
    await expect.poll(() => played.asked).toBe(1);
    await vi.advanceTimersByTimeAsync(2000);
    const { status, headers } = await answer;
    expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
    expect(printed.mock.calls.join()).toContain("call-transfer: the inbox reported an error:");
    connecting.resolve();
    await expect.poll(() => played.sent).toEqual(["begin", "commit"]);
    expect(onEvent).not.toHaveBeenCalled();
  });
});
