import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { parseTrafficFilter, trafficWords } from "../data/records/traffic-filter.ts";
import { type TrafficStore, trafficOf } from "../data/records/traffic-store.ts";
import { useSession } from "../data/session/context.ts";
import { Button } from "../parts/button.tsx";
import { ClearJournal } from "../parts/clear-journal.tsx";
import { Filter } from "../parts/field.tsx";
import { Empty, LoadError, Screen, Split } from "../parts/screen.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { DeliveryDetail } from "./traffic/delivery-detail.tsx";
import { FirstRequest } from "./traffic/first-request.tsx";
import { RequestDetail } from "./traffic/request-detail.tsx";
import { TrafficHead, TrafficRow } from "./traffic/traffic-row.tsx";

/** The screen Traffic: requests and webhooks as they come, and each taken apart. */
export function Traffic() {
  const session = useSession();
  const store = trafficOf(session);
  const { screen, rest } = session.route.value;
  // Other screens link to what matches a filter.
  const isFilter = rest[0] === "matching";
  const filter = useSignal(isFilter ? (rest[1] ?? "") : "");
  const selected = screen === "traffic" && rest.length > 0 && !isFilter ? rest : undefined;
  return (
    <Screen
      title="Traffic"
      tools={
        <>
          <Filter
            value={filter.value}
            onChange={(text) => (filter.value = text)}
            placeholder="Text, status:5xx, op:createCall, is:webhook"
          />
          <FilterWords add={(word) => (filter.value = `${filter.value} ${word}`.trim())} />
          <Count store={store} filter={filter.value} />
        </>
      }
      actions={
        store.entries.value.length > 0 && (
          <ClearJournal
            done={() => {
              store.clear();
              session.go("traffic");
            }}
          />
        )
      }
    >
      <Split
        list={
          <List
            store={store}
            filter={filter.value}
            clearFilter={() => (filter.value = "")}
            selected={selected?.join("/")}
          />
        }
        detail={selected && <Detail key={selected.join("/")} path={selected} />}
        close={() => session.go("traffic")}
      />
    </Screen>
  );
}

function Detail({ path: [first = "", second = ""] }: { readonly path: readonly string[] }) {
  return first === "webhook" ? <DeliveryDetail id={second} /> : <RequestDetail id={first} />;
}

function useFiltered(store: TrafficStore, filter: string) {
  const entries = store.entries.value;
  const matches = useMemo(() => parseTrafficFilter(filter), [filter]);
  return useMemo(() => (matches === undefined ? entries : entries.filter(matches)), [entries, matches]);
}

function List({
  store,
  filter,
  clearFilter,
  selected,
}: {
  readonly store: TrafficStore;
  readonly filter: string;
  readonly clearFilter: () => void;
  readonly selected: string | undefined;
}) {
  const session = useSession();
  const items = useFiltered(store, filter);
  if (store.error.value !== undefined) return <LoadError error={store.error.value} />;
  if (store.entries.value.length === 0) return store.isLoaded.value ? <FirstRequest /> : null;
  if (items.length === 0)
    return (
      <Empty
        title="Nothing matches the filter"
        action={
          <Button rank="primary" onPress={clearFilter}>
            Clear the filter
          </Button>
        }
      >
        <p>“Filter help” lists the words that it takes.</p>
      </Empty>
    );
  return (
    <div class="traffic-list">
      <VirtualList
        label="Requests and webhooks, newest first"
        head={<TrafficHead />}
        items={items}
        keyOf={({ key }) => key}
        selected={selected}
        onSelect={(key) => session.go("traffic", ...key.split("/"))}
        row={(entry) => <TrafficRow entry={entry} />}
      />
    </div>
  );
}

function Count({ store, filter }: { readonly store: TrafficStore; readonly filter: string }) {
  const all = store.entries.value.length;
  const shown = useFiltered(store, filter).length;
  const number = (count: number) => count.toLocaleString("en");
  if (all === 0) return null;
  return (
    <span class="traffic-count number">
      {shown === all ? number(all) : `${number(shown)} of ${number(all)}`}
      <span class="visually-hidden"> listed</span>
    </span>
  );
}

/** The words that the filter takes; a click adds one. */
function FilterWords({ add }: { readonly add: (word: string) => void }) {
  return (
    <details class="traffic-words">
      <summary class="button button-secondary">Filter help</summary>
      <ul>
        {trafficWords.map(([word, meaning]) => (
          <li key={word}>
            <Button onPress={() => add(word)}>
              <code>{word}</code>
            </Button>
            <span>{meaning}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
