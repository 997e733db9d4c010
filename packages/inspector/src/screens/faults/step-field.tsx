import type { ComponentChildren } from "preact";
import type { Step } from "./fault.ts";

/** The error codes of the API in groups, each with a heading. */
export type CodeGroups = readonly (readonly [heading: string, codes: readonly string[]])[];

/** The kinds of steps of requests: values of the choice with what they do. */
const requestKinds: readonly (readonly [kind: string, text: string, start: Step])[] = [
  ["code", "Respond with an error code", { code: "service_unavailable" }],
  ["status", "Respond with a status", { status: 504 }],
  ["rateLimit", "Respond with a rate limit", { rateLimit: { retryAfterSecs: 5 } }],
  ["latency", "Delay the response", { latency: 800 }],
  ["reset", "Reset the connection", "reset"],
  ["empty", "Close without a response", "empty"],
  ["hang", "Never respond", "hang"],
  ["processThenDrop", "Process, then lose the response", "processThenDrop"],
  ["truncate", "Cut the body short", "truncate"],
  ["slowBody", "Send the body slowly", "slowBody"],
  ["wrongContentType", "Label the body as HTML", "wrongContentType"],
  ["unknownEnum", "Unknown enum values", "unknownEnum"],
  ["pass", "Let it pass", "pass"],
];

const webhookKinds: typeof requestKinds = [
  ["sign", "Change the signature", { sign: "wrongSecret" }],
  ["signedSecsAgo", "Sign with another time", { signedSecsAgo: 301 }],
  ["delaySecs", "Send late", { delaySecs: 301 }],
  ["duplicate", "Send several times", { duplicate: { copies: 2 } }],
  ["retry", "Send again until accepted", { retry: { times: 3, afterSecs: 5 } }],
  ["reorder", "Send after the next one", "reorder"],
  ["truncate", "Cut the body in half", "truncate"],
  ["alsoTo", "Send to another address, too", { alsoTo: ["http://127.0.0.1:4012/offers"] }],
  ["pass", "Let it pass", "pass"],
];

/** The first step of a new fault of each kind. */
export const firstSteps: Readonly<Record<"requests" | "webhooks", Step>> = {
  requests: { code: "service_unavailable" },
  webhooks: { sign: "wrongSecret" },
};

const signatures: readonly (readonly [string, string])[] = [
  ["wrongSecret", "with another secret"],
  ["previousSecret", "with the previous secret"],
  ["none", "without a signature"],
  ["wrongFirst", "a wrong one before the valid one"],
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

function StepValues({
  step,
  number,
  codes,
  onChange,
}: {
  readonly step: Step;
  readonly number: number;
  readonly codes: CodeGroups;
  readonly onChange: (step: Step) => void;
}): ComponentChildren {
  const of = `of step ${number}`;
  if (typeof step === "string") return null;
  if ("code" in step)
    return (
      <select
        class="step-code"
        aria-label={`Error code ${of}`}
        value={step.code}
        onChange={(event) => onChange({ code: event.currentTarget.value })}
      >
        {codes.every(([, group]) => !group.includes(step.code)) && <option value={step.code}>{step.code}</option>}
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
  if ("status" in step)
    return (
      <NumberInput label={`Status ${of}`} value={step.status} onChange={(status) => onChange({ ...step, status })} />
    );
  if ("latency" in step)
    return (
      <NumberInput label={`Delay ${of}`} unit="ms" value={step.latency} onChange={(latency) => onChange({ latency })} />
    );
  if ("rateLimit" in step)
    return (
      <NumberInput
        label={`Seconds to wait ${of}`}
        unit="s"
        value={step.rateLimit.retryAfterSecs}
        onChange={(retryAfterSecs) => onChange({ rateLimit: { retryAfterSecs } })}
      />
    );
  if ("duplicate" in step)
    return (
      <NumberInput
        label={`How often it is sent ${of}`}
        unit="times"
        value={step.duplicate.copies}
        onChange={(copies) => onChange({ duplicate: { ...step.duplicate, copies } })}
      />
    );
  if ("retry" in step)
    return (
      <>
        <NumberInput
          label={`How often it is sent again ${of}`}
          unit="times"
          value={step.retry.times}
          onChange={(times) => onChange({ retry: { ...step.retry, times } })}
        />
        <NumberInput
          label={`Seconds before the first retry ${of}`}
          unit="s"
          value={step.retry.afterSecs}
          onChange={(afterSecs) => onChange({ retry: { ...step.retry, afterSecs } })}
        />
      </>
    );
  if ("delaySecs" in step)
    return (
      <NumberInput
        label={`Delay ${of}`}
        unit="s"
        value={step.delaySecs}
        onChange={(delaySecs) => onChange({ delaySecs })}
      />
    );
  if ("signedSecsAgo" in step)
    return (
      <NumberInput
        label={`Age of the signature ${of}`}
        unit="s ago"
        value={step.signedSecsAgo}
        onChange={(signedSecsAgo) => onChange({ signedSecsAgo })}
      />
    );
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
  return (
    <input
      class="step-address"
      type="url"
      aria-label={`Address ${of}`}
      value={step.alsoTo[0] ?? ""}
      onInput={(event) => onChange({ alsoTo: [event.currentTarget.value, ...step.alsoTo.slice(1)] })}
    />
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
