import { DatabaseSync } from "node:sqlite";
import { createWebhookHandler, signWebhook, type WebhookHandlerOptions } from "@call-transfer/sdk/webhooks";
import { durableObjectEventStore, EventStoreObject } from "@call-transfer/sdk/webhooks/durable-object";
import { createEventTable, postgresEventStore } from "@call-transfer/sdk/webhooks/postgres";
import { ioredisEventStore, redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { describe, expect, it } from "vitest";

const unused = () => {
  throw new Error("must not be called");
};

/** Clients of both forms whose script replies so, and whose replicas confirm so often. */
function redisClients(reply: unknown, confirmed: number) {
  const sent: unknown[] = [];
  const results = [reply, confirmed];
  const note = (...words: unknown[]) => {
    sent.push(words.slice(1));
    return Promise.resolve(reply);
  };
  const wait = (...words: unknown[]) => {
    sent.push(words);
    return {
      execAsPipeline: async () => results,
      exec: async () => results.map((result) => [null, result]),
    };
  };
  const pipeline = () => ({
    eval: (...words: unknown[]) => {
      note(...words);
      return { wait };
    },
  });
  return { sent, client: { eval: note, multi: pipeline, pipeline } };
}

describe.each([
  ["redisEventStore", redisEventStore],
  ["ioredisEventStore", ioredisEventStore],
])("%s", (_, create) => {
  it.each([
    [{ waitForReplicas: -1 }, "waitForReplicas"],
    [{ waitForReplicas: 0.5 }, "waitForReplicas"],
    [{ waitForReplicas: 1, waitTimeoutMs: 0 }, "waitTimeoutMs"],
    [{ waitTimeoutMs: Number.POSITIVE_INFINITY }, "waitTimeoutMs"],
  ])("refuses the options %j", (options, name) => {
    expect(() => create(redisClients(1, 0).client, options)).toThrow(new RegExp(`^${name} must be an integer`));
  });

  it("asks no replica by default", async () => {
    const { client } = redisClients(["mine"], 0);
    const store = create({ ...client, multi: unused, pipeline: unused });
    expect(await store.claim("key", "owner", 2000)).toEqual({ state: "mine" });
  });

  it("gives Redis whole milliseconds", async () => {
    const { client, sent } = redisClients(["mine"], 0);
    await create(client).claim("key", "owner", 666.6);
    expect(JSON.stringify(sent)).toContain('"667"');
  });

  it.each(["claim", "complete"] as const)("rejects %s if too few replicas confirm", async (method) => {
    const { client, sent } = redisClients(method === "claim" ? ["mine"] : 1, 1);
    const store = create(client, { waitForReplicas: 2, waitTimeoutMs: 30 });
    const step = method === "claim" ? store.claim("key", "owner", 2000) : store.complete("key", "owner", "1", 2000);
    await expect(step).rejects.toThrow("1 of 2 replicas confirmed the write within 30 ms.");
    expect(sent.at(-1)).toEqual([2, 30]);
  });

  it("does not reject where nothing was written", async () => {
    const options = { waitForReplicas: 1 };
    const answered = create(redisClients(["done", "1"], 0).client, options);
    expect(await answered.claim("key", "owner", 2000)).toEqual({ state: "done", answer: "1" });
    expect(await create(redisClients(["busy"], 0).client, options).claim("key", "owner", 2000)).toEqual({
      state: "busy",
    });
    expect(await create(redisClients(0, 0).client, options).complete("key", "owner", "1", 2000)).toBe(false);
  });
});

describe.each([
  ["redisEventStore", redisEventStore],
  ["ioredisEventStore", ioredisEventStore],
])("a receiver with %s", (_, create) => {
  const answered = JSON.stringify({ version: 1, status: 201, owner: "another" });
  // What cannot be given back would be tried again, beyond the end of its test.
  const isRelease = (script: string): boolean => script.includes('"DEL"');

  it.each<[string, number, () => Promise<unknown>, Partial<WebhookHandlerOptions>]>([
    ["duplicate", 409, async () => ["done", answered], { duplicates: "refuse" }],
    ["busy", 503, async () => ["busy"], {}],
    ["store_timeout", 503, () => new Promise(() => {}), { storeTimeoutMs: 20 }],
    ["store_failed", 503, () => Promise.reject(new Error("connection refused")), {}],
    ["answer_unreadable", 503, async () => ["done", '{"version":2}'], {}],
  ])("refuses with the code %s", async (code, status, run, options) => {
    const codes: string[] = [];
    const receive = createWebhookHandler({
      ...{ secret: "secret", onEvent: unused, waitMs: 0, onStoreError: "refuse", ...options },
      store: create({
        ...redisClients(1, 0).client,
        eval: (script) => (isRelease(script) ? Promise.resolve(0) : run()),
      }),
      onError: (_error, reported) => void codes.push(reported),
    });
    const body = JSON.stringify({ type: "any", id: "1" });
    const headers = { "Service-Signature": await signWebhook(body, { secret: "secret" }) };
    const response = await receive(new Request("http://localhost/", { method: "POST", headers, body }));
    expect({ status: response.status, codes }).toEqual({ status, codes: [code] });
  });
});

/** A receiver over Redis that replies so to a claim, and so to INFO. */
const receiverOver = (claim: unknown, info: () => Promise<unknown>) =>
  createWebhookHandler({
    ...{ secret: "secret", onEvent: unused },
    store: ioredisEventStore({
      ...redisClients(1, 0).client,
      eval: (script) => (script.includes("INFO") ? info() : Promise.resolve(claim)),
    }),
  });

describe("checkReady() of a receiver over Redis", () => {
  const memory = (limit: number, policy: string) => async () =>
    `# Memory\r\nused_memory:1\r\nmaxmemory:${limit}\r\nmaxmemory_human:1K\r\nmaxmemory_policy:${policy}\r\n`;

  // Answers expire, so what evicts keys that do evicts them, too.
  it.each(["allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-ttl"])(
    "reports %s, which forgets answers",
    async (policy) => {
      const { isReady, problems } = await receiverOver(["mine", "1"], memory(1000, policy)).checkReady();
      expect([isReady, problems]).toEqual([
        false,
        [{ code: "store_forgets", message: expect.stringContaining(`maxmemory-policy ${policy}`) }],
      ]);
    },
  );

  it.each([
    ["noeviction", memory(1000, "noeviction")],
    ["a policy without a limit", memory(0, "allkeys-lru")],
    ["a provider whose scripts may not ask", () => Promise.reject(new Error("NOPERM"))],
    ["a provider that leaves the policy out", async () => "# Memory\r\nused_memory:1\r\n"],
  ])("is ready with %s", async (_, info) => {
    expect(await receiverOver(["mine", "1"], info).checkReady()).toEqual({ isReady: true, problems: [] });
  });

  // As @upstash/redis does by default.
  it.each([
    ["an own event", ["mine", 1]],
    ["an answer", ["done", { version: 1, status: 204, owner: "another" }]],
    ["an answer of text", ["done", null]],
  ])("reports a client that parses the reply to a claim of %s", async (_, reply) => {
    const { isReady, problems } = await receiverOver(reply, memory(0, "noeviction")).checkReady();
    expect([isReady, problems]).toEqual([
      false,
      [{ code: "store_failed", message: expect.stringContaining("automaticDeserialization: false") }],
    ]);
  });
});

describe("ioredisEventStore", () => {
  it("rejects with the error of either command of its pipeline", async () => {
    const error = new Error("NOREPLICAS");
    const exec = async () => [
      [null, ["mine"]],
      [error, undefined],
    ];
    const pipeline = () => ({ eval: () => ({ wait: () => ({ exec }) }) });
    const store = ioredisEventStore({ eval: unused, pipeline }, { waitForReplicas: 1 });
    await expect(store.claim("key", "owner", 2000)).rejects.toBe(error);
  });
});

describe("postgresEventStore", () => {
  it.each(["", "a.b.c", ".events", "app.", "a\0b"])("refuses the table %j", (table) => {
    expect(() => postgresEventStore({ query: unused }, { table })).toThrow(/^table must be/);
    expect(() => createEventTable({ table })).toThrow(/^table must be/);
  });

  it("refuses a table's name in place of options, which would create another table", () => {
    expect(() => Reflect.apply(createEventTable, undefined, ["events"])).toThrow("takes { table }");
  });

  it("quotes the names of schema and table", () => {
    expect(createEventTable({ table: 'my app.ev"ents' })).toMatch(
      /^create table if not exists "my app"\."ev""ents" \(/,
    );
  });

  it("repeats a statement that PostgreSQL asks to repeat, and no other", async () => {
    let failures = 3;
    const failing = (code: string) =>
      postgresEventStore({
        query: async () => {
          if (failures === 0) return { rows: [{ state: "mine" }] };
          failures -= 1;
          throw Object.assign(new Error("could not serialize access"), { code });
        },
      });
    expect(await failing("40001").claim("key", "owner", 2000)).toEqual({ state: "mine" });
    failures = 3;
    await expect(failing("57P01").claim("key", "owner", 2000)).rejects.toThrow("could not serialize access");
    failures = 1000;
    await expect(failing("40001").claim("key", "owner", 2000)).rejects.toThrow("could not serialize access");
  });

  it("takes no row for another owner's lease", async () => {
    const store = postgresEventStore({ query: async () => ({ rows: [] }) });
    expect(await store.claim("key", "owner", 2000)).toEqual({ state: "busy" });
  });
});

/** A namespace whose objects store in SQLite. */
function namespace() {
  const objects = new Map<string, { object: EventStoreObject; alarms: number[]; database: DatabaseSync }>();
  const open = (name: string) => {
    const database = new DatabaseSync(":memory:");
    const alarms: number[] = [];
    const exec = (query: string, ...values: (string | number | null)[]) => ({
      toArray: () => database.prepare(query).all(...values),
    });
    const storage = {
      sql: { exec },
      getAlarm: async () => alarms.at(-1) ?? null,
      setAlarm: async (time: number) => void alarms.push(time),
      deleteAll: async () => void database.exec("drop table events"),
    };
    const opened = { object: new EventStoreObject({ storage }), alarms, database };
    objects.set(name, opened);
    return opened;
  };
  const get = (name: string) => ({
    fetch: (url: string, init: RequestInit) => (objects.get(name) ?? open(name)).object.fetch(new Request(url, init)),
  });
  return { objects, binding: { idFromName: (name: string) => name, get } };
}

describe("durableObjectEventStore", () => {
  it.each([0, 1.5, Number.NaN])("refuses %d shards", (shards) => {
    expect(() => durableObjectEventStore(namespace().binding, { shards })).toThrow(/^shards must be/);
  });

  it("spreads events over its objects", async () => {
    const { objects, binding } = namespace();
    const store = durableObjectEventStore(binding, { shards: 4 });
    for (let at = 0; at < 100; at += 1) await store.claim(`event:${at}`, "owner", 2000);
    expect(objects.size).toBe(4);
  });

  it("sets one alarm for the first end, and deletes everything when nothing is left", async () => {
    const { objects, binding } = namespace();
    const store = durableObjectEventStore(binding, { shards: 1 });
    const from = Date.now();
    await store.claim("leased", "owner", 0);
    await store.claim("leased", "owner", 0);
    const [{ object, alarms, database }] = [...objects.values()] as [NonNullable<ReturnType<typeof objects.get>>];
    expect(alarms).toHaveLength(1);
    expect(alarms[0]).toBeGreaterThan(from);
    await object.alarm();
    expect(database.prepare("select name from sqlite_master").all()).toEqual([]);
    expect(alarms).toHaveLength(1);
    expect(await store.claim("leased", "owner", 2000)).toEqual({ state: "mine" });
  });

  it("rejects when an object fails", async () => {
    const failing = async () => new Response(null, { status: 500 });
    const store = durableObjectEventStore({ idFromName: (name) => name, get: () => ({ fetch: failing }) });
    await expect(store.claim("key", "owner", 2000)).rejects.toThrow("answered 500");
  });
});
