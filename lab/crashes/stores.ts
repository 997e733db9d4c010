// The stores that a run can use.
import type { EventStore } from "@call-transfer/sdk/webhooks";
import { createEventTable, postgresEventStore } from "@call-transfer/sdk/webhooks/postgres";
import { ioredisEventStore, redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import type { ServerProcess } from "../../tests/receiving/server-process.ts";
import { startPostgres, startRedis } from "../../tests/receiving/servers.ts";
import { createEffects, type InboxName, inboxNames, openPool } from "./effects.ts";
import { mistakes, type PlantName, wrapperNames, wrappers } from "./plants.ts";

const eventStoreNames = ["redis", "ioredis", "postgres"] as const;
export const storeNames = [...eventStoreNames, ...inboxNames] as const;
type EventStoreName = (typeof eventStoreNames)[number];
export type StoreName = EventStoreName | InboxName;

export const isInbox = (name: StoreName): name is InboxName => inboxNames.some((inbox) => inbox === name);
export const isInPostgres = (name: StoreName): boolean => name === "postgres" || isInbox(name);

/** A restart of the server must not lose an answer, so Redis writes each to disk before it replies. */
const durable = ["--appendfsync", "always"];

/** Starts the server of a store. */
export async function startServer(store: StoreName): Promise<ServerProcess> {
  if (!isInPostgres(store)) return startRedis({ settings: durable });
  const server = await startPostgres();
  const pool = openPool(server.url);
  await pool.query(createEventTable() + createEffects);
  await pool.end();
  return server;
}

/** The clients try to connect again by themselves. What fails meanwhile rejects. */
const ignore = (): void => {};

/** A process loads only the client that it uses. */
const openers: Record<EventStoreName, (url: string) => Promise<EventStore>> = {
  async redis(url) {
    const { createClient } = await import("redis");
    const client = createClient({ url });
    client.on("error", ignore);
    await client.connect();
    return redisEventStore(client);
  },
  async ioredis(url) {
    const { Redis } = await import("ioredis");
    const client = new Redis(url);
    client.on("error", ignore);
    return ioredisEventStore(client);
  },
  async postgres(url) {
    return postgresEventStore(openPool(url));
  },
};

/** Opens a store for a receiver process, with a wrong behaviour if one is named. */
export async function openStore(name: EventStoreName, url: string, plant: PlantName | undefined): Promise<EventStore> {
  const mistake = mistakes.find((one) => one === plant);
  if (mistake !== undefined) return (await import("./hand-written-store.ts")).openHandWrittenStore(url, mistake);
  const store = await openers[name](url);
  const wrapper = wrapperNames.find((one) => one === plant);
  return wrapper === undefined ? store : wrappers[wrapper](store);
}
