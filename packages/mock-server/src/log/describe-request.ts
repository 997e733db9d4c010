import type { BackendEvent } from "@call-transfer/backend";
import { type Columns, type Part, shortIds, statusColour } from "./columns.ts";

/** Describes a request: its status, duration, error code and path, for a failure why it failed and what to change, then the operation. */
export function describeRequest(event: BackendEvent): Columns {
  const { method, path, operationId, code, fault, stub, durationMs } = event;
  const status = Number(event.status);
  const colour = statusColour(status);
  const [fix, why] = [advice(event), reason(event, status)];
  const parts: Part[] = [
    ...texts(code, { colour, isWhole: true }),
    { text: shortIds(String(path)), isPath: true },
    ...texts(fix, { colour: "yellow", isReason: true }),
    ...texts(why, { isReason: true }),
    ...texts(fault, { colour: "magenta", isReason: true }),
    ...texts(stub, { colour: "cyan", isReason: true }),
    ...texts(operationId, { colour: "dim", isOptional: true }),
  ];
  return {
    label: String(method),
    labelColour: "bold",
    // 0 stands for a response that a fault held back.
    state: status === 0 ? "---" : String(status),
    stateColour: colour,
    durationMs: typeof durationMs === "number" ? durationMs : undefined,
    parts,
  };
}

function texts(value: unknown, how: Omit<Part, "text">): Part[] {
  return typeof value === "string" && value !== "" ? [{ text: value, ...how }] : [];
}

/** What to change: the option that would accept a refused request, or the operation that was probably meant. */
function advice({ decidedBy, closest }: BackendEvent): string | undefined {
  const { step, detail } = Object(decidedBy) as { step?: unknown; detail?: unknown };
  if (step === "gate" || step === "elsewhere") return typeof detail === "string" ? detail : undefined;
  const [first] = Array.isArray(closest) ? closest : [];
  const { method, path } = Object(first) as { method?: unknown; path?: unknown };
  return typeof path === "string" ? `Did you mean ${method} ${path}?` : undefined;
}

/** Why a request failed: what a handler threw, or the rule that decided, unless the line says it otherwise. */
function reason({ error, decidedBy, closest }: BackendEvent, status: number): string | undefined {
  if (typeof error === "string") return error.split("\n", 1)[0];
  const { step, detail } = Object(decidedBy) as { step?: unknown; detail?: unknown };
  // Otherwise the line names the fault, or what to change.
  const isElsewhere = ["fault", "gate", "elsewhere"].includes(String(step));
  const isShown = status < 400 || isElsewhere || Array.isArray(closest);
  return isShown || typeof detail !== "string" ? undefined : detail;
}
