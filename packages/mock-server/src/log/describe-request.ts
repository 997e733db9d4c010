import type { BackendEvent } from "@call-transfer/backend";
import type { Colour } from "./colour.ts";
import { type Columns, type Part, shortIds, statusColour } from "./columns.ts";

/** Describes a request: its status, duration, path and operation, and for a failure why it failed and what to change. */
export function describeRequest(event: BackendEvent): Columns {
  const { method, path, operationId, code, fault, durationMs } = event;
  const status = Number(event.status);
  const colour = statusColour(status);
  const parts: Part[] = [
    { text: shortIds(String(path)), isPath: true },
    ...texts(operationId, "dim", true),
    ...texts(code, colour),
    ...texts(fault, "magenta"),
    ...texts(advice(event), "yellow"),
    ...texts(deviationsIn(event), "yellow"),
    ...texts(reason(event, status), undefined, true),
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

function texts(value: unknown, colour: Colour | undefined, isOptional = false): Part[] {
  return typeof value === "string" && value !== "" ? [{ text: value, colour, isOptional }] : [];
}

/** What to change: the option that would accept a refused request, or the operation that was probably meant. */
function advice({ decidedBy, closest }: BackendEvent): string | undefined {
  const { step, detail } = Object(decidedBy) as { step?: unknown; detail?: unknown };
  if (step === "gate" || step === "proxy") return typeof detail === "string" ? detail : undefined;
  const [first] = Array.isArray(closest) ? closest : [];
  const { method, path } = Object(first) as { method?: unknown; path?: unknown };
  return typeof path === "string" ? `Did you mean ${method} ${path}?` : undefined;
}

/** Why a request failed: what a handler threw, or the rule that decided. */
function reason({ error, decidedBy, closest }: BackendEvent, status: number): string | undefined {
  if (typeof error === "string") return error.split("\n", 1)[0];
  const { step, detail } = Object(decidedBy) as { step?: unknown; detail?: unknown };
  const isShown = status < 400 || step === "gate" || step === "proxy" || Array.isArray(closest);
  return isShown || typeof detail !== "string" ? undefined : detail;
}

/** The first place where a forwarded request or its response deviates from the contract, and how many more there are. */
function deviationsIn({ deviations }: BackendEvent): string | undefined {
  const [first, ...others] = Array.isArray(deviations) ? deviations : [];
  if (first === undefined) return undefined;
  const { side, where, message, section } = Object(first) as Readonly<Record<string, unknown>>;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return `${side} ${where}: ${message}${section === undefined ? "" : ` (${section})`}${more}`;
}
