import { limits, webhookSignature } from "@call-transfer/spec";
import { useSignal } from "@preact/signals";
import { deliveryAsCurl } from "../data/code.ts";
import type { Delivery } from "../data/control.ts";
import { day, jsonOrText, milliseconds, timeOfDay } from "../data/format.ts";
import { useLive } from "../data/live.ts";
import { act, useSession } from "../data/session.ts";
import { adviceOn, ageOf, type Endpoint, headerOf, headerParts, outcomeOf, useEndpoints } from "../data/webhooks.ts";
import { Button, CopyButton } from "../parts/controls.tsx";
import { Code, Facts, Json, Part, Status, Time, Values } from "../parts/data.tsx";
import { Empty, Link, PartHeading } from "../parts/screen.tsx";

/** A delivery by its id: the response first, then the request and its signature. */
export function ChosenDelivery({ id }: { readonly id: string }) {
  const endpoints = useEndpoints().data;
  const { data, error } = useLive(
    async (control) => ({ delivery: await control.delivery(id) }),
    (event) => event.type === "delivery.completed" && event.id === id,
    id,
  );
  const delivery = data?.delivery;
  if (delivery === undefined)
    return data === undefined && error === undefined ? null : (
      <Empty title="This delivery is not kept">
        <p>{error ?? "The sandbox was reset, or a thousand later deliveries replaced it."}</p>
      </Empty>
    );
  return <DeliveryDetail delivery={delivery} endpoint={endpoints?.find((one) => one.id === delivery.destinationId)} />;
}

function DeliveryDetail({
  delivery,
  endpoint,
}: {
  readonly delivery: Delivery;
  /** Undefined if it was deleted. */
  readonly endpoint: Endpoint | undefined;
}) {
  const session = useSession();
  const { id, url, at, error, destinationId, durationMs, transferId, redeliveryOf, fault, faultAction } = delivery;
  const { tone, text } = outcomeOf(delivery);
  const advice = adviceOn(delivery, Date.now());
  const redeliver = () =>
    act(
      session,
      async () => {
        const next = await session.control.value.redeliver(id);
        session.go("webhooks", next.id);
      },
      "The event was sent again with a new signature.",
    );
  return (
    <>
      <header class="detail-head">
        <h2 dir="auto">Webhook to {endpoint?.name ?? destinationId}</h2>
        <p class="outcome">
          <Status tone={tone}>{text}</Status>
          {error !== undefined && <span dir="auto">{sentence(error)}</span>}
        </p>
        <p class="muted">
          <Code>{url.replace(/\?.*$/, "")}</Code>
        </p>
        <p class="muted">
          <Time at={at} withMilliseconds /> · {milliseconds(durationMs)}
        </p>
      </header>
      <div class="actions" role="group" aria-label="Actions">
        <Button rank="primary" onPress={redeliver}>
          Send again
        </Button>
        <CopyButton text={() => deliveryAsCurl(url, delivery.headers, delivery.body)}>Copy as curl</CopyButton>
      </div>
      {advice !== undefined && (
        <p class="advice" dir="auto">
          {advice}
        </p>
      )}
      <Part title="Response" isOpen>
        <ResponseOf delivery={delivery} />
      </Part>
      <Part title="Request" isOpen>
        <Json value={jsonOrText(delivery.body)} label="Body of the webhook" />
        <Part title={`Headers: ${Object.keys(delivery.headers).length}`}>
          <Values values={delivery.headers} />
        </Part>
        <Facts
          facts={{
            Transfer: transferId && <Link to={["calls", transferId]}>{transferId}</Link>,
            Repeats: redeliveryOf && <Link to={["webhooks", redeliveryOf]}>{redeliveryOf}</Link>,
            Fault: fault && (
              <>
                <Link to={["errors", fault]}>{fault}</Link> <Code>{JSON.stringify(faultAction)}</Code>
              </>
            ),
            ID: <Code>{id}</Code>,
          }}
        />
      </Part>
      <Part title={<SignatureTitle delivery={delivery} />}>
        <Signature delivery={delivery} />
      </Part>
    </>
  );
}

/** The response of the app: status, body as far as it was kept, headers. */
function ResponseOf({ delivery: { response, status } }: { readonly delivery: Delivery }) {
  if (response === undefined)
    return (
      <p class="muted">{status === undefined ? "There was no response." : `Status ${status}, without details.`}</p>
    );
  const { headers, contentType, body, bodyBytes, truncated } = response;
  return (
    <>
      <p class="muted">
        {response.status} · {contentType ?? "no content type"} · {bodyBytes.toLocaleString("en")} bytes
        {truncated && ", of which the first 16 KiB were kept"}
      </p>
      {body !== undefined && body !== "" && <Json value={jsonOrText(body)} label="Body of the response" />}
      {body === undefined && bodyBytes > 0 && <p>The body is not text, so it is not shown.</p>}
      <Part title={`Headers: ${Object.keys(headers).length}`}>
        <Values values={headers} />
      </Part>
    </>
  );
}

function SignatureTitle({ delivery: { signature } }: { readonly delivery: Delivery }) {
  if (signature === undefined) return "Signature: none";
  return (
    <>
      {signature.v1.length === 2 ? "Two signatures" : signature.v1.length === 1 ? "Signature" : "Signatures"}
      {signature.v1.map(({ secret }, index) => (
        <span key={index}>
          {" "}
          <SecretMark secret={secret} />
        </span>
      ))}
    </>
  );
}

const secretTones = { current: "ok", previous: "warn", other: "bad" } as const;

/** The name of the secret that made a signature, in its color. */
function SecretMark({ secret }: { readonly secret: "current" | "previous" | "other" }) {
  return <span class={`tag tone-${secretTones[secret]}`}>{secret}</span>;
}

/** The signature of a delivery taken apart, for a person who writes an app. */
function Signature({ delivery }: { readonly delivery: Delivery }) {
  const { signature, body, headers } = delivery;
  if (signature === undefined || headerOf(headers) === undefined)
    return <p>The request had no header {webhookSignature.header}. An app must refuse it.</p>;
  return (
    <>
      <PartHeading>1. The header</PartHeading>
      <p class="code" dir="ltr">
        <span class="muted">{webhookSignature.header}: </span>
        {headerParts(delivery).map(({ name, value, secret }, index) => (
          <span key={index}>
            {index > 0 && ","}
            {name}=<span class={`tone-${secret === undefined ? "info" : secretTones[secret]}`}>{value}</span>
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
      <ul class="plain-list">
        {signature.v1.map(({ value, secret }, index) => (
          <li key={index}>
            <SecretMark secret={secret} /> <code>{value.slice(0, 8)}…</code>{" "}
            <span class="muted">{meaningOf(secret)}</span>
          </li>
        ))}
      </ul>
      <PartHeading>4. The text that is hashed</PartHeading>
      <p class="muted">
        <code>t</code>, a full stop, and the {new TextEncoder().encode(body).length} bytes of the body, before any
        parser changes them:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <pre class="json" dir="ltr" tabIndex={0} role="region" aria-label="The text that is hashed">
        <span class="tone-info">{signature.t}</span>
        <strong>{webhookSignature.separator}</strong>
        {body}
      </pre>
      <Check delivery={delivery} />
    </>
  );
}

/** When it was signed, against the tolerance of a verification. */
function SignedAt({ at }: { readonly at: number }) {
  const { isValid, ms, text } = ageOf(at, useSession().clock.now.value);
  return (
    <p>
      {day(at * 1000)} {timeOfDay(at * 1000)} UTC.{" "}
      <Status tone={isValid ? "ok" : "warn"}>{isValid ? "in time" : ms > 0 ? "too old now" : "too new now"}</Status>
      <br />
      <span class="muted">Now, on the sandbox's clock, it is {text}.</span>
    </p>
  );
}

function meaningOf(secret: "current" | "previous" | "other"): string {
  if (secret === "current") return "the secret of the endpoint when it was sent";
  if (secret === "previous")
    return `the secret before the rotation, which signs for ${limits.previousSecretOverlapHours} hours more`;
  return "not a secret of the endpoint: an app must refuse it";
}

const algorithm = { name: "HMAC", hash: "SHA-256" };

/** The HMAC-SHA256 of a text, in hexadecimal. Browsers have it for HTTPS and this machine only. */
async function hmacOf(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign(algorithm, key, encoder.encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Hashes the text with the secrets of the endpoint as they are now, and says which signatures they made. */
function Check({ delivery }: { readonly delivery: Delivery }) {
  const session = useSession();
  const result = useSignal<readonly string[]>([]);
  const check = () =>
    act(session, async () => {
      const { signature, body, destinationId } = delivery;
      const found = await session.control.value.record("destinations", destinationId);
      if (found === undefined || signature === undefined) {
        result.value = ["The endpoint was deleted, so its secrets cannot be used."];
        return;
      }
      const text = `${signature.t}${webhookSignature.separator}${body}`;
      const secrets = [
        ["current", found.signingSecret],
        ["previous", found.previousSecret],
      ] as const;
      const lines = secrets.map(async ([name, secret]) => {
        if (typeof secret !== "string") return [];
        const hash = await hmacOf(secret, text);
        const position = signature.v1.findIndex(({ value }) => value === hash);
        return [
          position < 0
            ? `The ${name} secret made none of them.`
            : `The ${name} secret made ${webhookSignature.scheme} number ${position + 1}.`,
        ];
      });
      result.value = (await Promise.all(lines)).flat();
    });
  return (
    <div>
      {globalThis.crypto.subtle !== undefined && <Button onPress={check}>Check with the endpoint's secrets</Button>}
      <div role="status" aria-live="polite">
        {result.value.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
    </div>
  );
}

/** A text of the server as a sentence. */
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[.]$/, "")}.`;
