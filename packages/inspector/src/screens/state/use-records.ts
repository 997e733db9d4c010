import { dataAs, messageOf } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useSession } from "../../data/session/context.ts";
import { throttled } from "../../data/values/throttled.ts";
import { type CollectionName, collectionNames } from "./fields.ts";
import { collectionsChangedBy, type RecordsByCollection, recordId, type StateRecord } from "./records.ts";

/** All records of the current sandbox. */
export interface LiveRecords {
  readonly records: RecordsByCollection;
  /** Why a collection could not be read. */
  readonly error: string | undefined;
  /** The records that changed a moment ago, as `collection/id`. */
  readonly changed: ReadonlySet<string>;
}

/** How often a collection is read again at most, in milliseconds. */
const pauseMs = 200;
/** How long a change is shown, in milliseconds. */
const changedMs = 2500;

/** Reads every collection, and those that an event changes again. */
export function useRecords(): LiveRecords {
  const session = useSession();
  const records = useSignal<RecordsByCollection>({});
  const error = useSignal<string | undefined>(undefined);
  const changed = useSignal<ReadonlySet<string>>(new Set());
  const control = session.control.value;
  useEffect(() => {
    let isCurrent = true;
    const texts = new Map<CollectionName, ReadonlyMap<string, string>>();
    const show = (name: CollectionName, list: readonly StateRecord[]) => {
      const before = texts.get(name);
      const after = new Map(list.map((record) => [recordId(name, record), JSON.stringify(record)]));
      texts.set(name, after);
      records.value = { ...records.value, [name]: list };
      const keys =
        before === undefined
          ? []
          : [...after].filter(([id, text]) => before.get(id) !== text).map(([id]) => `${name}/${id}`);
      if (keys.length === 0) return;
      changed.value = new Set([...changed.value, ...keys]);
      setTimeout(() => {
        changed.value = new Set([...changed.value].filter((key) => !keys.includes(key)));
      }, changedMs);
    };
    const load = async (name: CollectionName) => {
      const result = await control
        .GET("/_control/v1/records/{collection}", { params: { path: { collection: name }, query: { redact: true } } })
        .catch((reason: unknown) => String(reason));
      if (!isCurrent) return;
      if (typeof result === "string") error.value = result;
      else if (result.data === undefined) error.value = messageOf(result.error);
      else {
        error.value = undefined;
        show(name, dataAs<"RecordList">(result).records);
      }
    };
    const readers = new Map(collectionNames.map((name) => [name, throttled(pauseMs, () => load(name))]));
    for (const read of readers.values()) read();
    const stop = session.onEvents((events) => {
      const names = new Set(events.flatMap((event) => collectionsChangedBy(event, collectionNames)));
      for (const name of names) readers.get(name)?.();
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [control]);
  return { records: records.value, error: error.value, changed: changed.value };
}
