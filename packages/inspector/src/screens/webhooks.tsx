import { limits } from "@call-transfer/spec";
import { useSignal } from "@preact/signals";
import { shellCommand } from "../data/code.ts";
import type { Delivery } from "../data/control.ts";
import { entryOfDelivery, type NameOf } from "../data/events.ts";
import { day, duration, matchesWords, milliseconds, newUuid, timeOfDay } from "../data/format.ts";
import { useLive } from "../data/live.ts";
import { act, callApi, useSession } from "../data/session.ts";
import { connectInbox, type Endpoint, outcomeOf, overlapOf, useEndpoints } from "../data/webhooks.ts";
import { Button, CopyButton, Filter } from "../parts/controls.tsx";
import { Code, Facts, Secret, Status, Time } from "../parts/data.tsx";
import { Empty, Link, LoadError, Panel, Screen, Split } from "../parts/screen.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { ChosenDelivery } from "./delivery.tsx";

/** Deliveries in the list; the server keeps a thousand. */
const mostShown = 500;

/** The screen Webhooks: a card for each endpoint, and the deliveries below. */
export function Webhooks() {
  const session = useSession();
  const [selected] = session.route.value.rest;
  const filter = useSignal("");
  const endpoints = useEndpoints();
  const live = useLive(
    (control) => control.deliveries(mostShown),
    ({ type }) => type === "delivery.started" || type === "delivery.completed",
  );
  const inboxUrl = useLive((control) => control.inboxUrl()).data;
  const nameOf: NameOf = (id) => endpoints.data?.find((one) => one.id === id)?.name ?? id.slice(0, 8);
  const all = live.data?.deliveries ?? [];
  const shown = all
    .filter((one) =>
      matchesWords(`${entryOfDelivery(one).text} ${nameOf(one.destinationId)} ${one.body}`, filter.value),
    )
    .toReversed();
  return (
    <Screen
      title="Webhooks"
      tools={
        <Filter value={filter.value} placeholder="Endpoint, status, body" onChange={(text) => (filter.value = text)} />
      }
    >
      <LoadError error={live.error ?? endpoints.error} />
      <Split
        close={() => session.go("webhooks")}
        list={
          <div class="webhooks">
            <div class="cards">
              {endpoints.data?.map((endpoint) => (
                <Card key={endpoint.id} endpoint={endpoint} forwardedTo={live.data?.forwardedTo} inboxUrl={inboxUrl} />
              ))}
              {endpoints.data?.length === 0 && <NoEndpoint />}
            </div>
            {live.data !== undefined && (
              <Deliveries shown={shown} total={all.length} selected={selected} nameOf={nameOf} />
            )}
          </div>
        }
        detail={selected === undefined ? undefined : <ChosenDelivery key={selected} id={selected} />}
      />
    </Screen>
  );
}

/** Sends a signed offer to an endpoint, and shows its delivery. */
function useSendTest() {
  const session = useSession();
  return (endpointId: string) =>
    act(session, async () => {
      const { id } = await session.control.value.sendOffer(endpointId);
      session.go("webhooks", id);
    });
}

/** Adds an endpoint for the built-in inbox, or sets the address of one to it, and sends the first offer. */
function useInbox(endpoint?: Endpoint) {
  const session = useSession();
  const sendTest = useSendTest();
  return () =>
    act(session, async () => {
      const id = await connectInbox(session.control.value, endpoint, newUuid);
      await sendTest(id);
    });
}

function NoEndpoint() {
  return (
    <Empty
      title="No endpoint yet"
      action={
        <Button rank="primary" onPress={useInbox()}>
          Use the built-in inbox
        </Button>
      }
    >
      <p>A destination of the kind app is an endpoint. The inbox can be the first one: it needs no server.</p>
    </Empty>
  );
}

function Card({
  endpoint,
  forwardedTo,
  inboxUrl,
}: {
  readonly endpoint: Endpoint;
  /** The URL that the server forwards deliveries to, unless they go to the inbox. */
  readonly forwardedTo: string | undefined;
  /** The address of the built-in inbox; undefined until it is read. */
  readonly inboxUrl: string | undefined;
}) {
  const session = useSession();
  const sendTest = useSendTest();
  const useInboxHere = useInbox(endpoint);
  const { id, name, config, enabled } = endpoint;
  const isInbox = config.url === inboxUrl;
  const rotate = () =>
    act(
      session,
      () => callApi(session, "rotateDestinationSecret", { id }),
      `The secret is rotated. Both secrets sign for ${limits.previousSecretOverlapHours} hours.`,
    );
  return (
    <Panel
      title={name}
      tools={
        <>
          <Button label={`Rotate: secret of ${name}`} onPress={rotate}>
            Rotate
          </Button>
          <Button label={`Send test: ${name}`} onPress={() => sendTest(id)}>
            Send test
          </Button>
        </>
      }
    >
      <Facts
        facts={{
          Address: (
            <>
              <Link to={["records", "destinations", id]}>
                <Code>{config.url ?? "none"}</Code>
              </Link>
              {enabled === false && <Status tone="idle">disabled</Status>}
            </>
          ),
          "Forwarded to": isInbox ? undefined : forwardedTo && <Code>{forwardedTo}</Code>,
          Secret: <Secrets endpoint={endpoint} />,
        }}
      />
      {isInbox ? (
        <p class="muted">The built-in inbox accepts each offer.</p>
      ) : (
        <p class="muted">
          No server yet?{" "}
          <Button rank="plain" onPress={useInboxHere}>
            Use the built-in inbox
          </Button>
        </p>
      )}
    </Panel>
  );
}

/** The secret of an endpoint, and the time in which the old and the new one both sign. */
function Secrets({ endpoint }: { readonly endpoint: Endpoint }) {
  const session = useSession();
  const control = session.control.value;
  const { id, previousSecretExpiresAt } = endpoint;
  const now = session.clock.now.value;
  const overlap = overlapOf(endpoint);
  const read = async (field: "signingSecret" | "previousSecret") =>
    String((await control.record("destinations", id))?.[field] ?? "");
  return (
    <div class="actions">
      <Secret key={`new ${previousSecretExpiresAt}`} name="secret" load={() => read("signingSecret")} />
      <CopyButton label="Copy the secret" text={() => read("signingSecret")}>
        Copy
      </CopyButton>
      {overlap !== undefined && now < overlap.to && previousSecretExpiresAt !== undefined && (
        <>
          <p>
            <Status tone="warn">Two signatures</Status> until {day(overlap.to)} {timeOfDay(overlap.to)},{" "}
            {duration(overlap.to - now)} left
          </p>
          <Button icon="next" onPress={() => act(session, () => control.advance({ to: previousSecretExpiresAt }))}>
            Skip to its end
          </Button>
        </>
      )}
    </div>
  );
}

function Deliveries({
  shown,
  total,
  selected,
  nameOf,
}: {
  readonly shown: readonly Delivery[];
  readonly total: number;
  readonly selected: string | undefined;
  readonly nameOf: NameOf;
}) {
  const session = useSession();
  if (total === 0)
    return (
      <Empty title="No delivery yet" command={shellCommand(session, "webhooks trigger")}>
        <p>Each transfer to an endpoint sends it a signed offer, which appears here. “Send test” sends one now.</p>
      </Empty>
    );
  if (shown.length === 0)
    return (
      <Empty title="No delivery matches the filter">
        <p>Change the filter to see the others.</p>
      </Empty>
    );
  return (
    <VirtualList
      label="Deliveries, newest first"
      head={
        <div class="delivery-row">
          <span>Time</span>
          <span>Outcome</span>
          <span>Endpoint</span>
          <span class="delivery-reason">Reason</span>
          <span class="event-duration">Took</span>
        </div>
      }
      items={shown}
      keyOf={({ id }) => id}
      selected={selected}
      onSelect={(id) => session.go("webhooks", id)}
      row={(one) => <DeliveryRow delivery={one} name={nameOf(one.destinationId)} />}
    />
  );
}

function DeliveryRow({ delivery, name }: { readonly delivery: Delivery; readonly name: string }) {
  const { tone, text } = outcomeOf(delivery);
  const { reason, marks, fault } = entryOfDelivery(delivery);
  return (
    <div class="delivery-row">
      <Time at={delivery.at} />
      <Status tone={tone}>{text}</Status>
      <span dir="auto">{name}</span>
      <span class="delivery-reason">
        <span class="event-reason" dir="auto" title={reason}>
          {reason}
        </span>
        {fault !== undefined && <span class="tag tone-warn">{fault}</span>}
        {marks.map((mark) => (
          <span key={mark} class="tag tone-idle">
            {mark}
          </span>
        ))}
      </span>
      <span class="event-duration number">{milliseconds(delivery.durationMs)}</span>
    </div>
  );
}
