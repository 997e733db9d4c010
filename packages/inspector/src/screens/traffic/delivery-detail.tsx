import type { Schema } from "@call-transfer/backend/control-client";
import { entryOfDelivery } from "../../data/records/traffic-entry.ts";
import { useLive } from "../../data/session/live.ts";
import { milliseconds } from "../../data/values/format.ts";
import { jsonOrText } from "../../data/values/json.ts";
import { Code, Facts, Json, Time } from "../../parts/data.tsx";
import { IdLink, Link } from "../../parts/link.tsx";
import { LoadError, Panel } from "../../parts/screen.tsx";
import { Part, Values } from "./request-detail.tsx";
import { TrafficStatus } from "./traffic-row.tsx";

type Delivery = Schema<"Delivery">;

/** A delivery in short. The screen Webhooks takes its signature apart. */
export function DeliveryDetail({ id }: { readonly id: string }) {
  const live = useLive<{ readonly deliveries: readonly Delivery[] }>(
    (control) => control.GET("/_control/v1/webhooks/deliveries", { params: { query: { id, redact: true } } }),
    (event) => event.type === "delivery.completed" && event.id === id,
    id,
  );
  const delivery = live.data?.deliveries[0];
  if (delivery === undefined) return <LoadError error={live.error} />;
  return (
    <div class="traffic-detail">
      <Head delivery={delivery} />
      <About delivery={delivery} />
      <Panel title="Request">
        <Part title="Body" isOpen>
          <Json value={jsonOrText(delivery.body)} label="Body of the webhook" />
        </Part>
        <Part title="Headers">
          <Values values={delivery.headers} />
        </Part>
      </Panel>
    </div>
  );
}

function Head({ delivery }: { readonly delivery: Delivery }) {
  const { status, code, name } = entryOfDelivery(delivery);
  return (
    <header class="detail-head">
      <h2>Webhook {name}</h2>
      <TrafficStatus status={status} code={code} />
      <Code>{delivery.url}</Code>
      <p class="detail-line">
        <Time at={delivery.at} withMilliseconds /> · {milliseconds(delivery.durationMs)}
      </p>
      <p>
        <Link to={["webhooks", delivery.id]}>Signature and redelivery</Link>
      </p>
    </header>
  );
}

function About({ delivery }: { readonly delivery: Delivery }) {
  const { destinationId, transferId, redeliveryOf, fault, error, accepted } = delivery;
  return (
    <Panel title="Delivery">
      <Facts
        facts={{
          Accepted: accepted ? "yes, the receiver answered 2xx" : "no",
          Error: error,
          Destination: <IdLink to={["state", "destinations", destinationId]} />,
          Transfer: transferId && <IdLink to={["transfers", transferId]} />,
          Repeats: redeliveryOf && <IdLink to={["traffic", "webhook", redeliveryOf]} />,
          Fault: fault && <Link to={["faults", fault]}>{fault}</Link>,
        }}
      />
    </Panel>
  );
}
