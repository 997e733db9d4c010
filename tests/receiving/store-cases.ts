// Runs the cases of EventStore over a real backend, side by side.
import { describe, it } from "node:test";
import { eventStoreCases, type OpenEventStore } from "@call-transfer/contract/webhooks";

/** Registers the cases as tests of a store. */
export function testStore(name: string, openStore: OpenEventStore): void {
  describe(name, { concurrency: true }, () => {
    for (const { name: rule, run } of eventStoreCases) it(rule, () => run(openStore));
  });
}
