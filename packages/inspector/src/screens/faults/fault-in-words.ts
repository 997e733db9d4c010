import { criteriaOf, type Fault, type Step, stepsOf } from "./fault.ts";

/** Which requests or webhooks a fault matches, such as `createCall` or `Webhooks to app-1`. */
export function targetInWords(fault: Fault): string {
  const { operationId, method, path, destinationId } = criteriaOf(fault);
  if ("webhooks" in fault) return destinationId === undefined ? "Every webhook" : "Webhooks";
  return [operationId, method, path].filter((part) => part !== undefined).join(" ") || "Every request";
}

/** The other criteria of a fault, each as a name and a value. */
export function criteriaInWords(fault: Fault): readonly string[] {
  const { headers, query, body, sandbox, destinationId, url, transferId } = criteriaOf(fault);
  const pairs = (word: string, values: Readonly<Record<string, unknown>> = {}) =>
    Object.entries(values).map(([name, value]) => `${word} ${name}=${String(value)}`);
  const named = (word: string, value: string | undefined) => (value === undefined ? [] : [`${word} ${value}`]);
  return [
    ...pairs("header", headers),
    ...pairs("query", query),
    ...pairs("body", body),
    ...named("destination", destinationId),
    ...named("url", url),
    ...named("transfer", transferId),
    ...named("sandbox", sandbox),
  ];
}

const plainSteps: Readonly<Record<string, string>> = {
  pass: "passes",
  reset: "connection reset",
  empty: "closed without a response",
  hang: "no response",
  process_then_reset: "processed, response lost",
  truncate: "body cut short",
  slowBody: "body sent slowly",
  wrong_content_type: "labelled as HTML",
  unknown_enum_value: "unknown enum values",
  reorder: "sent after the next one",
};

const signatures: Readonly<Record<string, string>> = {
  none: "sent without a signature",
  wrongSecret: "signed with another secret",
  previousSecret: "signed with the previous secret",
  wrongFirst: "wrong signature before the valid one",
  reversed: "signature header in reverse order",
};

/** What a step does, such as `queue_full` or `delayed by 800 ms`. */
export function stepInWords(step: Step): string {
  if (typeof step === "string") return plainSteps[step] ?? step;
  if ("code" in step) return step.code;
  if ("status" in step) return `status ${step.status}`;
  if ("latencyMs" in step) return `delayed by ${secondsInWords(step.latencyMs / 1000)}`;
  if ("rateLimit" in step) return `rate limit of ${secondsInWords(step.rateLimit.retryAfterSecs)}`;
  if ("duplicate" in step)
    return `sent ${step.duplicate.copies} times${step.duplicate.intervalSecs === undefined ? "" : `, ${secondsInWords(step.duplicate.intervalSecs)} apart`}`;
  if ("retry" in step)
    return `sent again up to ${timesInWords(step.retry.times)}, first after ${secondsInWords(step.retry.afterSecs)}${step.retry.ignoreSuccess === true ? ", also if accepted" : ""}`;
  if ("delaySecs" in step) return `sent ${secondsInWords(step.delaySecs)} late`;
  if ("signatureAgeSecs" in step)
    return step.signatureAgeSecs < 0
      ? `signed ${secondsInWords(-step.signatureAgeSecs)} in the future`
      : `signed ${secondsInWords(step.signatureAgeSecs)} ago`;
  if ("sign" in step) return signatures[step.sign] ?? step.sign;
  return `also sent to ${step.copyTo.join(", ")}`;
}

/** How long a fault of the list still applies, such as `1 more request` or `until removed`. */
export function remainingInWords(fault: Fault): string {
  const { times = 1, nth = 1, probability = 1, days, from, to, timeZone } = fault.when ?? {};
  const steps = stepsOf(fault).length;
  const matches = "webhooks" in fault ? "webhook" : "request";
  const count =
    times === null
      ? "until removed"
      : steps > 1
        ? `${times} more ${times === 1 ? "run" : "runs"} through the steps`
        : `${times} more ${times === 1 ? matches : `${matches}s`}`;
  return [
    count,
    ...(nth === 1 ? [] : [`after ${nth - 1} more that ${nth === 2 ? "passes" : "pass"}`]),
    ...(probability === 1 ? [] : [`each with ${Number((probability * 100).toPrecision(6))} %`]),
    ...(days === undefined ? [] : [`on ${days.join(", ")}`]),
    ...(from === undefined && to === undefined ? [] : [`from ${from ?? "00:00"} to ${to ?? "24:00"}`]),
    ...(timeZone === undefined ? [] : [timeZone]),
  ].join(", ");
}

/** A number of times, such as `once` or `3 times`. */
export const timesInWords = (times: number): string => (times === 1 ? "once" : `${times} times`);

function secondsInWords(seconds: number): string {
  return seconds !== 0 && Math.abs(seconds) < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds} s`;
}
