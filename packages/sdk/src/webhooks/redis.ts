// Entry point for event stores in Redis and Valkey.
import { checkKey, type EventStore } from "./event-store.ts";

/** Options of `redisEventStore` and `ioredisEventStore`. */
export interface RedisEventStoreOptions {
  /** Starts every key; `call-transfer:` by default. */
  keyPrefix?: string;
  /**
   * How many replicas must have a lease or an answer before it counts; 0 by default. With 1, a primary can be lost without
   * an event being handled again, if the replica that confirmed replaces it. A method rejects if too few confirm in time.
   */
  waitForReplicas?: number;
  /** How long replicas may take to confirm, in milliseconds; 500 by default. Keep it below `storeTimeoutMs`. */
  waitTimeoutMs?: number;
}

/** What `redisEventStore` needs of a client or cluster of the `redis` package. */
export interface RedisClient {
  /** Runs a Lua script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Used with `waitForReplicas` only. */
  multi(): {
    eval(
      script: string,
      options: { keys: string[]; arguments: string[] },
    ): { wait(replicas: number, timeoutMs: number): { execAsPipeline(): Promise<unknown> } };
  };
}

/** What `ioredisEventStore` needs of a client or cluster of `ioredis` or `iovalkey`. */
export interface IoredisClient {
  /** Runs a Lua script. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Used with `waitForReplicas` only. */
  pipeline(): {
    eval(
      script: string,
      numberOfKeys: number,
      ...keysAndArguments: string[]
    ): { wait(replicas: number, timeoutMs: number): { exec(): Promise<unknown> } };
  };
}

/**
 * Runs a script with one key and, if replicas must confirm, WAIT on the same connection: a pipeline stays on one, and fails
 * as a whole when that is lost. Returns the replies of both.
 */
type Run = (
  script: string,
  key: string,
  values: string[],
  wait?: readonly [replicas: number, timeoutMs: number],
) => Promise<readonly unknown[]>;

const read = `local held = redis.call("HMGET", KEYS[1], "owner", "answer")
local owner, answer = held[1], held[2]
`;

const claimScript = `${read}if answer then return {"done", answer} end
if owner and owner ~= ARGV[1] then return {"busy"} end
redis.call("HSET", KEYS[1], "owner", ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return {"mine", "1"}`;

// The same owner may complete it again after an error: the answer is written once more, so that WAIT waits for it.
const completeScript = `${read}if owner and owner ~= ARGV[1] then return 0 end
redis.call("HSET", KEYS[1], "owner", ARGV[1], "answer", answer or ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1`;

const releaseScript = `${read}if owner == ARGV[1] and not answer then redis.call("DEL", KEYS[1]) end
return 0`;

/** Says nothing where a script may not ask, as at some providers. */
const askForMemory = `return redis.call("INFO", "memory")`;

/** The text of a reply: bytes of some clients, but nothing that the client has parsed. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (ArrayBuffer.isView(value)) return new TextDecoder().decode(value as ArrayBufferView<ArrayBuffer>);
  throw new TypeError(
    "The client of Redis parses its replies. Turn that off, as with automaticDeserialization: false.",
  );
}

/** Why Redis forgets answers when its memory is full. All of them expire, so that each policy evicts them. */
function evictionOf(info: string): string | undefined {
  const [, policy = "noeviction"] = /^maxmemory_policy:([\w-]+)/m.exec(info) ?? [];
  if (policy === "noeviction" || /^maxmemory:0\b/m.test(info)) return undefined;
  return `Redis evicts answers when its memory is full (maxmemory-policy ${policy}). Set noeviction.`;
}

/** Whole milliseconds, as Redis requires. */
const wholeMs = (ms: number): string => String(Math.ceil(ms));

function createStore(
  run: Run,
  options: RedisEventStoreOptions,
): EventStore & { [checkKey](): Promise<string | undefined> } {
  const { keyPrefix = "call-transfer:", waitForReplicas = 0, waitTimeoutMs = 500 } = options;
  if (typeof keyPrefix !== "string") throw new TypeError("keyPrefix must be text");
  if (!Number.isInteger(waitForReplicas) || waitForReplicas < 0)
    throw new TypeError("waitForReplicas must be an integer from 0 on");
  if (!Number.isInteger(waitTimeoutMs) || waitTimeoutMs < 1)
    throw new TypeError("waitTimeoutMs must be an integer above 0");

  /** Runs a script that writes if its reply is the given one. Rejects if too few replicas have what it wrote. */
  const write = async (script: string, key: string, values: string[], isWritten: (reply: unknown) => boolean) => {
    const wait = waitForReplicas > 0 ? ([waitForReplicas, waitTimeoutMs] as const) : undefined;
    const [reply, confirmed] = await run(script, `${keyPrefix}${key}`, values, wait);
    if (wait && isWritten(reply) && Number(confirmed) < waitForReplicas) {
      const problem = `${confirmed} of ${waitForReplicas} replicas confirmed the write within ${waitTimeoutMs} ms`;
      throw new Error(`${problem}. Check the replicas, or lower waitForReplicas.`);
    }
    return reply;
  };
  const stateOf = (reply: unknown): string => String((reply as unknown[])[0]);

  return {
    async claim(key, owner, leaseMs) {
      const reply = await write(claimScript, key, [owner, wholeMs(leaseMs)], (given) => stateOf(given) === "mine");
      const state = stateOf(reply);
      const [, text = ""] = reply as unknown[];
      const answer = textOf(text);
      if (state === "done") return { state, answer };
      return { state: state === "mine" ? "mine" : "busy" };
    },
    async complete(key, owner, answer, keepMs) {
      const isWritten = (given: unknown) => Number(given) === 1;
      return isWritten(await write(completeScript, key, [owner, answer, wholeMs(keepMs)], isWritten));
    },
    async [checkKey]() {
      const [info] = await run(askForMemory, `${keyPrefix}check`, []).catch(() => []);
      return evictionOf(String(info));
    },
    // Replicas need not have it: a lost release only lets the lease run out first.
    async release(key, owner) {
      await run(releaseScript, `${keyPrefix}${key}`, [owner]);
    },
  };
}

/**
 * Creates a store in Redis or Valkey, over a connected client, pool or cluster of the `redis` package.
 *
 * @throws {TypeError} An option is invalid.
 *
 * @example
 * createWebhookHandler({ secret, onEvent, store: redisEventStore(client) });
 */
export function redisEventStore(client: RedisClient, options: RedisEventStoreOptions = {}): EventStore {
  return createStore(async (script, key, values, wait) => {
    const given = { keys: [key], arguments: values };
    if (!wait) return [await client.eval(script, given)];
    const pipeline = client.multi().eval(script, given);
    return (await pipeline.wait(...wait).execAsPipeline()) as unknown[];
  }, options);
}

/**
 * Creates a store in Redis or Valkey, over a client or cluster of `ioredis` or `iovalkey`.
 *
 * @throws {TypeError} An option is invalid.
 *
 * @example
 * createWebhookHandler({ secret, onEvent, store: ioredisEventStore(new Redis(url)) });
 */
export function ioredisEventStore(client: IoredisClient, options: RedisEventStoreOptions = {}): EventStore {
  return createStore(async (script, key, values, wait) => {
    if (!wait) return [await client.eval(script, 1, key, ...values)];
    const pipeline = client.pipeline().eval(script, 1, key, ...values);
    const results = (await pipeline.wait(...wait).exec()) as [Error | null, unknown][];
    for (const [error] of results) if (error) throw error;
    return results.map(([, reply]) => reply);
  }, options);
}
