import { type Answer, problem } from "../model/errors/problem.ts";
import { type StubRecord, stubRecordKey, type WorldState } from "../model/state.ts";

/** What a request asks of a collection. */
export interface CollectionRequest {
  readonly method: string;
  /** The last parameter of the path; undefined for the collection itself. */
  readonly id: string | undefined;
  /** The fields of the body, for the methods that have one. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly page: { readonly limit: number; readonly offset: number };
  readonly newId: () => string;
}

/** Stores in a collection, or reads from it. */
export function useCollection(
  collection: string,
  { method, id, fields, page, newId }: CollectionRequest,
  records: WorldState["stubRecords"],
): Answer {
  const store = (recordId: string, value: Readonly<Record<string, unknown>>, status: number): Answer => {
    // First, and not that of the body.
    const stored = { ...{ id: recordId, ...value }, id: recordId };
    records.set(stubRecordKey({ collection, id: recordId }), { id: recordId, collection, fields: stored });
    return { status, body: stored };
  };
  if (id === undefined) return method === "POST" ? store(newId(), fields, 201) : listed(collection, page, records);
  const key = stubRecordKey({ collection, id });
  const found = records.get(key);
  if (found === undefined)
    return problem("resource_not_found", { detail: `There is no record ${id} in the collection ${collection}.` });
  if (method === "PUT") return store(id, fields, 200);
  if (method === "PATCH") return store(id, { ...found.fields, ...fields }, 200);
  if (method === "GET") return { status: 200, body: found.fields };
  records.delete(key);
  return { status: 204 };
}

/** A page in the shape of the API's own lists: the newest first, with their total number (§4.6). */
function listed(
  collection: string,
  { limit, offset }: CollectionRequest["page"],
  records: WorldState["stubRecords"],
): Answer {
  const all: StubRecord[] = [...records.values()].filter((one) => one.collection === collection).reverse();
  const page = all.slice(offset, offset + limit).map(({ fields }) => fields);
  return { status: 200, body: { [collection]: page, meta: { total: all.length } } };
}
