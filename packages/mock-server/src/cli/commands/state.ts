import { type ControlClient, dataAs, dataOf, messageOf, type Schema } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { flatFields, relativeTime, shortIds } from "../terminal/show.ts";
import { formatFields, formatTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readJson, UsageError } from "../values/command-line.ts";
import { changesOf, readFields } from "../values/fields.ts";
import {
  type CollectionName,
  collectionNames,
  findNamed,
  idOf,
  readNameOf,
  readNames,
  readRecords,
  type StateRecord,
} from "../values/find-record.ts";
import { expectAtMost, required, unknownWord } from "../values/operands.ts";
import { readNow } from "../values/server-time.ts";

const actions = ["set", "add", "remove", "seed"];

export const state = defineCommand({
  name: "state",
  isList: true,
  summary: "list, show, change, add or remove records, by id or name",
  isFrequent: true,
  usages: {
    state: "count the records of each collection",
    "state COLLECTION": `list records. COLLECTION is one of ${collectionNames.join(", ")}`,
    "state COLLECTION RECORD": "show a record, by id or name",
    "state set COLLECTION RECORD FIELD=VALUE…":
      "change fields, such as availability.status=away; FIELD= removes one. A value is JSON, or else text",
    "state add COLLECTION FIELD=VALUE…":
      "add a record. Without an id it gets one; without accountId, the first account",
    "state remove COLLECTION RECORD": "remove a record that nothing refers to",
    "state seed FILE": "add the records of a seed file, all or none",
  },
  example: "state set members Mia availability.status=offline",
  options: {},
  async run({ control, operands, terminal }) {
    const [first, ...rest] = operands;
    if (first === undefined) return counts(control, terminal);
    if (first === "seed") return seed(control, expectAtMost(1, rest)[0]);
    const isAction = actions.includes(first);
    const [name, ...others] = isAction ? rest : operands;
    const collection = readCollection(required(name, "collection", `state ${first} members …`));
    const [text, ...fields] = others;
    if (first === "add") return added(control, collection, others);
    if (!isAction && text === undefined) return listed(control, collection, terminal);
    const { id } = findNamed(
      required(text, "record", `state ${first} ${collection} ID`),
      await readNames(control, collection),
      kindOf(collection),
    );
    const params = { path: { collection, id } };
    if (first === "set") {
      required(fields[0], "field", `state set ${collection} ${text} FIELD=VALUE`);
      const record = dataAs<"StateRecord">(await control.GET("/_control/v1/state/{collection}/{id}", { params }));
      const body = changesOf(record, readFields(fields));
      const data = dataAs<"StateRecord">(await control.PATCH("/_control/v1/state/{collection}/{id}", { params, body }));
      return { data, text: formatFields(flatFields(data)) };
    }
    expectAtMost(0, fields);
    if (first === "remove") {
      dataOf(await control.DELETE("/_control/v1/state/{collection}/{id}", { params }));
      return { data: { collection, id }, text: `Removed ${id} from ${collection}.` };
    }
    const data = dataAs<"StateRecord">(await control.GET("/_control/v1/state/{collection}/{id}", { params }));
    return { data, text: formatFields(flatFields(data)) };
  },
});

async function counts(control: ControlClient, terminal: Terminal) {
  const lists = await Promise.all(collectionNames.map((collection) => readRecords(control, collection)));
  const rows = collectionNames.map((collection, index) => ({ collection, records: lists[index]?.length ?? 0 }));
  const text = formatTable(rows, terminal, [
    { title: "collection", cell: (row) => row.collection },
    { title: "records", cell: (row) => row.records },
  ]);
  return { data: Object.fromEntries(rows.map((row) => [row.collection, row.records])), text };
}

async function seed(control: ControlClient, file: string | undefined) {
  const path = required(file, "seed file", "state seed FILE");
  const { $schema: _, ...body } = readJson("state seed", path) as Schema<"Seed">;
  const { error } = await control.POST("/_control/v1/seed", { body });
  if (error !== undefined) throw new UsageError(`state seed ${path}: ${messageOf(error)}`);
  return { data: { file: path }, text: `Added the records of ${path}` };
}

async function added(control: ControlClient, collection: CollectionName, settings: readonly string[]) {
  required(settings[0], "field", `state add ${collection} FIELD=VALUE`);
  const given = changesOf({}, readFields(settings));
  const accountId = hasAccount(collection) ? String((await readRecords(control, "accounts"))[0]?.id) : undefined;
  const body = {
    ...(hasOwnId(collection) && { id: crypto.randomUUID() }),
    ...(accountId !== undefined && { accountId }),
    ...given,
  };
  const params = { path: { collection } };
  const data = dataAs<"StateRecord">(await control.POST("/_control/v1/state/{collection}", { params, body }));
  return { data, text: formatFields(flatFields(data)) };
}

const hasOwnId = (collection: CollectionName): boolean => !["numbers", "contacts", "roles"].includes(collection);
const hasAccount = (collection: CollectionName): boolean => !["accounts", "users", "roles"].includes(collection);

/** The fields that a list shows of each collection, besides id and name. */
const shownFields: Readonly<Record<CollectionName, readonly string[]>> = {
  accounts: ["suspended", "timeZone"],
  users: [],
  members: ["role", "availability.status", "availability.source", "availability.until", "busy", "accountId"],
  destinations: ["kind", "enabled", "config.number", "config.url", "accountId"],
  groups: ["strategy", "totalTimeoutSecs", "accountId"],
  flows: ["published", "accountId"],
  providers: ["rejects", "accountId"],
  numbers: ["active", "verified", "canInitiateCalls", "accountId"],
  contacts: ["doNotCall", "timeZone", "accountId"],
  calls: ["direction", "status", "duration", "createdAt", "accountId"],
  apiKeys: ["key", "state", "role", "expiresAt", "accountId"],
  roles: ["permissions"],
};

async function listed(control: ControlClient, collection: CollectionName, terminal: Terminal) {
  const [records, names, nameOf, now] = await Promise.all([
    readRecords(control, collection),
    readNames(control, collection),
    readNameOf(control),
    readNow(control),
  ]);
  const rows = records.map((record, index) => ({
    id: idOf(collection, record),
    name: names[index]?.name,
    fields: flatFields(record),
  }));
  const short = shortIds(rows, terminal);
  const show = (field: string, value: string | undefined): string | undefined => {
    if (field.endsWith("Id")) return value && (nameOf(value) ?? value);
    return value !== undefined && /(?:At|until)$/.test(field) ? relativeTime(value, now) : value;
  };
  const text = formatTable(rows, terminal, [
    { title: "id", cell: ({ id }) => short(id) },
    { title: "name", cell: ({ name }) => name, flexible: true },
    ...shownFields[collection].map((field) => ({
      title: field.replace(/Id$/, "").replace(/^.*\./, ""),
      cell: ({ fields }: (typeof rows)[number]) => show(field, fields[field]),
      flexible: true,
    })),
  ]);
  return { data: records as readonly StateRecord[], text: rows.length === 0 ? `There are no ${collection}.` : text };
}

/** One record of a collection, for a message. */
function kindOf(collection: CollectionName): string {
  return collection === "apiKeys" ? "API key" : collection.replace(/s$/, "");
}

function readCollection(name: string): CollectionName {
  const collection = collectionNames.find((one) => one.toLowerCase() === name.toLowerCase());
  if (collection === undefined) throw unknownWord("collection", name, collectionNames);
  return collection;
}
