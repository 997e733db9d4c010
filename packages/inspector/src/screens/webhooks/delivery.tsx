import { webhookSignature } from "@call-transfer/spec";
import { deliveryAsCurl } from "../../data/code/verify-code.ts";
import {
  type Attempt,
  adviceOn,
  type Delivery,
  type DestinationFacts,
  headerOf,
  outcomeOf,
} from "../../data/records/webhooks.ts";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { milliseconds } from "../../data/values/format.ts";
import { jsonOrText } from "../../data/values/json.ts";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Code, Facts, Json, Status, Time } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";
import { LoadError, Panel } from "../../parts/screen.tsx";
import { HowToVerify } from "./how-to-verify.tsx";
import { Signature } from "./signature.tsx";

interface ListedDelivery {
  /** As the list has it: without the signatures, and without the query of its address, which may hold a secret. */
  readonly delivery: Delivery;
  /** Undefined if it was deleted. */
  readonly destination: DestinationFacts | undefined;
  readonly attempt: Attempt | undefined;
}

/** Everything about one delivery: the request as it was sent, its answer, and its signature taken apart. */
export function DeliveryDetail({ delivery: shown, destination, attempt }: ListedDelivery) {
  const session = useSession();
  const { id, url, error } = shown;
  const { data, error: loadError } = useLive<{ readonly deliveries: readonly Delivery[] }>(
    (control) => control.GET("/_control/v1/webhooks/deliveries", { params: { query: { id } } }),
    undefined,
    id,
  );
  const delivery = data?.deliveries[0];
  const outcome = outcomeOf(shown);
  const advice = adviceOn(shown, Date.now());
  const redeliver = async () => {
    const path = { id };
    const sending = session.control.value
      .POST("/_control/v1/webhooks/deliveries/{id}/redeliver", { params: { path } })
      .then((result) => {
        if (result.response.ok) session.go("webhooks", (result.data as Delivery).id);
        return result;
      });
    await act(session, sending, "The event was sent again with a new signature.");
  };
  return (
    <>
      <h2 class="delivery-title">
        <Status tone={outcome.tone}>{outcome.text}</Status>
      </h2>
      {advice !== undefined && (
        <p class="advice" dir="auto">
          {error !== undefined && <strong>{sentence(error)} </strong>}
          {advice}
        </p>
      )}
      <div class="actions">
        <Button onPress={redeliver}>Send again</Button>
        {delivery !== undefined && (
          <CopyButton text={() => deliveryAsCurl(delivery.url, delivery.headers, delivery.body)}>
            Copy as curl
          </CopyButton>
        )}
      </div>
      <DeliveryFacts delivery={shown} destination={destination} attempt={attempt} />
      <LoadError error={loadError} />
      {delivery !== undefined && (
        <>
          <Panel title="Signature">
            <Signature delivery={delivery} />
          </Panel>
          <Panel title="How to verify">
            <HowToVerify />
          </Panel>
          <RequestAsSent delivery={delivery} url={url} />
        </>
      )}
    </>
  );
}

function DeliveryFacts({ delivery, destination, attempt }: ListedDelivery) {
  const { id, at, destinationId, transferId, status, durationMs, fault, faultAction, redeliveryOf } = delivery;
  return (
    <Facts
      facts={{
        Sent: <Time at={at} withMilliseconds />,
        Receiver:
          destination === undefined ? (
            destinationId
          ) : (
            <Link to={["webhooks", "receivers", destination.id]}>{destination.name}</Link>
          ),
        Answer: status === undefined ? "none" : `${status}, after ${milliseconds(durationMs)}`,
        Attempt: attempt === undefined || attempt.of === 1 ? undefined : `${attempt.number} of ${attempt.of}`,
        Repeats: redeliveryOf && <Link to={["webhooks", redeliveryOf]}>{redeliveryOf}</Link>,
        Transfer: transferId && <Link to={["transfers", transferId]}>{transferId}</Link>,
        Fault: fault && (
          <>
            <Link to={["faults", fault]}>{fault}</Link> <Code>{JSON.stringify(faultAction)}</Code>
          </>
        ),
        ID: <Code>{id}</Code>,
      }}
    />
  );
}

/** The request byte for byte. */
function RequestAsSent({ delivery: { headers, body }, url }: { readonly delivery: Delivery; readonly url: string }) {
  const parsed = jsonOrText(body);
  return (
    <Panel title="The request as it was sent" tools={<CopyButton text={() => body}>Copy the body</CopyButton>}>
      <p class="request-line">
        <Code>POST {url}</Code>
      </p>
      <dl class="headers">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt class={value === headerOf(headers) ? "header-signature" : ""}>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        The {new TextEncoder().encode(body).length} bytes of the body. {webhookSignature.algorithm} covers exactly
        these, so check them before a parser changes them.
      </p>
      <Json value={body} label="Body" />
      {parsed !== body && (
        <details>
          <summary>Formatted</summary>
          <Json value={parsed} label="Formatted body" />
        </details>
      )}
    </Panel>
  );
}

/** A text of the server as a sentence. */
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[.]$/, "")}.`;
