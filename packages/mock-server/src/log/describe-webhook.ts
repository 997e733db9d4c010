import type { BackendEvent } from "@call-transfer/backend";
import { type Columns, type NameOf, named, type Part } from "./columns.ts";

/** Describes a delivery: the receiver and its answer, and a signature that is not of the current secret alone. */
export function describeWebhook(event: BackendEvent, nameOf: NameOf): Columns {
  const { destinationId = "", url, status, accepted, error, responseText, durationMs, fault } = event;
  const stateColour = accepted === true ? "green" : "red";
  const detail = error ?? responseText;
  const answer = accepted === true ? "accepted" : `not accepted${typeof detail === "string" ? `: ${detail}` : ""}`;
  const parts: Part[] = [
    { text: named(String(destinationId), nameOf) },
    { text: hostOf(url), colour: "dim", isOptional: true },
    { text: answer, colour: stateColour, isReason: typeof detail === "string" },
    ...(typeof fault === "string" ? [{ text: fault, colour: "magenta" as const }] : []),
    { text: signatureOf(event), colour: "yellow" },
  ];
  return {
    label: "delivery",
    labelColour: "magenta",
    state: typeof status === "number" ? String(status) : "---",
    stateColour,
    durationMs: typeof durationMs === "number" ? durationMs : undefined,
    parts,
  };
}

function hostOf(url: unknown): string {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).host : "";
}

/** Says how many signatures there are, or which secret made the only one, unless it is the current one. */
function signatureOf({ signature }: BackendEvent): string {
  const { secrets } = Object(signature) as { secrets?: unknown };
  const [first, ...others]: readonly unknown[] = Array.isArray(secrets) ? secrets : [];
  if (others.length > 0) return others.length === 1 ? "two signatures" : `${others.length + 1} signatures`;
  if (first === undefined) return "unsigned";
  return first === "current" ? "" : `signed with ${first === "previous" ? "the previous" : "another"} secret`;
}
