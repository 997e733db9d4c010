import type { Fault } from "../faults/fault.ts";
import { zFaultText } from "../generated/schemas.gen.ts";
import { checkInput, under } from "../model/input-error.ts";
import type { ControlHandlers } from "./exchange.ts";
import { controlError } from "./reply.ts";

export const faultHandlers = {
  listFaults: ({ backend }) => ({ faults: backend.faults.list() }),
  // `add` validates it.
  addFault: ({ backend, body }) =>
    "text" in Object(body)
      ? { id: under("text", () => backend.faults.add(textOf(body))) }
      : { id: backend.faults.add(body as Fault) },
  clearFaults: ({ backend }) => backend.faults.clear(),
  removeFault: ({ backend, params }) =>
    backend.faults.remove(params.id) ? undefined : controlError("not_found", `There is no fault ${params.id}.`, "id"),
} satisfies Partial<ControlHandlers>;

/** The text of a fault that is written as one. Throws InputError if there is anything else beside it. */
function textOf(body: unknown): string {
  return checkInput(zFaultText, body).text;
}
