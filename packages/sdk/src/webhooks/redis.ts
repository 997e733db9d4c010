// Entry point for an event store in Redis and Valkey.
import type { EventStore } from "./event-store.ts";
import { checkRetention } from "./timeout.ts";

/** Options of `redisEventStore`. */
export interface RedisEventStoreOptions {
  /** Start of every key; `call-transfer:` by default. Handlers with different secrets need different ones. */
  keyPrefix?: string;
  /**
   * Milliseconds for which responses are kept for later duplicates; 86,400,000 (one day) by default. At least twice
   * `toleranceMs` of the handler.
   */
  retentionMs?: number;
}

/** Runs a Lua script with one key, over a client of any library. Returns its reply, in which nothing was parsed. */
export type RunRedisScript = (script: string, key: string, args: string[]) => Promise<unknown>;

const read = `local held = redis.call("HMGET", KEYS[1], "owner", "answer")
local owner, answer = held[1], held[2]
`;

// The second part of the last reply shows at once whether a client parses replies.
const claimScript = `${read}if answer then return {"completed", answer} end
if owner and owner ~= ARGV[1] then return {"in_progress", "1"} end
redis.call("HSET", KEYS[1], "owner", ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return {"claimed", "1"}`;

// The same owner may complete it again after an error.
const completeScript = `${read}if owner and owner ~= ARGV[1] then return 0 end
redis.call("HSET", KEYS[1], "owner", ARGV[1], "answer", answer or ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1`;

const releaseScript = `${read}if owner == ARGV[1] and not answer then redis.call("DEL", KEYS[1]) end
return 0`;

/** The text of a reply: bytes of some clients, but nothing that the client has parsed. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (ArrayBuffer.isView(value)) return new TextDecoder().decode(value as ArrayBufferView<ArrayBuffer>);
  throw new TypeError(
    "The client of Redis parses its replies. Turn that off, as with automaticDeserialization: false.",
  );
}

/** Whole milliseconds, as Redis requires. */
const wholeMs = (ms: number): string => String(Math.ceil(ms));

/**
 * Creates a store in Redis or Valkey. Each step is one script with one key, so it also works in a cluster.
 *
 * @param run Runs a script over your client.
 * @throws {TypeError} An option is invalid.
 *
 * @example
 * // redis:   (script, key, args) => client.eval(script, { keys: [key], arguments: args })
 * // ioredis: (script, key, args) => client.eval(script, 1, key, ...args)
 * const store = redisEventStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }));
 */
export function redisEventStore(run: RunRedisScript, options: RedisEventStoreOptions = {}): EventStore {
  const { keyPrefix = "call-transfer:" } = options;
  const retentionMs = checkRetention(options);
  if (typeof run !== "function")
    throw new TypeError(
      "redisEventStore requires a function that runs a script: (script, key, args) => client.eval(…)",
    );
  if (typeof keyPrefix !== "string") throw new TypeError("keyPrefix must be a string");
  const at = (key: string) => `${keyPrefix}${key}`;
  return {
    retentionMs,
    async claim(key, owner, leaseDurationMs) {
      const reply = await run(claimScript, at(key), [owner, wholeMs(leaseDurationMs)]);
      const [state, response] = Array.isArray(reply) ? reply.map(textOf) : [];
      if (state === "completed" && response !== undefined) return { state, response };
      if (state === "claimed" || state === "in_progress") return { state };
      throw new TypeError("The function of redisEventStore must return the script's reply.");
    },
    complete: async (key, owner, response) =>
      Number(await run(completeScript, at(key), [owner, response, wholeMs(retentionMs)])) === 1,
    async release(key, owner) {
      await run(releaseScript, at(key), [owner]);
    },
  };
}
