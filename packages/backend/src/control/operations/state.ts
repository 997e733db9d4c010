import type * as z from "zod";
import type { SeedRecord } from "../../contents/collections.ts";
import type { zCollection } from "../../generated/schemas.gen.ts";
import type { ControlHandlers } from "../parts/exchange.ts";
import { type RedactQuery, redactedRecord, refuseRedacted } from "../parts/redacted.ts";
import { controlError } from "../parts/reply.ts";

export const stateHandlers = {
  listRecords: ({ backend, params, query }) => ({
    records: backend.collections.list(nameOf(params)).map((record) => redactedRecord(query, nameOf(params), record)),
  }),
  createRecord({ backend, params, query, body }) {
    refuseRedacted(body);
    return redactedRecord(query, nameOf(params), backend.collections.create(nameOf(params), body));
  },
  getRecord: ({ backend, params, query }) => shown(query, params, backend.collections.get(nameOf(params), params.id)),
  updateRecord({ backend, params, query, body }) {
    refuseRedacted(body);
    return shown(query, params, backend.collections.update(nameOf(params), params.id, body));
  },
  deleteRecord: ({ backend, params }) =>
    backend.collections.delete(nameOf(params), params.id) ? undefined : notFound(params),
} satisfies Partial<ControlHandlers>;

interface Params {
  readonly collection: string;
  readonly id: string;
}

function shown(query: RedactQuery, params: Params, record: SeedRecord | undefined): SeedRecord | Response {
  return record === undefined ? notFound(params) : redactedRecord(query, nameOf(params), record);
}

/** Narrows the name, which the path schema has validated. */
function nameOf({ collection }: Pick<Params, "collection">): z.output<ReturnType<typeof zCollection>> {
  return collection as z.output<ReturnType<typeof zCollection>>;
}

function notFound({ collection, id }: Params): Response {
  return controlError("not_found", `There is no record ${id} in ${collection}.`, "id");
}
