import type { WorldState } from "../../model/state.ts";
import { type Answer, problem } from "../../utils/problem.ts";

type Records = WorldState["stubRecords"];

/** Stores the fields of a body in a collection by the method of a request, or reads and removes a record. */
export function useCollection(
  [collection, records]: readonly [name: string, records: Records],
  { method, id, fields }: { readonly method: string; readonly id: string; readonly fields: object },
): Answer {
  const key = `${collection} ${id}`;
  const found = records.get(key);
  const store = (status: number, before: object): Answer => {
    // The id comes first, and is not that of the body.
    const body = { ...{ id, ...before, ...fields }, id };
    records.set(key, { id, collection, fields: body });
    return { status, body };
  };
  if (method === "POST") return store(201, {});
  if (found === undefined)
    return problem("resource_not_found", { detail: `There is no record ${id} in the collection ${collection}.` });
  if (method === "PUT") return store(200, {});
  if (method === "PATCH") return store(200, found.fields);
  if (method === "GET") return { status: 200, body: found.fields };
  records.delete(key);
  return { status: 204 };
}

/** Lists a page in the shape of the API's own lists: the newest first, with their total number (§4.6). */
export function listCollection(collection: string, page: { limit: number; offset: number }, records: Records): Answer {
  const all = [...records.values()].filter((one) => one.collection === collection).reverse();
  const shown = all.slice(page.offset, page.offset + page.limit).map(({ fields }) => fields);
  return { status: 200, body: { [collection]: shown, meta: { total: all.length } } };
}
