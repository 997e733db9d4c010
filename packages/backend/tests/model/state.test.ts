import { expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { type ScenarioName, scenarios } from "../../src/data/scenarios.ts";
import type { State } from "../../src/model/state.ts";
import { send } from "../test-client.ts";

/** Follows every record of a state. The returned function lists those that have changed since they were put there. */
function followRecords(state: State): () => readonly unknown[] {
  const texts = new Map<unknown, string>();
  for (const records of Object.values(state) as Map<string, unknown>[]) {
    const follow = (record: unknown): unknown => texts.set(record, texts.get(record) ?? JSON.stringify(record));
    records.forEach(follow);
    const set = records.set.bind(records);
    records.set = (key, record) => {
      follow(record);
      return set(key, record);
    };
  }
  return () => [...texts].filter(([record, text]) => JSON.stringify(record) !== text).map(([record]) => record);
}

it("a record is replaced, never changed in place", async () => {
  const statuses = [500, 204];
  const backend = createBackend({
    fetch: async () => new Response(null, { status: statuses.shift() ?? 204 }),
    policies: { concurrentCallLimit: 1, missedCallLimit: 2 },
  });
  const changed = followRecords(backend.state);
  const { app, availableHumans, phone } = demo.destinations;
  const body = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
  for (let count = 0; count < 2; count += 1) await send(backend, "POST /calls", { body });
  await send(backend, `POST /transfers/destinations/${app}/rotate-secret`);
  await send(backend, `DELETE /transfers/members/${demo.members.agent}/hours`);

  const people = { destinationId: availableHumans };
  backend.transfers.start({ groupId: demo.groups.existing });
  for (let count = 0; count < 2; count += 1) backend.transfers.start({ destinationId: app });
  const declined = backend.transfers.start({ destinationId: phone });
  backend.transfers.decline(declined.id, { destinationId: phone });
  const { id, rings } = backend.transfers.start(people);
  const memberId = rings.find(({ outcome }) => outcome === "ringing")?.memberId ?? "";
  for (let count = 0; count < 2; count += 1) await backend.transfers.answer(id, { memberId });
  const callId = [...backend.state.calls.values()].find(({ status }) => status === "in_progress")?.id ?? "";
  backend.transfers.start({ ...people, callId });
  backend.collections.update("calls", callId, { startedAt: backend.clock.iso() });
  for (let count = 0; count < 3; count += 1) {
    backend.transfers.start(people);
    await backend.advance({ by: 100_000 });
  }
  backend.collections.update("members", memberId, { busy: true });
  for (const name of Object.keys(scenarios)) backend.applyScenario(name as ScenarioName);

  const happened = new Set(backend.events.latest().events.map(({ type }) => type));
  for (const state of ["connected", "ended", "unanswered", "answered_late"])
    expect(happened).toContain(`transfer.${state}`);
  for (const type of ["call.started", "call.completed", "member.availability"]) expect(happened).toContain(type);
  expect(changed()).toEqual([]);
});
