import type { BackendEvent } from "@call-transfer/backend";
import { type Columns, type NameOf, named, type Part } from "./columns.ts";

/** Describes a delivery: the receiver and its answer, and what the signature is made of. */
export function describeWebhook(event: BackendEvent, nameOf: NameOf): Columns {
  const { destinationId = "", url, status, accepted, error, durationMs, fault } = event;
  const stateColour = accepted === true ? "green" : "red";
  const answer = accepted === true ? "accepted" : `not accepted${typeof error === "string" ? `: ${error}` : ""}`;
  const parts: Part[] = [
    { text: named(String(destinationId), nameOf) },
    { text: hostOf(url), colour: "dim", isOptional: true },
    { text: answer, colour: stateColour, isReason: typeof error === "string" },
    ...(typeof fault === "string" ? [{ text: fault, colour: "magenta" as const }] : []),
    { text: signatureOf(event), colour: "dim", isOptional: true },
  ];
  return {
    label: "webhook",
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

/** The parts of the signature in the form of the header, with the name of a secret in place of each hash. */
function signatureOf({ signature }: BackendEvent): string {
  const { t, secrets } = Object(signature) as { t?: unknown; secrets?: unknown };
  if (t === undefined) return signature === undefined ? "" : "unsigned";
  return [`t=${t}`, ...(Array.isArray(secrets) ? secrets : []).map((secret) => `v1=<${secret}>`)].join(",");
}
