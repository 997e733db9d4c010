import type { z } from "zod";
import type { ControlHandlers } from "./control.ts";
import type { zCollection } from "./generated/schemas.gen.ts";
import { controlFailure } from "./reply.ts";

export const stateHandlers = {
  listRecords: ({ backend, params }) => ({ records: backend.collections.list(nameOf(params)) }),
  createRecord: ({ backend, params, body }) => backend.collections.create(nameOf(params), body),
  getRecord: ({ backend, params }) => backend.collections.get(nameOf(params), params.id) ?? unknown(params),
  updateRecord: ({ backend, params, body }) =>
    backend.collections.update(nameOf(params), params.id, body) ?? unknown(params),
  deleteRecord: ({ backend, params }) =>
    backend.collections.delete(nameOf(params), params.id) ? undefined : unknown(params),
} satisfies Partial<ControlHandlers>;

/** The path's schema has checked the name already. */
function nameOf({ collection }: { readonly collection: string }): z.output<typeof zCollection> {
  return collection as z.output<typeof zCollection>;
}

function unknown({ collection, id }: { readonly collection: string; readonly id: string }): Response {
  return controlFailure("not_found", `${collection} has no record ${id}.`, "id");
}
