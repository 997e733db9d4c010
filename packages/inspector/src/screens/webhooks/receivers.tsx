import { useSignal } from "@preact/signals";
import { useDestinations } from "../../data/records/destinations.ts";
import type { DestinationFacts } from "../../data/records/webhooks.ts";
import { useSession } from "../../data/session/context.ts";
import { Button } from "../../parts/button.tsx";
import { Facts, Status } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";
import { Empty, LoadError, Panel, Screen } from "../../parts/screen.tsx";
import { sendToInbox } from "./first-webhook.tsx";
import { Secrets } from "./secrets.tsx";
import { SendOffer } from "./send-offer.tsx";
import { Views } from "./views.tsx";

/** The destinations that receive webhooks: their addresses and secrets. */
export function Receivers({ selected }: { readonly selected: string | undefined }) {
  const session = useSession();
  const { destinations, error } = useDestinations();
  const shown = destinations?.filter(({ id }) => selected === undefined || id === selected);
  return (
    <Screen title="Webhooks" tools={<Views current="receivers" />}>
      <LoadError error={error} />
      {shown?.length === 0 && (
        <Empty
          title={selected === undefined ? "No destination receives webhooks" : "This destination does not exist"}
          action={
            <Button rank="primary" onPress={() => sendToInbox(session)}>
              Send a signed webhook to the inbox
            </Button>
          }
        >
          <p>Destinations of the kind app receive webhooks. The built-in inbox can be the first one.</p>
        </Empty>
      )}
      {shown?.map((destination) => (
        <Receiver key={destination.id} destination={destination} />
      ))}
      {selected !== undefined && (destinations?.length ?? 0) > 1 && (
        <p class="all-receivers">
          <Link to={["webhooks", "receivers"]}>All receivers</Link>
        </p>
      )}
    </Screen>
  );
}

function Receiver({ destination }: { readonly destination: DestinationFacts }) {
  const isSending = useSignal(false);
  const { id, name, config, enabled } = destination;
  return (
    <Panel title={name} tools={<Button onPress={() => (isSending.value = true)}>Send an offer</Button>}>
      <Facts
        facts={{
          Address: config.url ?? "none",
          State: enabled ? <Status tone="ok">enabled</Status> : <Status tone="idle">disabled</Status>,
        }}
      />
      <Secrets destination={destination} />
      {isSending.value && <SendOffer destinations={[destination]} first={id} close={() => (isSending.value = false)} />}
    </Panel>
  );
}
