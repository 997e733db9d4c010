import type { Fault } from "../../faults/fault.ts";
import { assertFault } from "../../faults/fault-check.ts";
import { formatFault } from "../../faults/format-fault.ts";
import { parseFault } from "../../faults/parse-fault.ts";
import { zFaultText } from "../../generated/schemas.gen.ts";
import { checkInput, under } from "../../utils/input-error.ts";
import { redacted } from "../../utils/redact.ts";
import type { BackendControls } from "../parts/controls.ts";
import type { ControlHandlers } from "../parts/exchange.ts";
import { controlError } from "../parts/reply.ts";

export const faultHandlers = {
  listFaults: ({ backend, query }) =>
    query?.redact
      ? Response.json({ faults: backend.faults.list().map((fault) => redacted({ ...fault })) })
      : { faults: backend.faults.list() },
  // `add` validates it.
  addFault({ backend, body }) {
    if (!("text" in Object(body))) return { id: backend.faults.add(body as Fault) };
    const { text } = checkInput(zFaultText(), body);
    return { id: under("text", () => backend.faults.add(text)) };
  },
  checkFault({ backend, body }) {
    const fault = checkedFault(body, backend);
    const text = formatFault(fault, backend.operations);
    return { fault, ...(text !== undefined && { text }) };
  },
  clearFaults: ({ backend }) => backend.faults.clear(),
  removeFault: ({ backend, params }) =>
    backend.faults.remove(params.id) ? undefined : controlError("not_found", `There is no fault ${params.id}.`, "id"),
} satisfies Partial<ControlHandlers>;

function checkedFault(body: unknown, { operations }: BackendControls): Fault {
  if ("text" in Object(body)) {
    const { text } = checkInput(zFaultText(), body);
    return under("text", () => parseFault(text, operations));
  }
  assertFault(body, operations);
  return body;
}
