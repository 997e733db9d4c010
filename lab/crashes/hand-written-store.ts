// An event store as one might write it in an afternoon, with one of two mistakes. Only for the proof that a run finds them.
import type { EventClaim, EventStore } from "@call-transfer/sdk/webhooks";
import { createClient } from "redis";
import type { Mistake } from "./plants.ts";

const done = "done:";
const keepMs = 600_000;

/** Stores an answer unless another owner has the event, or it is completed. */
const completeScript = `
local kept = redis.call('get', KEYS[1])
if kept and kept ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/** Opens the store on a Redis server. */
export async function openHandWrittenStore(url: string, mistake: Mistake): Promise<EventStore> {
  const client = createClient({ url });
  client.on("error", () => {});
  await client.connect();

  const claim = async (key: string, owner: string, leaseMs: number): Promise<EventClaim> => {
    const lease = { expiration: { type: "PX", value: leaseMs } } as const;
    const isFree =
      mistake === "complete-ignores-owner" && (await client.set(key, owner, { ...lease, condition: "NX" }));
    if (isFree) return { state: "claimed" };
    const kept = (await client.get(key)) ?? owner;
    if (kept.startsWith(done)) return { state: "completed", response: kept.slice(done.length) };
    if (kept !== owner) return { state: "in_progress" };
    await client.set(key, owner, lease);
    return { state: "claimed" };
  };
  return {
    claim,
    async complete(key, owner, response) {
      const stored = [done + response, String(keepMs)] as const;
      if (mistake === "complete-ignores-owner") {
        await client.set(key, stored[0], { expiration: { type: "PX", value: keepMs } });
        return true;
      }
      return (await client.eval(completeScript, { keys: [key], arguments: [owner, ...stored] })) === 1;
    },
    async release(key, owner) {
      if ((await client.get(key)) === owner) await client.del(key);
    },
  };
}
