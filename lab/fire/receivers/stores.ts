// The server of a store, what a run does to it, and what it holds at the end.
import { setTimeout as sleep } from "node:timers/promises";
import { inboxTableSql } from "@call-transfer/sdk/webhooks/postgres";
import type { ServerProcess } from "../../../tests/receiving/server-process.ts";
import { type RedisServer, startPostgres, startRedis } from "../../../tests/receiving/servers.ts";
import type { Effect } from "./judge.ts";

/** How long a store hangs, or is full. */
const awayMs = 1000;

export interface Store extends AsyncDisposable {
  readonly url: string;
  /** Does one of `outages`. Returns when the store works again. */
  disturb(act: string): Promise<void>;
  /** The rows that handlings left in the app's table, in their order; undefined if there is none. */
  effects(): Promise<readonly Effect[] | undefined>;
}

/** What is done to Redis, by the name of the act. */
export const outages: Readonly<Record<string, (server: RedisServer) => Promise<unknown>>> = {
  /** SIGKILL, and a new start. */
  restart: (server) => server.restart(),
  async hang(server) {
    server.signal("SIGSTOP");
    await sleep(awayMs);
    server.signal("SIGCONT");
  },
  /** Every write fails. */
  async full(server) {
    await server.command("config", "set", "maxmemory", "1");
    await sleep(awayMs);
    await server.command("config", "set", "maxmemory", "0");
  },
  /** It forgets everything. */
  flush: (server) => server.command("flushall"),
};

async function startRedisStore(): Promise<Store> {
  // A restart of the server must not lose an answer, so Redis writes each to disk before it replies.
  const server = await startRedis({ settings: ["--appendfsync", "always"] });
  return {
    url: server.url,
    disturb: async (act) => void (await outages[act]?.(server)),
    effects: async () => undefined,
    [Symbol.asyncDispose]: () => server.stop(),
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

/** Starts the server of a kind of store. */
export const startStore = (kind: string): Promise<Store> =>
  kind === "inbox" ? startPostgresStore() : startRedisStore();
