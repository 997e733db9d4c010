import { useSignal } from "@preact/signals";
import { useDestinations } from "../data/records/destinations.ts";
import {
  type Attempt,
  attemptsOf,
  type Delivery,
  type DestinationFacts,
  matchesFilter,
  outcomeOf,
} from "../data/records/webhooks.ts";
import { useSession } from "../data/session/context.ts";
import { useLive } from "../data/session/live.ts";
import { milliseconds } from "../data/values/format.ts";
import { Button } from "../parts/button.tsx";
import { Status, Time } from "../parts/data.tsx";
import { Filter } from "../parts/field.tsx";
import { Empty, LoadError, Screen, Split } from "../parts/screen.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { DeliveryDetail } from "./webhooks/delivery.tsx";
import { FirstWebhook } from "./webhooks/first-webhook.tsx";
import { InboxView } from "./webhooks/inbox.tsx";
import { Receivers } from "./webhooks/receivers.tsx";
import { SecretMark } from "./webhooks/secret-mark.tsx";
import { SendOffer } from "./webhooks/send-offer.tsx";
import { Views } from "./webhooks/views.tsx";

/** The screen Webhooks. */
export function Webhooks() {
  const [view, selected] = useSession().route.value.rest;
  if (view === "receivers") return <Receivers selected={selected} />;
  if (view === "inbox") return <InboxView />;
  return <Deliveries selected={view} />;
}

/** Deliveries in the list; the server keeps a thousand. */
const mostShown = 500;

function Deliveries({ selected }: { readonly selected: string | undefined }) {
  const session = useSession();
  const filter = useSignal("");
  const isSending = useSignal(false);
  const live = useLive<{ deliveries: readonly Delivery[] }>(
    (control) =>
      control.GET("/_control/v1/webhooks/deliveries", { params: { query: { redact: true, limit: mostShown } } }),
    ({ type }) => type.startsWith("webhook."),
  );
  const { destinations } = useDestinations();
  const nameOf = (id: string) => destinations?.find((one) => one.id === id)?.name ?? id;
  const all = live.data?.deliveries ?? [];
  const attempts = attemptsOf(all);
  const shown = all.filter((one) => matchesFilter(one, nameOf(one.destinationId), filter.value)).toReversed();
  const chosen = all.find(({ id }) => id === selected);
  return (
    <Screen
      title="Webhooks"
      tools={
        <>
          <Views current="deliveries" />
          <Filter
            value={filter.value}
            placeholder="Receiver, address, body, outcome"
            onChange={(value) => (filter.value = value)}
          />
        </>
      }
      actions={
        <Button rank={all.length === 0 ? "secondary" : "primary"} onPress={() => (isSending.value = true)}>
          Send an offer
        </Button>
      }
    >
      <LoadError error={live.error} />
      {live.data !== undefined && all.length === 0 ? (
        <FirstWebhook />
      ) : (
        <Split
          close={() => session.go("webhooks")}
          list={
            <DeliveryList
              shown={shown}
              isLoaded={live.data !== undefined}
              selected={selected}
              nameOf={nameOf}
              attempts={attempts}
            />
          }
          detail={
            selected === undefined || live.data === undefined ? undefined : (
              <Chosen delivery={chosen} destinations={destinations} attempt={attempts.get(selected)} />
            )
          }
        />
      )}
      {isSending.value && <SendOffer destinations={destinations ?? []} close={() => (isSending.value = false)} />}
    </Screen>
  );
}

function DeliveryList({
  shown,
  isLoaded,
  selected,
  nameOf,
  attempts,
}: {
  readonly shown: readonly Delivery[];
  readonly isLoaded: boolean;
  readonly selected: string | undefined;
  readonly nameOf: (destinationId: string) => string;
  readonly attempts: ReadonlyMap<string, Attempt>;
}) {
  const session = useSession();
  if (shown.length === 0 && isLoaded)
    return (
      <Empty title="No delivery contains these words">
        <p>Change the filter to see the others.</p>
      </Empty>
    );
  return (
    <VirtualList
      label="Deliveries"
      head={<DeliveryHead />}
      items={shown}
      keyOf={({ id }) => id}
      selected={selected}
      onSelect={(id) => session.go("webhooks", id)}
      row={(one) => <DeliveryRow delivery={one} name={nameOf(one.destinationId)} attempt={attempts.get(one.id)} />}
    />
  );
}

function Chosen({
  delivery,
  destinations,
  attempt,
}: {
  readonly delivery: Delivery | undefined;
  readonly destinations: readonly DestinationFacts[] | undefined;
  readonly attempt: Attempt | undefined;
}) {
  if (delivery === undefined)
    return (
      <Empty title="This delivery is not kept">
        <p>The sandbox was reset, or a thousand later deliveries replaced it in the list.</p>
      </Empty>
    );
  const destination = destinations?.find(({ id }) => id === delivery.destinationId);
  return <DeliveryDetail key={delivery.id} delivery={delivery} destination={destination} attempt={attempt} />;
}

/** What the columns of {@link DeliveryRow} show. */
function DeliveryHead() {
  return (
    <>
      <span class="delivery-time">Time</span>
      <span class="delivery-outcome">Outcome</span>
      <span class="delivery-name">Receiver</span>
      <span class="delivery-url">Address</span>
      <span>Signed with</span>
      <span class="delivery-duration">Took</span>
    </>
  );
}

function DeliveryRow({
  delivery,
  name,
  attempt,
}: {
  readonly delivery: Delivery;
  readonly name: string;
  readonly attempt: Attempt | undefined;
}) {
  const { at, url, durationMs, fault, signature } = delivery;
  const { tone, text } = outcomeOf(delivery);
  return (
    <>
      <Time at={at} />
      <span class="delivery-outcome">
        <Status tone={tone}>{text}</Status>
      </span>
      <span class="delivery-name" dir="auto">
        {name}
      </span>
      <span class="delivery-url" dir="auto">
        {url}
      </span>
      {fault !== undefined && <span class="tone-warn">{fault}</span>}
      {attempt !== undefined && attempt.of > 1 && (
        <span class="delivery-attempt number">
          {attempt.number} of {attempt.of}
        </span>
      )}
      <span class="delivery-secrets">
        {signature === undefined
          ? "unsigned"
          : signature.v1.map(({ secret }, index) => <SecretMark key={index} secret={secret} />)}
      </span>
      <span class="delivery-duration number">{milliseconds(durationMs)}</span>
    </>
  );
}
