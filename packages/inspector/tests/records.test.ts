import { demoSeed } from "@call-transfer/backend/unstable";
import { describe, expect, it } from "vitest";
import {
  changesBetween,
  changesCollection,
  collections,
  columnsOf,
  copyOf,
  editable,
  hiddenFields,
  parseRecord,
  recordId,
  titleOf,
} from "../src/data/records.ts";

const names = new Map([...(demoSeed.users ?? []), ...(demoSeed.destinations ?? [])].map(({ id, name }) => [id, name]));
const nameOf = (id: string) => names.get(id) ?? id.slice(0, 8);

describe.each(collections)("the table of %s", (collection) => {
  it("has a text in its first column, and an id of its own, for each record of the demo data", () => {
    const records = (demoSeed[collection] ?? []).map((record): Readonly<Record<string, unknown>> => ({ ...record }));
    const [first] = columnsOf(collection);
    for (const record of records)
      expect(first?.[1](record, nameOf) || titleOf(collection, record, nameOf)).not.toBe("");
    // The backend gives each API key an id.
    const ids = records.map((record) => recordId(collection, collection === "apiKeys" ? { id: record.key } : record));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

it("a group shows whom it rings, and a member its user", () => {
  const [group] = demoSeed.groups ?? [];
  const [member] = demoSeed.members ?? [];
  const texts = columnsOf("groups").map(([, text]) => text({ ...group }, nameOf));
  expect(texts.slice(0, 2)).toEqual(["Night shift", "Reception, Front desk app, Available team"]);
  expect(titleOf("members", { ...member }, nameOf)).toBe("Olivia Owner");
});

describe("a record with secrets", () => {
  const shown = { id: "a", name: "App", config: { url: "http://a" } };
  const record = { ...shown, signingSecret: "[redacted]", signingSecretHint: "9f2c", previousSecret: "[redacted]" };

  it("is copied with an id of its own and no secret", () => {
    expect(copyOf(record, () => "new")).toEqual({ ...shown, id: "new" });
  });

  it("is edited without them, and they stay unless they are typed", () => {
    expect(editable(record)).toEqual(shown);
    expect(hiddenFields(record)).toEqual(["signingSecret", "previousSecret"]);
    expect(changesBetween(record, shown)).toEqual({});
    expect(changesBetween(record, { ...shown, signingSecret: "own" })).toEqual({ signingSecret: "own" });
  });

  it("is edited without a field that has a secret inside", () => {
    const queried = { ...shown, config: { url: "http://a/?[redacted]" } };
    expect([editable(queried), hiddenFields(queried)]).toEqual([{ id: "a", name: "App" }, ["config"]]);
  });
});

it("only fields that differ are changes, and those that are gone are null", () => {
  const before = { id: "a", name: "App", busy: true, hours: { monday: [] } };
  expect(changesBetween(before, { id: "a", name: "Other", hours: { monday: [] }, more: 1 })).toEqual({
    name: "Other",
    busy: null,
    more: 1,
  });
  expect(changesBetween(before, { ...before })).toEqual({});
});

it("text that is not a JSON object says what is wrong", () => {
  expect(() => parseRecord("{")).toThrow(SyntaxError);
  expect(() => parseRecord("[1]")).toThrow("A record is a JSON object");
  expect(parseRecord('{"name":"Reception"}')).toEqual({ name: "Reception" });
});

it("events of other collections do not read a collection again", () => {
  const event = (type: string, more: object = {}) => ({ eventId: "s-1", at: "", type, ...more });
  expect(changesCollection(event("record.changed", { collection: "groups" }), "groups")).toBe(true);
  expect(changesCollection(event("record.changed", { collection: "groups" }), "members")).toBe(false);
  expect(changesCollection(event("call.started"), "calls")).toBe(true);
  expect(changesCollection(event("member.availability_changed"), "destinations")).toBe(false);
  expect(changesCollection(event("request.completed", { changeCount: 1 }), "groups")).toBe(true);
});
