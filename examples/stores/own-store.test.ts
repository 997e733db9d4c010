import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { eventStoreCases } from "@call-transfer/contract/webhooks";
import type { EventStore } from "@call-transfer/sdk/webhooks";

/** One day, which is more than twice the time for which a delivery stays valid. */
const retentionMs = 86_400_000;

function sqliteEventStore(database: DatabaseSync): EventStore {
  database.exec("create table events (key text primary key, owner text, response text, ends real)");
  const found = database.prepare("select owner, response from events where key = ? and ends > ?");
  const put = database.prepare("insert or replace into events values (?, ?, ?, ?)");
  const remove = database.prepare("delete from events where key = ? and owner = ? and response is null");

  return {
    async claim(key, owner, leaseDurationMs) {
      const held = found.get(key, Date.now());
      if (typeof held?.response === "string") return { state: "completed", response: held.response };
      if (held !== undefined && held.owner !== owner) return { state: "in_progress" };
      put.run(key, owner, null, Date.now() + leaseDurationMs);
      return { state: "claimed" };
    },
    async complete(key, owner, response) {
      const held = found.get(key, Date.now());
      if (held !== undefined && (held.owner !== owner || held.response !== null)) return false;
      put.run(key, owner, response, Date.now() + retentionMs);
      return true;
    },
    async release(key, owner) {
      remove.run(key, owner);
    },
  };
}

const store = sqliteEventStore(new DatabaseSync(":memory:"));
// Open a connection each time if the store has one: the cases use two at once.
for (const { name, run } of eventStoreCases) it(name, () => run(() => store));
