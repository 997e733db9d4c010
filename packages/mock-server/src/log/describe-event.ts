import type { BackendEvent } from "@call-transfer/backend";
import { formatDuration } from "@call-transfer/backend/control-client";
import { type Colour, type Columns, type NameOf, named, type Part, shortIds, statusColour } from "./text.ts";

/** Describes an event; undefined for an event that another line already shows. */
export function describeEvent(event: BackendEvent, nameOf: NameOf): Columns | undefined {
  const describe = described.get(event.type);
  return describe === undefined ? describeOther(event, nameOf) : describe(event, nameOf);
}

type Describe = (event: BackendEvent, nameOf: NameOf) => Columns | undefined;

const hidden: Describe = () => undefined;

const described: ReadonlyMap<string, Describe> = new Map([
  ["request.completed", describeRequest],
  ["request.rejected", describeRequest],
  ["delivery.completed", describeWebhook],
  // The answer follows on a line of its own.
  ["delivery.started", hidden],
  ["inbox.received", hidden],
  [
    "fault.added",
    ({ id = "", text, do: action, match, webhooks }) =>
      describeFault(id, "added", cut(typeof text === "string" ? text : actionText(action, match ?? webhooks))),
  ],
  [
    "fault.removed",
    ({ id = "", hits, isUsedUp }) => describeFault(id, isUsedUp ? "used up" : "removed", hitsText(hits)),
  ],
  // The request or the delivery names the fault that it matched.
  ["fault.hit", hidden],
  // Timers are shown when they fire.
  ["timer.set", hidden],
  ["timer.cancelled", hidden],
  ["timer.fired", describeTimer],
  ["clock.changed", describeClock],
  ["transfer.ring_started", (event, nameOf) => describeRing(event, nameOf, "ringing", "yellow")],
  ["transfer.skipped", (event, nameOf) => describeRing(event, nameOf, "skipped", "yellow")],
  ["transfer.ring_ended", (event, nameOf) => describeRing(event, nameOf, String(event.outcome), ringColour(event))],
  ["transfer.connected", (event, nameOf) => describeRing(event, nameOf, "connected", "green")],
  ["transfer.answered_late", (event, nameOf) => describeRing(event, nameOf, "too late", "red")],
  ["member.availability_changed", (event, nameOf) => describeAvailability(event, nameOf)],
  ["availability.ended", (event, nameOf) => describeAvailability({ ...event, status: "available" }, nameOf)],
  [
    "record.changed",
    ({ id = "", collection, change }, nameOf) => ({
      ...{ label: "record", labelColour: "cyan", state: String(change) },
      parts: [{ text: named(id, nameOf) }, { text: String(collection), colour: "dim" }],
    }),
  ],
  ["log.dropped", ({ count }) => notice(`${count} lines left out: the output is read too slowly`)],
  ["stream.gap", () => notice("Events are missing: they were not read in time")],
]);

function notice(text: string): Columns {
  return { label: "log", labelColour: "red", state: "", parts: [{ text, colour: "red" }] };
}

function ringColour({ outcome }: BackendEvent): Colour {
  if (outcome === "answered") return "green";
  return outcome === "taken" ? "dim" : "yellow";
}

function describeRing(event: BackendEvent, nameOf: NameOf, state: string, stateColour: Colour): Columns {
  const { id = "", destinationId, memberId, code, reason, takenBy } = event;
  const callee = [destinationId, memberId].filter((one) => typeof one === "string").map((one) => named(one, nameOf));
  return {
    label: "transfer",
    labelColour: "blue",
    state,
    stateColour,
    parts: [
      { text: callee.join(", ") },
      ...(typeof code === "string" ? [{ text: code, colour: "red" as const }] : []),
      ...(typeof reason === "string" ? [{ text: reason, colour: stateColour }] : []),
      ...(typeof takenBy === "string" ? [{ text: `${named(takenBy, nameOf)} answered first` }] : []),
      { text: shortIds(id), colour: "dim" },
    ],
  };
}

function describeFault(id: string, state: string, detail: string): Columns {
  const parts: Part[] = [{ text: id }, ...(detail === "" ? [] : [{ text: detail, colour: "dim" as const }])];
  return { label: "fault", labelColour: "magenta", state, parts };
}

/** The most characters that a line shows of a fault: its body and headers may be long. */
const longestAction = 120;

const cut = (text: string): string => (text.length <= longestAction ? text : `${text.slice(0, longestAction - 1)}…`);

/** What a fault does, and to what, as in its JSON, for a fault that has no text. */
function actionText(action: unknown, match: unknown): string {
  if (action === undefined) return "";
  // With spaces, at which a line can be broken.
  const json = [action, match].flatMap((value) => JSON.stringify(value)?.replace(/,(?=["{[])/g, ", ") ?? []);
  return json.join(" to ");
}

function hitsText(hits: unknown): string {
  return typeof hits === "number" ? `after ${hits} ${hits === 1 ? "hit" : "hits"}` : "";
}

function describeTimer({ kind = "", id = "" }: BackendEvent, nameOf: NameOf): Columns {
  const parts: Part[] = [{ text: String(kind) }, { text: named(id, nameOf), colour: "dim" }];
  return { label: "timer", labelColour: "dim", state: "fired", stateColour: "dim", parts };
}

function describeClock({ at, now, mode, rate, by }: BackendEvent): Columns {
  const step = typeof by === "number" && by !== 0 ? [{ text: `+${formatDuration(by)}`, colour: "cyan" as const }] : [];
  const pace = typeof rate === "number" && rate !== 1 && mode !== "frozen" ? [{ text: `rate ${rate}` }] : [];
  return {
    label: "clock",
    labelColour: "cyan",
    state: step.length > 0 ? "advanced" : String(mode ?? "changed"),
    // The time in front of the line is usually the same.
    parts: [...step, { text: timeInUtc(now) === timeInUtc(at) ? "" : asTime(now, at) }, ...pace],
  };
}

function describeAvailability(event: BackendEvent, nameOf: NameOf): Columns {
  const { id = "", status, reason, source, until } = event;
  const cause = reason ?? source;
  return {
    label: "member",
    labelColour: "blue",
    state: String(status),
    stateColour: status === "available" ? "green" : "yellow",
    parts: [
      { text: named(id, nameOf) },
      ...(cause === undefined ? [] : [{ text: String(cause) }]),
      ...(typeof until === "string" ? [{ text: `until ${asTime(until, event.at)}` }] : []),
    ],
  };
}

const ownFields: ReadonlySet<string> = new Set(["eventId", "at", "type", "id"]);
const labelColours: Readonly<Record<string, Colour>> = { transfer: "blue", call: "blue", fault: "magenta" };

/** Any other event: its noun, its verb, what it is about, and its details. */
function describeOther(event: BackendEvent, nameOf: NameOf): Columns {
  const [label = "", ...verb] = event.type.split(".");
  const details = Object.entries(event)
    .filter(([name, value]) => !ownFields.has(name) && isScalar(value))
    .map(([name, value]) => ({ text: `${name === "name" ? "" : `${name}=`}${shortIds(String(value))}` }));
  return {
    label,
    labelColour: labelColours[label] ?? "cyan",
    state: verb.join(" ").replaceAll("_", " "),
    parts: [...(event.id === undefined ? [] : [{ text: named(event.id, nameOf) }]), ...details],
  };
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A time of the sandbox's clock, with its day if that is not the day of the event. */
function asTime(time: unknown, at: string): string {
  const [day, text] = [timeInUtc(at).split(" ", 1)[0], timeInUtc(time)];
  return text.startsWith(`${day} `) ? text.slice(`${day} `.length) : text;
}

/** A time in UTC to the second. */
function timeInUtc(time: unknown): string {
  const at = new Date(String(typeof time === "number" ? new Date(time).toISOString() : time));
  return Number.isNaN(at.getTime()) ? String(time) : `${at.toISOString().slice(0, 19).replace("T", " ")}Z`;
}

/** Describes a request: its status, duration, error code and path, for a failure why it failed and what to change, then the operation. */
function describeRequest(event: BackendEvent): Columns {
  const { method, path, operationId, code, fault, stub, durationMs } = event;
  const status = Number(event.status);
  const colour = statusColour(status);
  const [fix, why] = [advice(event), reason(event, status)];
  const parts: Part[] = [
    ...texts(code, { colour }),
    { text: shortIds(String(path)) },
    ...texts(fix, { colour: "yellow" }),
    ...texts(why),
    ...texts(fault, { colour: "magenta" }),
    ...texts(stub, { colour: "cyan" }),
    ...texts(operationId, { colour: "dim" }),
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

function texts(value: unknown, how: Omit<Part, "text"> = {}): Part[] {
  return typeof value === "string" && value !== "" ? [{ text: value, ...how }] : [];
}

/** What to change: the option that would accept a refused request, or the operation that was probably meant. */
function advice({ decidedBy, closestOperations }: BackendEvent): string | undefined {
  const { step, detail } = Object(decidedBy) as { step?: unknown; detail?: unknown };
  if (step === "server" || step === "fallback") return typeof detail === "string" ? detail : undefined;
  const [first] = Array.isArray(closestOperations) ? closestOperations : [];
  const { method, path } = Object(first) as { method?: unknown; path?: unknown };
  return typeof path === "string" ? `Did you mean ${method} ${path}?` : undefined;
}

/** Why a request failed: what a handler threw, or the rule that decided, unless the line says it otherwise. */
function reason({ error, decidedBy, closestOperations }: BackendEvent, status: number): string | undefined {
  if (typeof error === "string") return error.split("\n", 1)[0];
  const { step, detail } = Object(decidedBy) as { step?: unknown; detail?: unknown };
  // Otherwise the line names the fault, or what to change.
  const isElsewhere = ["fault", "server", "fallback"].includes(String(step));
  const isShown = status < 400 || isElsewhere || Array.isArray(closestOperations);
  return isShown || typeof detail !== "string" ? undefined : detail;
}

/** Describes a delivery: the receiver and its answer, and a signature that is not of the current secret alone. */
function describeWebhook(event: BackendEvent, nameOf: NameOf): Columns {
  const { destinationId = "", url, status, accepted, error, responseText, durationMs, fault } = event;
  const stateColour = accepted === true ? "green" : "red";
  const detail = error ?? responseText;
  const answer = accepted === true ? "accepted" : `not accepted${typeof detail === "string" ? `: ${detail}` : ""}`;
  const parts: Part[] = [
    { text: named(String(destinationId), nameOf) },
    { text: hostOf(url), colour: "dim" },
    { text: answer, colour: stateColour },
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
