import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { eventStoreCases } from "@call-transfer/contract/webhooks";
import type { EventStore } from "@call-transfer/sdk/webhooks";

function sqliteEventStore(database: DatabaseSync): EventStore {
  database.exec("create table events (key text primary key, owner text, answer text, ends real)");
  const found = database.prepare("select owner, answer from events where key = ? and ends > ?");
  const put = database.prepare("insert or replace into events values (?, ?, ?, ?)");
  const remove = database.prepare("delete from events where key = ? and owner = ? and answer is null");

  return {
    async claim(key, owner, leaseMs) {
      const held = found.get(key, Date.now());
      if (typeof held?.answer === "string") return { state: "done", answer: held.answer };
      if (held !== undefined && held.owner !== owner) return { state: "busy" };
      put.run(key, owner, null, Date.now() + leaseMs);
      return { state: "mine" };
    },
    async complete(key, owner, answer, keepMs) {
      const held = found.get(key, Date.now());
      if (held !== undefined && (held.owner !== owner || held.answer !== null)) return false;
      put.run(key, owner, answer, Date.now() + keepMs);
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
