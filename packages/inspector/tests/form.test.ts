import { demo } from "@call-transfer/backend";
import { demoSeed } from "@call-transfer/backend/unstable";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { expect, it } from "vitest";
import { collectionNames, fieldsOf, fieldsOfSchema, labelOf } from "../src/screens/state/fields.ts";
import {
  changesBetween,
  copyOf,
  draftOf,
  errorOf,
  newRecord,
  parseJson,
  pathsOf,
  placeOf,
  recordOf,
} from "../src/screens/state/form.ts";
import type { StateRecord } from "../src/screens/state/records.ts";

const kinds = (collection: Parameters<typeof fieldsOf>[0]) =>
  Object.fromEntries(fieldsOf(collection).map(({ name, kind }) => [name, kind]));

it("the schema of seeds gives each field of a member its kind of input", () => {
  expect(kinds("members")).toEqual({
    id: "text",
    accountId: "reference",
    userId: "reference",
    role: "choice",
    availability: "group",
    busy: "flag",
    hours: "hours",
    missedCalls: "number",
  });
});

it("a list of objects, a list of texts, an object of any content and a time have inputs of their own", () => {
  expect(kinds("groups")).toMatchObject({ members: "list", totalTimeoutSecs: "number", createdAt: "time" });
  expect(kinds("roles")).toMatchObject({ permissions: "lines" });
  expect(kinds("destinations")).toMatchObject({ config: "json" });
});

it("a choice that may be null keeps its values, and limits become a hint", () => {
  const [source] =
    fieldsOf("members")
      .find(({ name }) => name === "availability")
      ?.fields?.slice(1) ?? [];
  expect(source).toMatchObject({ kind: "choice", options: ["member", "admin", "auto"], isRequired: false });
  const { minimum, maximum } = document.components.schemas.DestinationGroup.properties.totalTimeoutSecs;
  expect(fieldsOf("groups").find(({ name }) => name === "totalTimeoutSecs")?.hint).toBe(`${minimum} to ${maximum}`);
});

it.each(collectionNames.filter((name) => demoSeed[name] !== undefined))(
  "a draft of each of the demo seed's %s stands for the same record",
  (collection) => {
    const fields = fieldsOf(collection);
    const records: readonly StateRecord[] = demoSeed[collection] ?? [];
    for (const record of records) {
      const again = recordOf(fields, draftOf(fields, record));
      // Flags that a seed leaves out are false in a draft.
      expect(again).toMatchObject(record);
    }
  },
);

it("only fields that differ are sent, and null for those that are gone", () => {
  const fields = fieldsOf("members");
  const member: StateRecord = { ...demoSeed.members?.[3], missedCalls: 0 };
  const draft = draftOf(fields, member);
  const { hours: _, ...withoutHours } = draft;
  const before = recordOf(fields, draft);
  expect(changesBetween(before, recordOf(fields, draft))).toEqual({});
  expect(changesBetween(before, recordOf(fields, { ...withoutHours, missedCalls: "2" }))).toEqual({
    hours: null,
    missedCalls: 2,
  });
});

it("a hidden secret is sent only if something is typed in its place", () => {
  const fields = fieldsOf("destinations");
  const draft = draftOf(fields, { id: "x", signingSecret: "[redacted]" });
  const before = recordOf(fields, draft);
  expect(before).not.toHaveProperty("signingSecret");
  expect(changesBetween(before, recordOf(fields, { ...draft, signingSecret: "new" }))).toEqual({
    signingSecret: "new",
  });
});

it("what is not a number is sent as it is, so that the server says what is wrong", () => {
  const fields = fieldsOfSchema({ properties: { size: { type: "integer" } } });
  expect(recordOf(fields, { size: "many" })).toEqual({ size: "many" });
});

it("text that is not JSON is a problem of its field", () => {
  expect(() => parseJson("{", "config")).toThrow(expect.objectContaining({ path: "config" }));
});

it("a new record has an id, the defaults, and one entry in a list", () => {
  expect(newRecord(fieldsOf("groups"), () => "new-id")).toMatchObject({
    id: "new-id",
    strategy: "simultaneous",
    totalTimeoutSecs: document.components.schemas.CreateDestinationGroupRequest.properties.totalTimeoutSecs.default,
    members: [{}],
  });
});

it("a copy has an id of its own, and neither secrets nor times of changes", () => {
  const original = { id: "old", name: "App", signingSecret: "[redacted]", createdAt: "2026-01-01T00:00:00Z" };
  expect(copyOf(fieldsOf("destinations"), original, () => "new-id")).toEqual({ id: "new-id", name: "App" });
  expect(copyOf(fieldsOf("apiKeys"), { id: demo.accountId, key: "[redacted]", role: "owner" }, () => "new-id")).toEqual(
    {
      role: "owner",
    },
  );
});

it("an error stands at the input that it names, or at the closest one around it", () => {
  const fields = fieldsOf("members");
  const paths = pathsOf(fields, {
    availability: {},
    hours: { monday: [{ from: "09:00", to: "08:00" }] },
  });
  const at = (path: string) => placeOf({ path, message: "" }, paths);
  expect(at("hours.monday[0].to")).toBe("hours.monday[0].to");
  expect(at("hours.mondy")).toBe("hours");
  expect(at("availability.until")).toBe("availability.until");
  expect(at("")).toBeUndefined();
});

it("an error of the control plane is shown without the path that its place says", () => {
  const error = { code: "invalid_input", field: "role", message: "role: must be one of agent, member" };
  expect(errorOf({ error })).toEqual({ path: "role", message: "must be one of agent, member" });
  expect(errorOf({ error: { field: "body", message: "must be an object" } })).toEqual({
    path: "",
    message: "must be an object",
  });
});

it.each([
  ["totalTimeoutSecs", "Total timeout (seconds)"],
  ["id", "ID"],
  ["doNotCall", "Do not call"],
  ["allowedIps", "Allowed addresses"],
])("the field %s is called %s", (name, label) => {
  expect(labelOf(name)).toBe(label);
});
