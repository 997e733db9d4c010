// The server of a store, and what a run does to it.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { inboxTableSql } from "@call-transfer/sdk/webhooks/postgres";
import type { ServerProcess } from "../../tests/receiving/server-process.ts";
import { type RedisServer, startPostgres, startRedis } from "../../tests/receiving/servers.ts";
import { createEffects } from "./effects.ts";
import { isInbox, type StoreName } from "./stores.ts";

export interface StoreServer extends AsyncDisposable {
  /** Where clients connect. It stays the same when a replica replaces the primary. */
  readonly url: string;
  signal(signal: NodeJS.Signals): void;
  /** Ends it with SIGKILL, and starts it again. */
  restart(): Promise<void>;
  /** Deletes everything that it stores. */
  flush(): Promise<void>;
  /** Lets every write fail, or no longer. */
  fill(isFull: boolean): Promise<void>;
  /** Ends the primary with SIGKILL, and lets its replica replace it. */
  promote(): Promise<void>;
}

/** Passes connections on to a port that can change. */
async function startSwitch(first: number) {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from
        .on("error", () => to.destroy())
        .on("close", () => {
          sockets.delete(from);
          to.destroy();
        });
      from.pipe(to);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    set(port: number): void {
      target = port;
      drop();
    },
    close(): void {
      server.close();
      drop();
    },
  };
}

/** A restart of the server must not lose an answer, so Redis writes each to disk before it replies. */
const durable = ["--appendfsync", "always"];

async function startRedisStore(hasReplica: boolean): Promise<StoreServer> {
  let primary = await startRedis({ settings: durable });
  let replica: RedisServer | undefined = hasReplica ? await startRedis({ replicaOf: primary }) : undefined;
  const entry = await startSwitch(primary.port);
  return {
    url: `redis://127.0.0.1:${entry.port}`,
    signal: (signal) => primary.signal(signal),
    restart: () => primary.restart(),
    flush: async () => void (await primary.command("flushall")),
    fill: async (isFull) => void (await primary.command("config", "set", "maxmemory", isFull ? "1" : "0")),
    async promote() {
      if (replica === undefined) throw new Error("There is no replica.");
      await primary.stop();
      primary = replica;
      await primary.command("replicaof", "no", "one");
      entry.set(primary.port);
      replica = await startRedis({ replicaOf: primary });
    },
    async [Symbol.asyncDispose]() {
      entry.close();
      await replica?.stop();
      await primary.stop();
    },
  };
}

async function startPostgresStore(hasReplica: boolean): Promise<StoreServer> {
  const { Client } = await import("pg");
  let primary = await startPostgres();
  const ask = async (...statements: string[]): Promise<void> => {
    const client = new Client({ connectionString: primary.url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  await ask(inboxTableSql() + createEffects);
  let standby: ServerProcess | undefined = hasReplica ? await startPostgres({ replicaOf: primary }) : undefined;
  // From now on, what is committed is also on the standby.
  if (standby) await ask("alter system set synchronous_standby_names = '*'", "select pg_reload_conf()");
  const entry = await startSwitch(primary.port);
  return {
    url: `postgresql://postgres@127.0.0.1:${entry.port}`,
    signal: (signal) => primary.signal(signal),
    restart: () => primary.restart(),
    flush: () => ask("truncate call_transfer_events"),
    fill: (isFull) =>
      ask(`alter system set default_transaction_read_only = ${isFull ? "on" : "off"}`, "select pg_reload_conf()"),
    async promote() {
      if (standby === undefined) throw new Error("There is no standby.");
      await primary.stop();
      [primary, standby] = [standby, undefined];
      await ask("select pg_promote()");
      entry.set(primary.port);
    },
    async [Symbol.asyncDispose]() {
      entry.close();
      await standby?.stop();
      await primary.stop();
    },
  };
}

/** Starts the server of a store, with a replica if it is to be replaced. */
export const startServer = (store: StoreName, hasReplica = false): Promise<StoreServer> =>
  isInbox(store) ? startPostgresStore(hasReplica) : startRedisStore(hasReplica);
