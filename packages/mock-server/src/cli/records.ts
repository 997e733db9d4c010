import { type ControlClient, dataAs, dataOf, messageOf, type Schema } from "@call-transfer/backend/control-client";
import { action, type Command, type Context } from "./command.ts";
import {
  type CollectionName,
  collectionNames,
  findNamed,
  idOf,
  readNameOf,
  readNames,
  readNow,
  readRecords,
} from "./find-record.ts";
import type { Terminal } from "./output.ts";
import { flatFields, formatFields, formatTable, relativeTime, shortIds } from "./tables.ts";
import { jsonOrText, readJson, UsageError, unknownWord } from "./values.ts";

export const records: Command = {
  name: "records",
  summary: "list, show, update, add or delete records, by id or name",
  example: "records update members Mia availability.status=offline",
  actions: [
    action(
      "COLLECTION [RECORD]",
      {
        help: `list the records of a collection, or show one by id or name. COLLECTION is one of ${collectionNames.join(", ")}`,
        example: "members",
      },
      async (context) => {
        const { control, operands, terminal } = context;
        if (operands[1] === undefined) return listed(control, readCollection(operands[0] ?? ""), terminal);
        return shown(await readRecord(control, (await find(context)).params.path));
      },
    ),
    action(
      "update COLLECTION RECORD FIELD=VALUE…",
      {
        help: "change fields, such as availability.status=away; FIELD= removes one. A value is JSON, or else text",
        example: "update members Mia availability.status=away",
      },
      async (context) => {
        const { control, operands } = context;
        const { params } = await find(context);
        const body = changesOf(await readRecord(control, params.path), readFields(operands.slice(2)));
        const answer = await control.PATCH("/_control/v1/records/{collection}/{id}", { params, body });
        return shown(dataAs<"StateRecord">(answer));
      },
    ),
    action(
      "add COLLECTION FIELD=VALUE…",
      {
        help: "add a record. Without an id it gets one; without accountId, the first account",
        example: "add contacts number=+15550200009",
      },
      async ({ control, operands: [name = "", ...fields] }) => {
        const collection = readCollection(name);
        const accounts = hasAccount(collection) ? await readRecords(control, "accounts") : [];
        const body = {
          ...(hasOwnId(collection) && { id: crypto.randomUUID() }),
          ...(hasAccount(collection) && { accountId: String(accounts[0]?.id) }),
          ...changesOf({}, readFields(fields)),
        };
        const params = { path: { collection } };
        const answer = await control.POST("/_control/v1/records/{collection}", { params, body });
        return shown(dataAs<"StateRecord">(answer));
      },
    ),
    action(
      "delete COLLECTION RECORD",
      { help: "delete a record that nothing refers to", example: "delete contacts +15550200009" },
      async (context) => {
        const { params } = await find(context);
        dataOf(await context.control.DELETE("/_control/v1/records/{collection}/{id}", { params }));
        const { collection, id } = params.path;
        return { data: params.path, text: `Deleted ${id} from ${collection}.` };
      },
    ),
    action(
      "seed FILE",
      { help: "add the records of a seed file, all or none", example: "seed more.json" },
      async ({ control, operands: [file = ""] }) => {
        const { $schema: _, ...body } = readJson("records seed", file) as Schema<"Seed">;
        const { error } = await control.POST("/_control/v1/seed", { body });
        if (error !== undefined) throw new UsageError(`records seed ${file}: ${messageOf(error)}`);
        return { data: { file }, text: `Added the records of ${file}` };
      },
    ),
  ],
};

/** Where the record is that the first two operands name. */
async function find({ control, operands: [name = "", text = ""] }: Pick<Context, "control" | "operands">) {
  const collection = readCollection(name);
  const kind = collection === "apiKeys" ? "API key" : collection.replace(/s$/, "");
  const { id } = findNamed(text, await readNames(control, collection), kind);
  return { params: { path: { collection, id } } };
}

async function readRecord(control: ControlClient, path: { readonly collection: CollectionName; readonly id: string }) {
  const [record] = await readRecords(control, path.collection, path.id);
  if (record === undefined) throw new Error(`The record ${path.id} of ${path.collection} was deleted meanwhile.`);
  return record;
}

function shown(data: Schema<"StateRecord">) {
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
  const [data, names, nameOf, now] = await Promise.all([
    readRecords(control, collection),
    readNames(control, collection),
    readNameOf(control),
    readNow(control),
  ]);
  const rows = data.map((record, index) => ({
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
  return { data, text: rows.length === 0 ? `There are no ${collection}.` : text };
}

function readCollection(name: string): CollectionName {
  const collection = collectionNames.find((one) => one.toLowerCase() === name.toLowerCase());
  if (collection === undefined) throw unknownWord("collection", name, collectionNames);
  return collection;
}

/** A field to change: the names and indexes that lead to it, and the new value; null removes it. */
interface FieldChange {
  readonly path: readonly string[];
  readonly text: string;
}

/** Parses fields of the form `name=value`, such as `availability.status=away`. Throws UsageError that names the wrong one. */
export function readFields(settings: readonly string[]): readonly FieldChange[] {
  return settings.map((setting) => {
    const [, path, text] = /^([\w.]+)=(.*)$/s.exec(setting) ?? [];
    if (path === undefined || text === undefined)
      throw new UsageError(`${setting}: must be FIELD=VALUE, such as name=Reception or availability.status=away.`);
    return { path: path.split("."), text };
  });
}

/** The top-level fields of a record after changes. A field that is a text stays one; other values are JSON, or else text. */
export function changesOf(record: object, changes: readonly FieldChange[]): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const { path, text } of changes) {
    const [top = "", ...inner] = path;
    const before = Object.hasOwn(changed, top) ? changed[top] : Reflect.get(record, top);
    changed[top] = withValue(before, inner, text);
  }
  return changed;
}

function withValue(before: unknown, [name, ...inner]: readonly string[], text: string): unknown {
  if (name === undefined) return parsedValue(text, typeof before === "string");
  if (Array.isArray(before)) {
    const index = Number(name);
    if (!(index >= 0 && index < before.length))
      throw new UsageError(
        `${name}: must be an index from 0 to ${before.length - 1}. To add to a list, set all of it as JSON.`,
      );
    return before.with(index, withValue(before[index], inner, text));
  }
  const fields = typeof before === "object" && before !== null ? before : {};
  const value = withValue(Reflect.get(fields, name), inner, text);
  const { [name]: _, ...others } = fields as Record<string, unknown>;
  return value === null ? others : { ...others, [name]: value };
}

function parsedValue(text: string, isText: boolean): unknown {
  if (text === "") return null;
  return isText ? text : jsonOrText(text);
}
