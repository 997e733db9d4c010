import { type Answer, problem } from "../../model/errors/problem.ts";
import type { WorldState } from "../../model/state.ts";

/** What a request asks of a collection. */
export interface CollectionRequest {
  readonly method: string;
  /** The last parameter of the path; undefined for the collection itself. */
  readonly id: string | undefined;
  /** The fields of the body, for the methods that have one. */
  readonly fields: object;
  readonly newId: () => string;
}

type Records = WorldState["stubRecords"];

/** Stores in a collection, or reads and removes a record. */
export function useCollection(
  collection: string,
  { method, id, fields, newId }: CollectionRequest,
  records: Records,
): Answer {
  if (id === undefined) return store(records, collection, newId(), fields, 201);
  const key = `${collection} ${id}`;
  const found = records.get(key);
  if (found === undefined)
    return problem("resource_not_found", { detail: `There is no record ${id} in the collection ${collection}.` });
  if (method === "PUT") return store(records, collection, id, fields, 200);
  if (method === "PATCH") return store(records, collection, id, { ...found.fields, ...fields }, 200);
  if (method === "GET") return { status: 200, body: found.fields };
  records.delete(key);
  return { status: 204 };
}

function store(records: Records, collection: string, id: string, fields: object, status: number): Answer {
  // It comes first, and is not that of the body.
  const body = { ...{ id, ...fields }, id };
  records.set(`${collection} ${id}`, { id, collection, fields: body });
  return { status, body };
}

/** Lists a page in the shape of the API's own lists: the newest first, with their total number (§4.6). */
export function listCollection(collection: string, page: { limit: number; offset: number }, records: Records): Answer {
  const all = [...records.values()].filter((one) => one.collection === collection).reverse();
  const shown = all.slice(page.offset, page.offset + page.limit).map(({ fields }) => fields);
  return { status: 200, body: { [collection]: shown, meta: { total: all.length } } };
}
