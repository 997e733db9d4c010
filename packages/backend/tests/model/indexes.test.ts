import { expect, test } from "vitest";
import { Calls, dayOf, Groups, Members } from "../../src/model/indexes.ts";
import type { CallRecord, GroupRecord, MemberRecord } from "../../src/model/records.ts";

const group = (id: string, name: string, accountId = "a"): GroupRecord => ({
  accountId,
  id,
  name,
  strategy: "simultaneous",
  totalTimeoutSecs: 30,
  members: [],
  createdAt: "2026-03-02T12:00:00Z",
  updatedAt: "2026-03-02T12:00:00Z",
});

const noon = Date.parse("2026-03-02T12:00:00Z");
const call = (id: string, status: string, changes: Partial<CallRecord> = {}): CallRecord => ({
  id,
  accountId: "a",
  direction: "outbound",
  status,
  duration: 0,
  createdAt: noon,
  startedAt: undefined,
  request: {},
  ...changes,
});
const callsOf = (...records: CallRecord[]): Calls => {
  const calls = new Calls();
  for (const record of records) calls.set(record.id, record);
  return calls;
};
const waiting = (calls: Calls) => [...calls.of("a").waiting.keys()];

const member = (id: string, userId: string): MemberRecord => ({
  id,
  accountId: "a",
  userId,
  role: "agent",
  availability: { status: "available" },
  busy: false,
  missedCalls: 0,
});

test("a member is found by account and user, also after two exchanged their users", () => {
  const members = new Members().set("1", member("1", "kim")).set("2", member("2", "lee"));
  expect([members.of("a", "kim")?.id, members.of("b", "kim")]).toEqual(["1", undefined]);
  members.set("1", member("1", "lee")).set("2", member("2", "kim"));
  expect([members.of("a", "lee")?.id, members.of("a", "kim")?.id]).toEqual(["1", "2"]);
  members.delete("1");
  expect([members.of("a", "lee"), members.of("a", "kim")?.id]).toEqual([undefined, "2"]);
  members.clear();
  expect(members.of("a", "kim")).toBeUndefined();
});

test("a renamed group frees its former name", () => {
  const groups = new Groups().set("1", group("1", "Sales")).set("1", group("1", "Support"));
  expect([groups.named("a", "Sales"), groups.named("a", "Support")?.id]).toEqual([undefined, "1"]);
});

test("a deleted group frees its name", () => {
  const groups = new Groups().set("1", group("1", "Sales"));
  expect([groups.delete("1"), groups.delete("1"), groups.named("a", "Sales")]).toEqual([true, false, undefined]);
});

test("cleared groups leave no name behind", () => {
  const groups = new Groups().set("1", group("1", "Sales"));
  groups.clear();
  expect([groups.size, groups.named("a", "Sales")]).toEqual([0, undefined]);
});

test("a call that changes while queued keeps its position, and the queue shows the change", () => {
  const calls = callsOf(call("1", "queued"), call("2", "queued"));
  calls.set("1", call("1", "queued", { duration: 7 }));
  expect([...calls.of("a").waiting.values()].map(({ id, duration }) => [id, duration])).toEqual([
    ["1", 7],
    ["2", 0],
  ]);
});

test("a call that returns to the queue takes its position by placement", () => {
  const calls = callsOf(call("1", "completed"), call("2", "queued"));
  calls.set("1", call("1", "queued"));
  expect(waiting(calls)).toEqual(["1", "2"]);
});

test("a call that ends, moves to another account or is deleted leaves the queue", () => {
  const calls = callsOf(call("1", "queued"), call("2", "queued"), call("3", "queued"));
  calls.set("1", call("1", "completed")).set("2", call("2", "queued", { accountId: "b" }));
  calls.delete("3");
  expect([waiting(calls), [...calls.of("b").waiting.keys()]]).toEqual([[], ["2"]]);
});

test("outbound calls count on the day of their placement until they are deleted", () => {
  const calls = callsOf(call("1", "completed"), call("2", "queued"), call("3", "queued", { direction: "inbound" }));
  calls.set("1", call("1", "failed"));
  expect(calls.of("a").placedOn.get(dayOf(noon))).toBe(2);
  calls.delete("2");
  expect(calls.of("a").placedOn.get(dayOf(noon))).toBe(1);
});
