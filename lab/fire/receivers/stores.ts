// The server of a store, what a run does to it, and what it holds at the end.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { inboxTableSql } from "@call-transfer/sdk/webhooks/postgres";
import type { ServerProcess } from "../../../tests/receiving/server-process.ts";
import { type RedisServer, startPostgres, startRedis } from "../../../tests/receiving/servers.ts";
import type { Effect } from "./judge.ts";

/** How long a store hangs, or is full. */
const awayMs = 1000;

export interface Store extends AsyncDisposable {
  /** Where clients connect. It stays the same when a replica replaces the primary. */
  readonly url: string;
  /** Does one of `outages`. Returns when the store works again. */
  disturb(act: string): Promise<void>;
  /** The rows that handlings left in the app's table, in their order; undefined if there is none. */
  effects(): Promise<readonly Effect[] | undefined>;
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

/** What is done to Redis, by the name of the act. */
export const outages: Readonly<Record<string, (primary: RedisServer) => Promise<unknown>>> = {
  /** SIGKILL, and a new start. */
  restart: (primary) => primary.restart(),
  async hang(primary) {
    primary.signal("SIGSTOP");
    await sleep(awayMs);
    primary.signal("SIGCONT");
  },
  /** Every write fails. */
  async full(primary) {
    await primary.command("config", "set", "maxmemory", "1");
    await sleep(awayMs);
    await primary.command("config", "set", "maxmemory", "0");
  },
  /** It forgets everything. */
  flush: (primary) => primary.command("flushall"),
};

/** A replica replaces the primary, which ends. */
export const promote = "promote";

async function startRedisStore(hasReplica: boolean): Promise<Store> {
  // A restart of the server must not lose an answer, so Redis writes each to disk before it replies.
  let primary = await startRedis({ settings: ["--appendfsync", "always"] });
  let replica: RedisServer | undefined = hasReplica ? await startRedis({ replicaOf: primary }) : undefined;
  const entry = await startSwitch(primary.port);
  return {
    url: `redis://127.0.0.1:${entry.port}`,
    async disturb(act) {
      if (act !== promote) return void (await outages[act]?.(primary));
      if (replica === undefined) throw new Error("There is no replica.");
      await primary.stop();
      primary = replica;
      await primary.command("replicaof", "no", "one");
      entry.set(primary.port);
      replica = await startRedis({ replicaOf: primary });
    },
    effects: async () => undefined,
    async [Symbol.asyncDispose]() {
      entry.close();
      await replica?.stop();
      await primary.stop();
    },
  };
}

async function startPostgresStore(): Promise<Store> {
  const { Client } = await import("pg");
  const server: ServerProcess = await startPostgres();
  const ask = async (text: string): Promise<readonly unknown[]> => {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  };
  await ask(`${inboxTableSql()}
create table effects (event text, handling text, at timestamptz default clock_timestamp());`);
  return {
    url: server.url,
    disturb: () => server.restart(),
    effects: async () => (await ask("select event, handling from effects order by at")) as readonly Effect[],
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Starts the server of a store, with a replica if it is to be replaced. */
export const startStore = (kind: string, hasReplica = false): Promise<Store> =>
  kind.startsWith("inbox") ? startPostgresStore() : startRedisStore(hasReplica);
