import type { Fault } from "../faults/faults.ts";
import type { ControlHandlers } from "./control.ts";
import { controlFailure } from "./reply.ts";

export const faultHandlers = {
  listFaults: ({ backend }) => ({ faults: backend.faults.list() }),
  // Adding checks the rest of the fault, so that its type holds from there on.
  addFault: ({ backend, body }) => ({ id: backend.faults.add(body as Fault) }),
  clearFaults: ({ backend }) => backend.faults.clear(),
  removeFault: ({ backend, params }) =>
    backend.faults.remove(params.id)
      ? undefined
      : controlFailure("not_found", `No fault has the id ${params.id}.`, "id"),
} satisfies Partial<ControlHandlers>;
