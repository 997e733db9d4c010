import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { curlOf } from "../data/code.ts";
import {
  type Chips,
  type EventEntry,
  type EventStore,
  eventsOf,
  type NameOf,
  readSampleCall,
  type SampleCall,
  shownEntries,
} from "../data/events.ts";
import { milliseconds } from "../data/format.ts";
import { act, useSession } from "../data/session.ts";
import { emptyDirectory, type Tone, useDirectory } from "../data/transfers.ts";
import { Button, ConfirmButton, Filter } from "../parts/controls.tsx";
import { Status, Time, toneOfStatus } from "../parts/data.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Empty, LoadError, Screen, Split } from "../parts/screen.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { ChosenDelivery } from "./delivery.tsx";
import { HappeningDetail, RequestDetail } from "./event-detail.tsx";
import { sampleRequest, sendAndShow } from "./new-request.tsx";

/** The screen Events: requests, webhooks, calls, transfers and timers in one list. */
export function Events() {
  const session = useSession();
  const store = eventsOf(session);
  const { nameOf } = useDirectory().data ?? emptyDirectory;
  const { rest } = session.route.value;
  // Other screens link to the entries that match a filter.
  const isFilter = rest[0] === "matching";
  const filter = useSignal(isFilter ? (rest[1] ?? "") : "");
  const chips = useSignal<Chips>({ errors: false, webhooks: false, calls: false });
  const selected = rest.length > 0 && !isFilter ? rest.join("/") : undefined;
  const entries = store.entries.value;
  const items = useMemo(() => shownEntries(entries, chips.value, filter.value), [entries, chips.value, filter.value]);
  const clearFilter = () => {
    filter.value = "";
    chips.value = { errors: false, webhooks: false, calls: false };
  };
  const chip = (name: keyof Chips, text: string) => (
    <Button
      rank="plain"
      pressed={chips.value[name]}
      onPress={() => (chips.value = { ...chips.value, [name]: !chips.value[name] })}
    >
      {text}
    </Button>
  );
  return (
    <Screen
      title="Events"
      tools={
        <>
          <Filter
            value={filter.value}
            onChange={(text) => (filter.value = text)}
            placeholder="Words, such as createCall 422 -webhook"
          />
          {chip("errors", "Errors")}
          {chip("webhooks", "Webhooks")}
          {chip("calls", "Calls")}
          <Count all={entries.length} shown={items.length} />
        </>
      }
      actions={
        entries.length > 0 && (
          <ConfirmButton
            label="Clear the list"
            action="Clear"
            question="Clear the list?"
            run={async () => {
              if (!(await act(session, () => session.control.value.clearRequests()))) return;
              store.clear();
              session.go("events");
            }}
          >
            The requests of the sandbox are removed, and the counts on Errors begin again. Records and the clock stay.
          </ConfirmButton>
        )
      }
    >
      <Split
        list={<List store={store} items={items} clearFilter={clearFilter} selected={selected} nameOf={nameOf} />}
        detail={selected && <Detail key={selected} path={rest} nameOf={nameOf} store={store} />}
        close={() => session.go("events")}
      />
    </Screen>
  );
}

function Detail({
  path: [first = "", second = ""],
  nameOf,
  store,
}: {
  readonly path: readonly string[];
  readonly nameOf: NameOf;
  readonly store: EventStore;
}) {
  if (first === "webhook") return <ChosenDelivery id={second} />;
  if (first !== "at") return <RequestDetail id={first} />;
  const event = store.entries.value.find(({ key }) => key === `at/${second}`)?.event;
  return event === undefined ? (
    <Empty title="This event is not kept">
      <p>The sandbox was reset, or later events replaced it.</p>
    </Empty>
  ) : (
    <HappeningDetail event={event} nameOf={nameOf} />
  );
}

function List({
  store,
  items,
  clearFilter,
  selected,
  nameOf,
}: {
  readonly store: EventStore;
  readonly items: readonly EventEntry[];
  readonly clearFilter: () => void;
  readonly selected: string | undefined;
  readonly nameOf: NameOf;
}) {
  const session = useSession();
  if (store.error.value !== undefined) return <LoadError error={store.error.value} />;
  if (store.entries.value.length === 0) return store.isLoaded.value ? <FirstCall /> : null;
  if (items.length === 0)
    return (
      <Empty title="Nothing matches the filter" action={<Button onPress={clearFilter}>Clear the filter</Button>}>
        <p>Each word must be in the event. A minus before a word leaves out the events that have it.</p>
      </Empty>
    );
  return (
    <div class="event-list">
      <VirtualList
        label="Events, newest first"
        head={<EventHead />}
        items={items}
        keyOf={({ key }) => key}
        selected={selected}
        onSelect={(key) => session.go("events", ...key.split("/"))}
        row={(entry) => <EventRow entry={entry} nameOf={nameOf} />}
      />
    </div>
  );
}

function Count({ all, shown }: { readonly all: number; readonly shown: number }) {
  const number = (count: number) => count.toLocaleString("en");
  if (all === 0) return null;
  return (
    <span class="number muted">
      {shown === all ? number(all) : `${number(shown)} of ${number(all)}`}
      <span class="visually-hidden"> listed</span>
    </span>
  );
}

/** The columns of {@link EventRow}. */
function EventHead() {
  return (
    <div class="event-row">
      <span>Time</span>
      <span>Kind</span>
      <span>Status</span>
      <span>Event</span>
      <span class="event-marks" />
      <span class="event-caller">Caller</span>
      <span class="event-duration">Took</span>
    </div>
  );
}

const kinds: Readonly<Record<Exclude<EventEntry["kind"], "request">, readonly [icon: IconName, text: string]>> = {
  webhook: ["webhooks", "webhook"],
  call: ["calls", "call"],
  transfer: ["product", "transfer"],
  timer: ["timer", "timer"],
};

function EventRow({ entry, nameOf }: { readonly entry: EventEntry; readonly nameOf: NameOf }) {
  const { kind, at, method, name, address, code, reason, durationMs, caller, fault, marks, event } = entry;
  const tone = toneOf(entry);
  const [icon, text] = kind === "request" ? [undefined, method] : kinds[kind];
  return (
    <div class="event-row">
      <Time at={at} withMilliseconds />
      <span class={`event-kind event-${kind}`}>
        {icon !== undefined && <Icon name={icon} />}
        <span>{text}</span>
      </span>
      <span class="event-status">
        {event === undefined && (
          <Status tone={tone}>{entry.status === undefined ? "…" : entry.status || "none"}</Status>
        )}
      </span>
      <span class="event-what" dir="auto">
        {name !== "" && <strong class={event !== undefined && entry.isError ? "tone-bad" : ""}>{name}</strong>}{" "}
        {code !== "" && <span class={`event-code tone-${tone}`}>{code}</span>}{" "}
        {reason !== "" && (
          <span class="event-reason" title={reason}>
            {reason}
          </span>
        )}{" "}
        <span class={event === undefined ? "event-address" : "muted"}>
          {event === undefined ? address : address && nameOf(address)}
        </span>
      </span>
      <span class="event-marks">
        {fault !== undefined && <span class="tag tone-warn">{fault}</span>}
        {marks.map((mark) => (
          <span key={mark} class={`tag tone-${mark === "unmatched" ? "warn" : "idle"}`}>
            {mark}
          </span>
        ))}
      </span>
      <span class="event-caller" dir="auto">
        {caller}
      </span>
      <span class="event-duration number">{durationMs === undefined ? "" : milliseconds(durationMs)}</span>
    </div>
  );
}

const toneOf = ({ status, isError, event }: EventEntry): Tone =>
  event !== undefined
    ? isError
      ? "bad"
      : "idle"
    : status === undefined
      ? "info"
      : status === 0
        ? "bad"
        : toneOfStatus(status);

/** Places the first call: with one press, from a shell, or from a program. */
function FirstCall() {
  const session = useSession();
  const call = useSampleCall();
  if (call === "reading") return null;
  const request = sampleRequest(session, call);
  return (
    <Empty
      title="No event yet"
      command={curlOf(request)}
      action={
        <Button rank="primary" onPress={() => act(session, () => sendAndShow(session, "key", request))}>
          {call === undefined ? "List the calls" : "Place a call"}
        </Button>
      }
    >
      <p>
        Requests to the API, webhooks, calls, transfers and timers appear here as they happen. The command reads the API
        key from <code>CALL_TRANSFER_API_KEY</code>, which <code>--write-env .env</code> and “Get credentials” give you.
      </p>
    </Empty>
  );
}

/** A call that the sandbox can place; undefined if it has none or cannot be read. */
function useSampleCall(): SampleCall | undefined | "reading" {
  const { control } = useSession();
  const sample = useSignal<SampleCall | undefined | "reading">("reading");
  const current = control.value;
  useEffect(() => {
    let isCurrent = true;
    const show = (call: SampleCall | undefined) => {
      if (isCurrent) sample.value = call;
    };
    readSampleCall(current).then(show, () => show(undefined));
    return () => {
      isCurrent = false;
    };
  }, [current]);
  return sample.value;
}
