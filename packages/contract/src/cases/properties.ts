import { type OperationId, operations } from "@call-transfer/spec";
import {
  operationIds,
  pagedItems,
  parametersOf,
  resolve,
  type Schema,
  shownBy,
  successSchemas,
} from "../document/document.ts";
import { absent, type Field, fieldName, fieldPath, fieldsOf, probesOf, rulesOf } from "../document/fields.ts";
import { valueAt } from "../document/json.ts";
import { accounts, uuid } from "../fixtures/names.ts";
import type { Seed } from "../fixtures/seed.ts";
import { world } from "../fixtures/world.ts";
import { type ContractCase, casesFor } from "../suite/case.ts";
import { connect, invoke, validInput } from "../suite/client.ts";
import { exampleValue, inputWith, itemsFrom } from "../suite/field-values.ts";
import type { Target } from "../suite/target.ts";

const test = casesFor("properties", ["state", "clock"]);
const reads = operationIds.filter((id) => operations[id].method === "GET");

/** The schema of a field in a response; undefined without one. */
const schemaAt = (schema: Schema, steps: Field["steps"]): Schema | undefined =>
  steps.reduce<Schema | undefined>((found, step) => {
    const next = typeof step === "number" ? found?.items : found?.properties?.[step];
    return next && resolve<Schema>(next);
  }, schema);

/** The fields of a request that its response shows under the same name. */
const mirroredFields = (operation: OperationId): Field[] =>
  fieldsOf(operation).filter(
    ({ where, steps }) =>
      where === "body" && steps.length > 0 && successSchemas(operation).some((schema) => schemaAt(schema, steps)),
  );

/** Valid values of a field by their description, other than its default. */
function valuesOf(field: Field): Map<string, unknown> {
  const base = exampleValue(validInput(field.operation), field);
  const probes = rulesOf(field)
    .filter(({ keyword }) => keyword !== "extra")
    .flatMap((rule) => probesOf(rule, base, itemsFrom(base)))
    .filter(({ code, value }) => code === undefined && value !== absent && value !== null);
  const values = new Map<string, { what: string; value: unknown }>();
  for (const { what, value } of probes)
    if (value !== field.schema.default && !values.has(JSON.stringify(value)))
      values.set(JSON.stringify(value), { what, value });
  return new Map([...values.values()].map(({ what, value }) => [what, value]));
}

const mirrorCases = operationIds.flatMap((operation) =>
  mirroredFields(operation).flatMap((field) =>
    [...valuesOf(field)].map(([what, value]) =>
      test(`${operation} returns ${fieldName(field)} as given: ${what}`, async (target, check) => {
        const answer = await invoke(await connect(target), operation, inputWith(validInput(operation), field, value));
        check.equal(valueAt(answer, field.steps), value, fieldPath(field));
      }),
    ),
  ),
);

const withoutParameter = (path: string): string => path.replaceAll(/\{[^}]+\}/g, "{}");

/** The operations that read what another operation wrote: those of its path, of an item below it, or of the item it acts on. */
function readsAfter(operation: OperationId): OperationId[] {
  const path = withoutParameter(operations[operation].path);
  const places = new Set([path, `${path}/{}`, path.replace(/(?<=\{\})\/[^/{}]+$/, "")]);
  return operations[operation].method === "GET"
    ? []
    : reads.filter((read) => places.has(withoutParameter(operations[read].path)));
}

type Fields = Readonly<Record<string, unknown>>;

/** The id in a response: its `id`, or the only field with the name of one. */
function idIn(answer: Fields): string {
  const names = Object.keys(answer).filter((name) => name === "id" || name.endsWith("Id"));
  return String(answer.id ?? answer[names[0] ?? ""]);
}

/** What a read shows of the record with an id. */
async function recordIn(target: Target, read: OperationId, id: string): Promise<Fields | undefined> {
  const client = await connect(target);
  const items = pagedItems(read);
  const path = Object.fromEntries(operations[read].pathParameters.map((name) => [name, id]));
  const shown = (await invoke(client, read, { ...validInput(read), path })) as Fields;
  return items === undefined ? shown : (shown[items] as Fields[]).find((item) => item.id === id);
}

const readBackCases = operationIds.flatMap((operation) =>
  readsAfter(operation).map((read) =>
    test(`${read} shows what ${operation} returned`, async (target, check) => {
      const answer = (await invoke(await connect(target), operation, validInput(operation))) as Fields;
      const id = idIn(answer);
      const record = await recordIn(target, read, id);
      check.equal(record?.id, id, "the record's id");
      for (const [name, value] of Object.entries(record ?? {}))
        if (name in answer && !shownBy.has(name)) check.equal(value, answer[name], name);
    }),
  ),
);

/** Copies of a record of the home account, all from one millisecond. */
function copies(collection: string, count: number): Seed {
  const records = (Reflect.get(world, collection) ?? []) as { id: string; accountId: string }[];
  const record = records.find(({ accountId }) => accountId === accounts.home);
  if (record === undefined) throw new Error(`Add a record of the home account to ${collection} in the world.`);
  return { [collection]: Array.from({ length: count }, (_, index) => ({ ...record, id: uuid(5000 + index) })) };
}

/** Every item of a list, read in pages of one size; also checks the size of each page. */
async function inPages(target: Target, operation: OperationId, limit: number) {
  const client = await connect(target);
  const ids: string[] = [];
  const totals = new Set<number>();
  const sizes: number[] = [];
  for (let size = limit; size === limit; ) {
    const page: unknown = await invoke(client, operation, {
      ...validInput(operation),
      query: { limit, offset: ids.length },
    });
    const items = valueAt(page, [pagedItems(operation) ?? ""]) as { id: string }[];
    ids.push(...items.map(({ id }) => id));
    totals.add(Number(valueAt(page, ["meta", "total"])));
    size = items.length;
    sizes.push(size);
  }
  return { ids, totals: [...totals], sizes };
}

const pagingCases = operationIds.flatMap((operation) => {
  const items = pagedItems(operation);
  if (items === undefined) return [];
  const limit = resolve<Schema>(parametersOf(operation).find(({ name }) => name === "limit")?.schema ?? {});
  const { maximum = 100 } = limit;
  const count = maximum + 20;
  return test(`${operation} is complete and in one order, whatever the size of its pages`, async (target, check) => {
    await target.seed(copies(items, count));
    const whole = await inPages(target, operation, maximum);
    check.equal(whole.sizes[0], maximum, "items on a page of the largest size");
    check.equal(new Set(whole.ids).size, whole.ids.length, "distinct items");
    const seeded = whole.ids.filter((id) => id >= uuid(5000) && id < uuid(5000 + count));
    check.equal(seeded.length, count, "items of one millisecond");
    check.equal(whole.totals, [whole.ids.length], "totals of the pages");
    for (const size of [1, 7, 50].filter((one) => one < maximum)) {
      const { ids, totals } = await inPages(target, operation, size);
      check.equal(ids, whole.ids, `items in pages of ${size}`);
      check.equal(totals, whole.totals, `totals in pages of ${size}`);
    }
  });
});

/** The body that each read returns, in the initial state and at one time. */
async function everything(target: Target): Promise<unknown[]> {
  const client = await connect(target);
  const shown = [];
  for (const read of reads) shown.push(await invoke(client, read, validInput(read)));
  return shown;
}

const readCases = reads.map((operation) =>
  test(`${operation} returns the same twice and changes nothing that another read shows`, async (target, check) => {
    const before = await everything(target);
    const client = await connect(target);
    const first = await invoke(client, operation, validInput(operation));
    check.equal(await invoke(client, operation, validInput(operation)), first, "the second answer");
    check.equal(await everything(target), before, "what the reads show afterwards");
  }),
);

/** Properties that the contract states for many operations; the cases follow from the operations table and the schemas. */
export const propertyCases: readonly ContractCase[] = [...mirrorCases, ...readBackCases, ...pagingCases, ...readCases];
