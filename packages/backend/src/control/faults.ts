import type { Fault } from "../faults/fault.ts";
import type { ControlHandlers } from "./exchange.ts";
import { controlError } from "./reply.ts";

export const faultHandlers = {
  listFaults: ({ backend }) => ({ faults: backend.faults.list() }),
  // `add` validates it.
  addFault: ({ backend, body }) => ({ id: backend.faults.add(body as Fault) }),
  clearFaults: ({ backend }) => backend.faults.clear(),
  removeFault: ({ backend, params }) =>
    backend.faults.remove(params.id) ? undefined : controlError("not_found", `There is no fault ${params.id}.`, "id"),
} satisfies Partial<ControlHandlers>;
