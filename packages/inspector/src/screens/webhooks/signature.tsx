import { limits, webhookSignature } from "@call-transfer/spec";
import { useSignal } from "@preact/signals";
import { ageOf, type Delivery, type DestinationFacts, headerParts } from "../../data/records/webhooks.ts";
import { useSession } from "../../data/session/context.ts";
import { day, timeOfDay } from "../../data/values/format.ts";
import { hmacOf } from "../../data/values/hmac.ts";
import { Button } from "../../parts/button.tsx";
import { Status } from "../../parts/data.tsx";
import { PartHeading } from "../../parts/screen.tsx";
import { positionIn } from "../../parts/timeline.tsx";
import { SecretMark } from "./secret-mark.tsx";

const toleranceMs = webhookSignature.toleranceSecs * 1000;

/** The signature of a delivery taken apart, for a person who writes a receiver. */
export function Signature({ delivery }: { readonly delivery: Delivery }) {
  const { signature, body } = delivery;
  if (signature === undefined) {
    return <p>The request had no header {webhookSignature.header}. A receiver must refuse it.</p>;
  }
  return (
    <>
      <PartHeading>1. The header</PartHeading>
      <p class="signature-header" dir="ltr">
        <span class="muted">{webhookSignature.header}: </span>
        {headerParts(delivery).map(({ name, value, secret }, index) => (
          <span key={index}>
            {index > 0 && ","}
            {name}=
            <span class={secret === undefined ? "signature-time" : `signature-value secret-${secret}`}>{value}</span>
          </span>
        ))}
      </p>
      <PartHeading>
        2. <code>t</code>, when it was signed
      </PartHeading>
      <SignedAt at={signature.t} />
      <PartHeading>
        3. <code>{webhookSignature.scheme}</code>, one for each secret
      </PartHeading>
      <ul class="signatures">
        {signature.v1.map(({ value, secret }, index) => (
          <li key={index}>
            <SecretMark secret={secret} />
            <code>{value.slice(0, 8)}…</code>
            <span class="muted">{meaningOf(secret)}</span>
          </li>
        ))}
      </ul>
      <PartHeading>4. The text that is hashed</PartHeading>
      <p class="muted">
        <code>t</code>, a full stop, and the body byte for byte:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <pre class="json signed-text" dir="ltr" tabIndex={0} role="region" aria-label="The text that is hashed">
        <span class="signature-time">{signature.t}</span>
        <span class="signed-separator">{webhookSignature.separator}</span>
        {body}
      </pre>
      <Check delivery={delivery} />
    </>
  );
}

/** When it was signed, within what a receiver accepts now. */
function SignedAt({ at }: { readonly at: number }) {
  const now = useSession().clock.now.value;
  const age = ageOf(at, now);
  const span = { from: at * 1000 - toleranceMs, to: at * 1000 + toleranceMs };
  return (
    <>
      <p>
        {day(at * 1000)} {timeOfDay(at * 1000)} UTC.{" "}
        <Status tone={age.isValid ? "ok" : "warn"}>
          {age.isValid ? "in time" : age.ms > 0 ? "too old now" : "too new now"}
        </Status>
      </p>
      <p class="muted">Now, on the sandbox's clock, it is {age.text}.</p>
      <div class="tolerance" role="img" aria-label={`The signature is ${age.text}.`}>
        <span class="tolerance-range">
          {age.isValid && <span class="tolerance-now" style={{ insetInlineStart: `${positionIn(span, now)}%` }} />}
        </span>
        <span class="tolerance-ends number" aria-hidden="true">
          <span>−{webhookSignature.toleranceSecs} s</span>
          <span>t</span>
          <span>+{webhookSignature.toleranceSecs} s</span>
        </span>
      </div>
    </>
  );
}

function meaningOf(secret: "current" | "previous" | "other"): string {
  if (secret === "current") return "the destination's secret when it was sent";
  if (secret === "previous")
    return `the secret before the rotation, which signs for ${limits.previousSecretOverlapHours} hours more`;
  return "not a secret of the destination: a receiver must refuse it";
}

/** Hashes the text with the destination's secrets as they are now, and says which signatures they made. */
function Check({ delivery }: { readonly delivery: Delivery }) {
  const { control } = useSession();
  const result = useSignal<readonly string[]>([]);
  const check = async () => {
    const { signature, body, destinationId } = delivery;
    const params = { path: { collection: "destinations" as const }, query: { id: destinationId } };
    const { data } = await control.value.GET("/_control/v1/records/{collection}", { params });
    const destination = data?.records[0] as DestinationFacts | undefined;
    if (destination === undefined || signature === undefined) {
      result.value = ["The destination does not exist any more, so its secrets cannot be used."];
      return;
    }
    const text = `${signature.t}${webhookSignature.separator}${body}`;
    const secrets = [
      ["current", destination.signingSecret],
      ["previous", destination.previousSecret],
    ] as const;
    const lines = secrets.map(async ([name, secret]) => {
      if (secret === undefined) return [];
      const hash = await hmacOf(secret, text);
      const position = signature.v1.findIndex(({ value }) => value === hash);
      return [
        position < 0
          ? `The ${name} secret made none of them.`
          : `The ${name} secret made ${webhookSignature.scheme} number ${position + 1}.`,
      ];
    });
    result.value = (await Promise.all(lines)).flat();
  };
  return (
    <div class="check">
      {globalThis.crypto.subtle !== undefined && (
        <Button onPress={check}>Hash it here with the destination's secrets</Button>
      )}
      <div role="status" aria-live="polite">
        {result.value.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
    </div>
  );
}
