// The event store of the built SDK in Redis, on a Node of the matrix: check -- matrix starts the servers and bundles
// this file.
import { after } from "node:test";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { createClient } from "redis";
import { testStore } from "./store-cases.ts";

const client = createClient({ url: process.env.MATRIX_REDIS ?? "" });
await client.connect();
after(() => client.destroy());

testStore("events in Redis", () =>
  redisEventStore((script, key, args) => client.eval(script, { keys: [key], arguments: args })),
);
