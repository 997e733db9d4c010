import type * as z from "zod";
import type { zCollection } from "../generated/schemas.gen.ts";
import type { ControlHandlers } from "./exchange.ts";
import { controlError } from "./reply.ts";

export const stateHandlers = {
  listRecords: ({ backend, params }) => ({ records: backend.collections.list(nameOf(params)) }),
  createRecord: ({ backend, params, body }) => backend.collections.create(nameOf(params), body),
  getRecord: ({ backend, params }) => backend.collections.get(nameOf(params), params.id) ?? notFound(params),
  updateRecord: ({ backend, params, body }) =>
    backend.collections.update(nameOf(params), params.id, body) ?? notFound(params),
  deleteRecord: ({ backend, params }) =>
    backend.collections.delete(nameOf(params), params.id) ? undefined : notFound(params),
} satisfies Partial<ControlHandlers>;

/** Narrows the name, which the path schema has validated. */
function nameOf({ collection }: { readonly collection: string }): z.output<typeof zCollection> {
  return collection as z.output<typeof zCollection>;
}

function notFound({ collection, id }: { readonly collection: string; readonly id: string }): Response {
  return controlError("not_found", `There is no record ${id} in ${collection}.`, "id");
}
