import { errorCodes, type OperationDescription } from "@call-transfer/spec";
import type { FaultMatch, FaultWhen } from "../generated/models.gen.ts";
import { isObject } from "../utils/values.ts";
import type { Fault, FaultStep, WebhookFault } from "./fault.ts";
import { parseFault } from "./parse-fault.ts";

/**
 * Writes a fault as a text that `parseFault` reads as the same fault. Returns undefined for a fault that only JSON can say,
 * such as one with field errors.
 */
export function formatFault(fault: Fault, known: readonly OperationDescription[]): string | undefined {
  const steps: readonly FaultStep[] = Array.isArray(fault.do) ? fault.do : [fault.do as FaultStep];
  const target = fault.webhooks === undefined ? requestWords(fault.match ?? {}) : deliveryWords(fault.webhooks);
  const words = [...target, steps.map(stepText).join(", "), ...whenWords(fault.when ?? {}, isLasting(fault, steps))];
  const text = words.join(" ");
  try {
    return sameText(parseFault(text, known)) === sameText(fault) ? text : undefined;
  } catch {
    return undefined;
  }
}

function requestWords({ operationId, method, path, headers, query, body, sandbox }: FaultMatch): readonly string[] {
  const target = [operationId, method, path === undefined ? undefined : quoted(path)].filter(
    (word) => word !== undefined,
  );
  return [
    ...(target.length === 0 ? ["*"] : target),
    ...pairs("header", headers),
    ...pairs("query", query),
    ...pairs("body", body),
    ...named("sandbox", sandbox),
  ];
}

function deliveryWords({ destinationId, url, transferId, sandbox }: WebhookFault["webhooks"]): readonly string[] {
  return [
    "webhooks",
    ...named("destination", destinationId),
    ...named("url", url),
    ...named("transfer", transferId),
    ...named("sandbox", sandbox),
  ];
}

function named(word: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [word, quoted(value)];
}

function pairs(word: string, values: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => [word, quoted(`${name}=${String(value)}`)]);
}

function quoted(text: string): string {
  return /[\s,]/.test(text) || text === "" ? `"${text}"` : text;
}

/** How often and when a fault applies, without what the text means anyway. */
function whenWords(when: FaultWhen, lasts: boolean): readonly string[] {
  const { nth = 1, times = 1, probability = 1, days, from = "00:00", to = "24:00", timeZone } = when;
  return [
    ...(nth === 1 ? [] : ["nth", String(nth)]),
    ...(probability === 1 ? [] : [`${Number((probability * 100).toPrecision(12))}%`]),
    ...(days === undefined ? [] : ["on", days.join(", ")]),
    ...(when.from === undefined && when.to === undefined ? [] : [`${from}-${to}`]),
    ...(timeZone === undefined ? [] : ["timeZone", timeZone]),
    ...(times === (lasts ? null : 1) ? [] : [times === null ? "always" : times === 1 ? "once" : `${times} times`]),
  ];
}

/** Whether the text of a fault without a number of times means one without a limit. */
function isLasting({ when = {} }: Fault, steps: readonly FaultStep[]): boolean {
  const [first] = steps;
  const isLatency = steps.length === 1 && typeof first === "object" && "latencyMs" in first;
  const { probability = 1, days, from, to } = when;
  return isLatency || probability !== 1 || days !== undefined || from !== undefined || to !== undefined;
}

function stepText(step: FaultStep): string {
  if (typeof step === "string") return step;
  if ("code" in step) return codeText(step.code);
  if ("status" in step) return String(step.status);
  if ("latencyMs" in step) return `latency ${durationText(step.latencyMs)}`;
  if ("rateLimit" in step) return `rateLimit ${durationText(step.rateLimit.retryAfterSecs * 1000)}`;
  if ("duplicate" in step) return `duplicate ${step.duplicate.copies}`;
  if ("retry" in step) return `retry ${step.retry.times} ${durationText(step.retry.afterSecs * 1000)}`;
  if ("delaySecs" in step) return `delay ${durationText(step.delaySecs * 1000)}`;
  if ("signatureAgeSecs" in step) return `signatureAge ${durationText(step.signatureAgeSecs * 1000)}`;
  if ("sign" in step) return `sign ${step.sign}`;
  return `copyTo ${quoted(step.copyTo[0] ?? "")}`;
}

/** The status of a code that stands for it, as people say 503, and otherwise the code. */
function codeText(code: keyof typeof errorCodes): string {
  const { generic, mockStatus } = errorCodes[code];
  return generic ? String(mockStatus) : code;
}

function durationText(ms: number): string {
  return ms !== 0 && Math.abs(ms) < 1000 ? `${ms}ms` : `${ms / 1000}s`;
}

/** A text that is equal for faults that do the same, also if one of them leaves out a default. */
function sameText({ name: _, when = {}, match, webhooks, do: actions }: Fault): string {
  const { nth = 1, times = 1, step = 1, probability = 1, days, from = "00:00", to = "24:00", timeZone = "UTC" } = when;
  const criteria = webhooks === undefined ? (match ?? {}) : { webhooks };
  return JSON.stringify([
    sorted(criteria),
    [nth, times, step, probability, days, from, to, timeZone],
    sorted(Array.isArray(actions) && actions.length === 1 ? actions[0] : actions),
  ]);
}

/** A copy whose fields are in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, field]) => [name, sorted(field)]),
  );
}
