// The stores that a run can use.
import type { EventStore } from "@call-transfer/sdk/webhooks";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { type InboxName, inboxNames } from "./effects.ts";
import { mistakes, type PlantName, wrapperNames, wrappers } from "./plants.ts";

export const eventStoreNames = ["redis", "ioredis"] as const;
export const storeNames = [...eventStoreNames, ...inboxNames] as const;
export type EventStoreName = (typeof eventStoreNames)[number];
export type StoreName = EventStoreName | InboxName;

export const isInbox = (name: StoreName): name is InboxName => inboxNames.some((inbox) => inbox === name);

/** The clients try to connect again by themselves. What fails meanwhile rejects. */
const ignore = (): void => {};

/** A process loads only the client that it uses. */
const openers: Record<EventStoreName, (url: string) => Promise<EventStore>> = {
  async redis(url) {
    const { createClient } = await import("redis");
    const client = createClient({ url });
    client.on("error", ignore);
    await client.connect();
    return redisEventStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }));
  },
  async ioredis(url) {
    const { Redis } = await import("ioredis");
    const client = new Redis(url);
    client.on("error", ignore);
    return redisEventStore((script, key, args) => client.eval(script, 1, key, ...args));
  },
};

/** Opens a store with the client's settings of docs/webhook-stores.md. */
export async function openAsOnThePage(name: EventStoreName, url: string) {
  if (name === "ioredis") {
    const { Redis } = await import("ioredis");
    const client = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, lazyConnect: true });
    client.on("error", ignore);
    await client.connect();
    const store = redisEventStore((script, key, args) => client.eval(script, 1, key, ...args));
    return { store, close: () => client.disconnect() };
  }
  const { createClient } = await import("redis");
  const client = createClient({ url, disableOfflineQueue: true });
  client.on("error", ignore);
  await client.connect();
  const store = redisEventStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }));
  return { store, close: () => client.destroy() };
}

/** Opens a store for a receiver process, with a wrong behaviour if one is named. */
export async function openStore(name: EventStoreName, url: string, plant: PlantName | undefined): Promise<EventStore> {
  const mistake = mistakes.find((one) => one === plant);
  if (mistake !== undefined) return (await import("./hand-written-store.ts")).openHandWrittenStore(url, mistake);
  const store = await openers[name](url);
  const wrapper = wrapperNames.find((one) => one === plant);
  return wrapper === undefined ? store : wrappers[wrapper](store);
}
