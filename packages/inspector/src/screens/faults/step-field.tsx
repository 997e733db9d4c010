import type { ComponentChildren } from "preact";
import type { Step } from "./fault.ts";

/** The error codes of the API in groups, each with a heading. */
export type CodeGroups = readonly (readonly [heading: string, codes: readonly string[]])[];

/** The kinds of steps of requests: values of the choice with what they do. */
const requestKinds: readonly (readonly [kind: string, text: string, start: Step])[] = [
  ["code", "Respond with an error code", { code: "service_unavailable" }],
  ["status", "Respond with a status", { status: 504 }],
  ["rateLimit", "Respond with a rate limit", { rateLimit: { retryAfterSecs: 5 } }],
  ["latencyMs", "Delay the response", { latencyMs: 800 }],
  ["reset", "Reset the connection", "reset"],
  ["empty", "Close without a response", "empty"],
  ["hang", "Never respond", "hang"],
  ["process_then_reset", "Process, then lose the response", "process_then_reset"],
  ["truncate", "Cut the body short", "truncate"],
  ["slow_body", "Send the body slowly", "slow_body"],
  ["wrong_content_type", "Label the body as HTML", "wrong_content_type"],
  ["unknown_enum_value", "Unknown enum values", "unknown_enum_value"],
  ["pass", "Let it pass", "pass"],
];

const webhookKinds: typeof requestKinds = [
  ["sign", "Change the signature", { sign: "wrong_secret" }],
  ["signatureAgeSecs", "Sign with another time", { signatureAgeSecs: 301 }],
  ["delaySecs", "Send late", { delaySecs: 301 }],
  ["duplicate", "Send several times", { duplicate: { copies: 2 } }],
  ["retry", "Send again until accepted", { retry: { times: 3, afterSecs: 5 } }],
  ["reorder", "Send after the next one", "reorder"],
  ["truncate", "Cut the body in half", "truncate"],
  ["copyTo", "Send to another address, too", { copyTo: ["http://127.0.0.1:4012/offers"] }],
  ["pass", "Let it pass", "pass"],
];

/** The first step of a new fault of each kind. */
export const firstSteps: Readonly<Record<"requests" | "webhooks", Step>> = {
  requests: { code: "service_unavailable" },
  webhooks: { sign: "wrong_secret" },
};

const signatures: readonly (readonly [string, string])[] = [
  ["wrong_secret", "with another secret"],
  ["previousSecret", "with the previous secret"],
  ["none", "without a signature"],
  ["wrong_first", "a wrong one before the valid one"],
  ["reversed", "with its parts in reverse order"],
];

/** What one step does: a choice, and its values. */
export function StepField({
  step,
  number,
  isOfWebhooks,
  codes,
  onChange,
}: {
  readonly step: Step;
  /** Its place in the list, from 1. */
  readonly number: number;
  readonly isOfWebhooks: boolean;
  readonly codes: CodeGroups;
  readonly onChange: (step: Step) => void;
}) {
  const kinds = isOfWebhooks ? webhookKinds : requestKinds;
  const kind = typeof step === "string" ? step : Object.keys(step).find((name) => kinds.some(([one]) => one === name));
  return (
    <>
      <select
        aria-label={`What step ${number} does`}
        value={kind}
        onChange={(event) => {
          const next = kinds.find(([one]) => one === event.currentTarget.value);
          if (next !== undefined) onChange(next[2]);
        }}
      >
        {kinds.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
      <StepValues step={step} number={number} codes={codes} onChange={onChange} />
    </>
  );
}

/** The values of a step. */
interface Values {
  readonly step: Step;
  readonly number: number;
  readonly codes: CodeGroups;
  readonly onChange: (step: Step) => void;
}

function StepValues({ step, number, codes, onChange }: Values): ComponentChildren {
  const of = `of step ${number}`;
  if (typeof step === "string") return null;
  if ("code" in step) return <CodeChoice of={of} code={step.code} codes={codes} onChange={onChange} />;
  const numbers = numbersOf(step);
  if (numbers !== undefined)
    return numbers.map(({ label, unit, value, change }) => (
      <NumberInput
        key={label}
        label={`${label} ${of}`}
        {...(unit !== undefined && { unit })}
        value={value}
        onChange={(next) => onChange(change(next))}
      />
    ));
  if ("sign" in step)
    return (
      <select
        aria-label={`Signature ${of}`}
        value={step.sign}
        // The values are those of the options.
        onChange={(event) => onChange({ sign: event.currentTarget.value as typeof step.sign })}
      >
        {signatures.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    );
  if (!("copyTo" in step)) return null;
  return (
    <input
      class="step-address"
      type="url"
      aria-label={`Address ${of}`}
      value={step.copyTo[0] ?? ""}
      onInput={(event) => onChange({ copyTo: [event.currentTarget.value, ...step.copyTo.slice(1)] })}
    />
  );
}

/** A number of a step, and the step with another. */
interface StepNumber {
  readonly label: string;
  readonly unit?: string;
  readonly value: number;
  readonly change: (value: number) => Step;
}

/** The numbers of a step; undefined if it has other values. */
function numbersOf(step: Exclude<Step, string>): readonly StepNumber[] | undefined {
  if ("status" in step) return [{ label: "Status", value: step.status, change: (status) => ({ ...step, status }) }];
  if ("latencyMs" in step)
    return [{ label: "Delay", unit: "ms", value: step.latencyMs, change: (latencyMs) => ({ latencyMs }) }];
  if ("delaySecs" in step)
    return [{ label: "Delay", unit: "s", value: step.delaySecs, change: (delaySecs) => ({ delaySecs }) }];
  if ("signatureAgeSecs" in step) {
    const change = (signatureAgeSecs: number) => ({ signatureAgeSecs });
    return [{ label: "Age of the signature", unit: "s ago", value: step.signatureAgeSecs, change }];
  }
  if ("rateLimit" in step) {
    const change = (retryAfterSecs: number) => ({ rateLimit: { retryAfterSecs } });
    return [{ label: "Seconds to wait", unit: "s", value: step.rateLimit.retryAfterSecs, change }];
  }
  if ("duplicate" in step) {
    const change = (copies: number) => ({ duplicate: { ...step.duplicate, copies } });
    return [{ label: "How often it is sent", unit: "times", value: step.duplicate.copies, change }];
  }
  if (!("retry" in step)) return undefined;
  const { times, afterSecs } = step.retry;
  const change = (changes: Partial<typeof step.retry>) => ({ retry: { ...step.retry, ...changes } });
  return [
    { label: "How often it is sent again", unit: "times", value: times, change: (next) => change({ times: next }) },
    {
      ...{ label: "Seconds before the first retry", unit: "s", value: afterSecs },
      change: (next) => change({ afterSecs: next }),
    },
  ];
}

function CodeChoice({
  of,
  code: chosen,
  codes,
  onChange,
}: {
  readonly of: string;
  readonly code: string;
  readonly codes: CodeGroups;
  readonly onChange: (step: Step) => void;
}) {
  return (
    <select
      class="step-code"
      aria-label={`Error code ${of}`}
      value={chosen}
      onChange={(event) => onChange({ code: event.currentTarget.value })}
    >
      {codes.every(([, group]) => !group.includes(chosen)) && <option value={chosen}>{chosen}</option>}
      {codes.map(([heading, group]) => (
        <optgroup key={heading} label={heading}>
          {group.map((code) => (
            <option key={code} value={code}>
              {code}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

/** A number with its unit. An empty input changes nothing. */
export function NumberInput({
  label,
  unit,
  value,
  onChange,
}: {
  readonly label: string;
  readonly unit?: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}) {
  return (
    <span class="number-input">
      <input
        type="number"
        step="any"
        aria-label={label}
        value={value}
        onInput={(event) => {
          const { valueAsNumber } = event.currentTarget;
          if (!Number.isNaN(valueAsNumber)) onChange(valueAsNumber);
        }}
      />
      {unit}
    </span>
  );
}
