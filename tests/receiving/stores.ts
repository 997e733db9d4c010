// What several checks do with stores and inboxes.
import { describe, it } from "node:test";
import { eventStoreCases, type OpenEventStore } from "@call-transfer/contract/webhooks";
import { postgresInbox } from "@call-transfer/sdk/webhooks/postgres";
import type { Pool, PoolClient } from "pg";

/** Registers the cases of EventStore as tests of a store over a real backend, side by side. */
export function testStore(name: string, openStore: OpenEventStore): void {
  describe(name, { concurrency: true }, () => {
    for (const { name: rule, run } of eventStoreCases) it(rule, () => run(openStore));
  });
}

/** As docs/webhook-stores.md shows it for pg. */
export const pgInbox = (pool: Pool, options: Parameters<typeof postgresInbox>[1] = {}) =>
  postgresInbox<PoolClient>(
    {
      async transaction(work) {
        const client = await pool.connect();
        try {
          await client.query("begin");
          await work(client);
          const { command } = await client.query("commit");
          if (command === "ROLLBACK") throw Object.assign(new Error("a query failed"), { code: "25P02" });
          client.release();
        } catch (error) {
          client.release(true);
          throw error;
        }
      },
      query: async (client, text, values) => (await client.query(text, values)).rows,
    },
    options,
  );
