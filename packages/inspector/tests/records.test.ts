import { type BackendEvent, createBackend, demo } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { type CollectionName, collectionNames } from "../src/screens/state/fields.ts";
import {
  collectionsChangedBy,
  createLookup,
  filterRecords,
  identifies,
  type RecordsByCollection,
  recordId,
  referencesOf,
  referrersOf,
  type StateRecord,
  summaryOf,
  titleOf,
} from "../src/screens/state/records.ts";

const { collections } = createBackend();
const records: RecordsByCollection = Object.fromEntries(collectionNames.map((name) => [name, collections.list(name)]));
const lookup = createLookup(records);
const recordOf = (collection: CollectionName, id: string): StateRecord => {
  const record = lookup(collection, id);
  if (record === undefined) throw new Error(`There is no ${id} in ${collection}.`);
  return record;
};

it.each(collectionNames)("the page and the control plane have the same ids for %s", (collection) => {
  const list = records[collection] ?? [];
  expect(list.map((record) => collections.get(collection, recordId(collection, record)))).toEqual(list);
});

it.each([
  ["accounts", demo.accountId, "Example Dental"],
  ["members", demo.members.agent, "Aron Agent"],
  ["numbers", demo.numbers.working, demo.numbers.working],
  ["calls", demo.calls.failed, "ca000000…0002"],
  ["roles", "agent", "agent"],
] as const)(
  "a record of %s is called by its name, its user, its number or its id in short",
  (collection, id, title) => {
    expect(titleOf(collection, recordOf(collection, id), lookup)).toBe(title);
  },
);

it("an API key is called by its end, not by its text", () => {
  expect(titleOf("apiKeys", { id: demo.accountId, key: "[redacted]", keyHint: "0001" }, lookup)).toBe("…0001");
});

it("a row says what differs from the default, and how many entries a list has", () => {
  expect(summaryOf("destinations", recordOf("destinations", demo.destinations.disabled), lookup)).toBe(
    "phone · not enabled",
  );
  expect(summaryOf("groups", recordOf("groups", demo.groups.existing), lookup)).toBe("3 members · simultaneous");
});

it("references are found in fields and in the entries of lists", () => {
  expect(referencesOf("groups", recordOf("groups", demo.groups.existing))).toEqual([
    { path: "accountId", collection: "accounts", id: demo.accountId },
    { path: "members[0].destinationId", collection: "destinations", id: demo.destinations.phone },
    { path: "members[1].destinationId", collection: "destinations", id: demo.destinations.app },
    { path: "members[2].destinationId", collection: "destinations", id: demo.destinations.availableHumans },
  ]);
});

it("a destination is used by the groups that ring it", () => {
  expect(referrersOf(records, "destinations", demo.destinations.phone)).toMatchObject([
    { collection: "groups", id: demo.groups.existing, path: "members[0].destinationId" },
  ]);
});

it("a filter finds records by the names of what they refer to, word by word", () => {
  const found = filterRecords("groups", records.groups ?? [], "front NIGHT", lookup);
  expect(found.map(({ id }) => id)).toEqual([demo.groups.existing]);
  expect(filterRecords("groups", records.groups ?? [], "front day", lookup)).toEqual([]);
});

it("only the fields of an id are fixed", () => {
  const contact = { accountId: demo.accountId, number: demo.recipients.doNotCall, doNotCall: true };
  expect(Object.keys(contact).filter((name) => identifies("contacts", contact, name))).toEqual(["accountId", "number"]);
});

it.each([
  [{ type: "record.changed", collection: "flows" }, ["flows"]],
  [{ type: "member.availability_changed" }, ["members"]],
  [{ type: "call.completed" }, ["calls"]],
  [{ type: "request.completed", operationId: "deleteMemberHours", changeCount: 1 }, ["members"]],
  [{ type: "request.completed", operationId: "rotateDestinationSecret", changeCount: 1 }, ["destinations"]],
  [{ type: "request.completed", operationId: "createDestinationGroup", changeCount: 1 }, ["destinations", "groups"]],
  [{ type: "request.completed", operationId: "listCalls" }, []],
  [{ type: "sandbox.reset" }, collectionNames],
] as const)("the event %j changes %j", (event, names) => {
  const complete: BackendEvent = { eventId: "x-1", at: "2026-03-02T10:20:00Z", ...event };
  expect(collectionsChangedBy(complete, collectionNames)).toEqual(names);
});
