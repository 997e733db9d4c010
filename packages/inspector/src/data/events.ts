import type { BackendEvent } from "@call-transfer/backend";
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Control, Delivery, RequestEntry } from "./control.ts";
import { duration, matchesWords, messageIn } from "./format.ts";
import type { Session } from "./session.ts";

/** What an entry of the list is about. A timer is an expiry, or a step of the clock. */
export type EventKind = "request" | "webhook" | "call" | "transfer" | "timer";

/** A row of the list of events. */
export interface EventEntry {
  /** Its part of the address: `12` for a request, `webhook/ID` for a delivery, `at/ID` for another event. */
  readonly key: string;
  readonly kind: EventKind;
  readonly id: string;
  readonly at: string;
  readonly method: string;
  /** The operation, the stub, or the type of the event; empty if nothing matches. */
  readonly name: string;
  /** The path of a request, the address of a delivery, or the name of what the event is about. */
  readonly address: string;
  /** Undefined while a delivery waits for its answer and for other events, 0 if there was no response. */
  readonly status: number | undefined;
  /** The error code, or why there was no response. */
  readonly code: string;
  /** Why the request was refused, or the delivery got no response, in a sentence. */
  readonly reason: string;
  readonly isError: boolean;
  readonly durationMs: number | undefined;
  /** A role, or the end of a key. */
  readonly caller: string;
  readonly fault: string | undefined;
  readonly marks: readonly Mark[];
  /** The event itself, of calls, transfers and timers. */
  readonly event?: BackendEvent;
  /** The text that the filter searches, in lower case. */
  readonly text: string;
}

/** Special facts about an entry, shown as a tag. */
export type Mark = "replay" | "unmatched" | "stub" | "changed" | "sent again" | "two signatures";

/** The names behind ids, as far as they are known. */
export type NameOf = (id: string) => string;

/** The row of a request. */
export function entryOfRequest(request: RequestEntry): EventEntry {
  const { id, at, method, path, status, code, error, durationMs, fault, stub, caller } = request;
  const { operationId = stub ?? "" } = request;
  const marks: Mark[] = [];
  if (request.replayOf !== undefined) marks.push("replay");
  if (operationId === "" && !["server", "fallback"].includes(request.decidedBy.step)) marks.push("unmatched");
  if (stub !== undefined) marks.push("stub");
  if (request.changeCount !== undefined) marks.push("changed");
  return withText(
    {
      key: String(id),
      kind: "request",
      id: String(id),
      at,
      method,
      name: operationId,
      address: path,
      status,
      code: code ?? (status === 0 ? "no response" : error === undefined ? "" : "exception"),
      reason: reasonOf(request),
      isError: status === 0 || status >= 400,
      durationMs,
      caller: callerOf(caller),
      fault,
      marks,
    },
    [request.requestId, caller?.userId, caller?.accountId],
  );
}

/** What a handler threw, the operation that was probably meant, or the rule that decided. The fault has its own tag. */
function reasonOf({ status, error, closestOperations: [first] = [], decidedBy }: RequestEntry): string {
  if (error !== undefined) return error.split("\n", 1)[0] ?? "";
  if (first !== undefined) return `Did you mean ${first.method} ${first.path}?`;
  return status < 400 || decidedBy.step === "fault" ? "" : (decidedBy.detail ?? "");
}

function callerOf(caller: RequestEntry["caller"]): string {
  if (caller === undefined) return "";
  return caller.kind === "key" ? `key …${caller.key ?? ""}` : (caller.role ?? "user");
}

/** The facts of a delivery when it is sent; the rest follows with the answer. */
type SentDelivery = Pick<Delivery, "id" | "at" | "destinationId"> & Partial<Omit<Delivery, "signature">>;

/** How many signatures a delivery had: its list has each, its event their number. */
function signatureCount(delivery: object): number {
  const { signature } = delivery as { readonly signature?: { readonly v1?: unknown } };
  const signatures = signature?.v1;
  return Array.isArray(signatures) ? signatures.length : Number(signatures ?? 1);
}

/** The row of a delivery. */
export function entryOfDelivery(delivery: SentDelivery): EventEntry {
  const { id, at, url = "", status, accepted, error, durationMs, fault, redeliveryOf } = delivery;
  const isAnswered = accepted !== undefined;
  const marks: Mark[] = [];
  if (redeliveryOf !== undefined) marks.push("sent again");
  if (signatureCount(delivery) > 1) marks.push("two signatures");
  return withText(
    {
      key: `webhook/${id}`,
      kind: "webhook",
      id,
      at,
      method: "",
      name: "transfer.offer",
      address: url.replace(/\?.*$/, ""),
      status: isAnswered ? (status ?? 0) : undefined,
      code: error === undefined ? (isAnswered ? "" : "sending") : "no response",
      reason: error ?? firstLine(delivery),
      isError: accepted === false,
      durationMs,
      caller: "",
      fault,
      marks,
    },
    [delivery.destinationId, delivery.transferId],
  );
}

/** The first line of the response to a delivery that was not accepted: its list has the body, its event that line. */
function firstLine(delivery: SentDelivery & { readonly responseText?: string }): string {
  const { accepted, response, responseText } = delivery;
  if (accepted !== false) return "";
  return responseText ?? response?.body?.trim().split(/\r?\n/, 1)[0]?.slice(0, 200) ?? "";
}

const happenings: Readonly<Record<string, string>> = {
  "call.started": "Call started",
  "call.completed": "Call ended",
  "call.failed": "Call failed",
  "transfer.started": "Transfer started",
  "transfer.ring_ended": "Ring ended",
  "transfer.skipped": "Did not ring",
  "transfer.connected": "Transfer connected",
  "transfer.ended": "Transferred call ended",
  "transfer.unanswered": "Transfer unanswered",
  "transfer.abandoned": "Caller hung up",
  "transfer.answered_late": "Answered too late",
  "member.availability_changed": "Status of a member changed",
  "availability.ended": "Status of a member ended",
  "secret.expired": "Previous secret expired",
  "key.expired": "API key expired",
  "clock.changed": "Clock moved",
};
const failures = /^(?:call\.failed|transfer\.(?:unanswered|abandoned|answered_late))$/;

/** The row of an event of a call, a transfer, a member or the clock; undefined for one that another row shows. */
export function entryOfHappening(event: BackendEvent): EventEntry | undefined {
  const { eventId, type, at, id = "" } = event;
  const name = happenings[type];
  const { by, outcome, reason, code, status, memberId, destinationId } = event as Readonly<Record<string, unknown>>;
  // A change of rate is not an event of the sandbox's story.
  if (name === undefined || (type === "clock.changed" && by === undefined)) return undefined;
  const [part = ""] = type.split(".");
  const kind = part === "call" || part === "transfer" ? part : "timer";
  const words = [outcome, status, reason].filter((word) => typeof word === "string");
  return withText(
    {
      key: `at/${eventId}`,
      kind,
      id,
      at,
      method: "",
      name: type === "clock.changed" ? `${name} ${duration(Number(by))}` : name,
      address: String(memberId ?? destinationId ?? id),
      status: undefined,
      code: typeof code === "string" ? code : "",
      reason: words.join(": ").replaceAll("_", " "),
      isError: failures.test(type),
      durationMs: undefined,
      caller: "",
      fault: undefined,
      marks: [],
      event,
    },
    [type, id],
  );
}

/** The row that an event adds or changes; undefined for other events. */
export function entryOfEvent(event: BackendEvent): EventEntry | undefined {
  const { type, id = "", ...details } = event;
  // The event is the entry itself, with its id as a text.
  if (type === "request.completed") return entryOfRequest({ ...(details as unknown as RequestEntry), id: Number(id) });
  if (type === "delivery.started" || type === "delivery.completed")
    return entryOfDelivery({ ...(details as unknown as SentDelivery), id });
  return entryOfHappening(event);
}

function withText(entry: Omit<EventEntry, "text">, others: readonly (string | undefined)[]): EventEntry {
  const { id, method, name, address, status, code, reason, caller, fault, kind, marks } = entry;
  const words = [id, kind, method, name, address, status, code, reason, caller, fault, ...marks, ...others];
  return {
    ...entry,
    text: words
      .filter((word) => word !== undefined)
      .join("\n")
      .toLowerCase(),
  };
}

/** The chips above the list. */
export interface Chips {
  readonly errors: boolean;
  readonly webhooks: boolean;
  readonly calls: boolean;
}

/** The entries that the chips and the words of the filter leave. */
export function shownEntries(entries: readonly EventEntry[], chips: Chips, filter: string): readonly EventEntry[] {
  const { errors, webhooks, calls } = chips;
  if (!errors && !webhooks && !calls && filter.trim() === "") return entries;
  const isKind = ({ kind }: EventEntry) =>
    (!webhooks && !calls) || (webhooks && kind === "webhook") || (calls && (kind === "call" || kind === "transfer"));
  return entries.filter(
    (entry) => (!errors || entry.isError) && isKind(entry) && (filter === "" || matchesWords(entry.text, filter)),
  );
}

/** The events of the current sandbox, newest first. */
export interface EventStore {
  readonly entries: ReadonlySignal<readonly EventEntry[]>;
  /** Whether they were read. */
  readonly isLoaded: ReadonlySignal<boolean>;
  /** Why they could not be read. */
  readonly error: ReadonlySignal<string | undefined>;
  /** Leaves out everything so far. */
  clear(): void;
}

/** How many rows are kept. */
const maxEntries = 10_000;
/** How many events are read at the start; the server keeps 2000. */
const mostRead = 2000;

const stores = new WeakMap<Session, EventStore>();

/** The events of a session. They are collected from the first call on, also while another screen is shown. */
export function eventsOf(session: Session): EventStore {
  let store = stores.get(session);
  if (store === undefined) {
    store = createEventStore(session);
    stores.set(session, store);
  }
  return store;
}

/** Adds rows to those that are there, newest first, and drops the oldest beyond the limit. A row with a known key is replaced. */
export function addEntries(
  entries: readonly EventEntry[],
  keys: Set<string>,
  added: readonly EventEntry[],
  limit = maxEntries,
): readonly EventEntry[] {
  const fresh: EventEntry[] = [];
  const changed = new Map<string, EventEntry>();
  for (const entry of added) {
    if (keys.has(entry.key)) changed.set(entry.key, entry);
    else fresh.push(entry);
    keys.add(entry.key);
  }
  const all = [...fresh.reverse(), ...entries];
  for (const { key } of all.slice(limit)) keys.delete(key);
  const kept = all.slice(0, limit);
  if (changed.size === 0) return kept;
  return kept.map((entry) => {
    const next = changed.get(entry.key);
    // A delivery keeps the time at which it was sent.
    return next === undefined ? entry : { ...next, at: entry.at };
  });
}

async function load(control: Control): Promise<EventEntry[]> {
  const [requests, { deliveries }, events] = await Promise.all([
    control.requests(),
    control.deliveries(),
    control.latestEvents(mostRead),
  ]);
  const others = events.flatMap((event) => entryOfHappening(event) ?? []);
  return inOrderOf(events, [...requests.map(entryOfRequest), ...deliveries.map(entryOfDelivery), ...others]);
}

/** Sorts rows as they arrived: in the order of their events. Those whose event is not kept are older, in the order of their times. */
function inOrderOf(events: readonly BackendEvent[], entries: readonly EventEntry[]): EventEntry[] {
  const positions = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    const key = entryOfEvent(event)?.key ?? "";
    // A delivery stands where it was sent.
    if (!positions.has(key)) positions.set(key, index);
  }
  const position = ({ key }: EventEntry) => positions.get(key) ?? -1;
  return entries.toSorted((a, b) => position(a) - position(b) || Date.parse(a.at) - Date.parse(b.at));
}

function createEventStore(session: Session): EventStore {
  const rows = createRows();
  const isLoaded = signal(false);
  const error = signal<string | undefined>(undefined);
  /** The entries that arrive while the list is read. */
  let waiting: EventEntry[] = [];
  let loading: object | undefined;

  const reload = async () => {
    const own = {};
    loading = own;
    waiting = [];
    const result = await load(session.control.peek()).catch((reason: unknown) => reason);
    if (loading !== own) return;
    loading = undefined;
    if (Array.isArray(result)) {
      // Events of before the reading are among those that were read.
      rows.replace(result);
      error.value = undefined;
      isLoaded.value = true;
    } else {
      error.value = messageIn(result);
    }
    rows.add(waiting);
  };
  const forget = () => {
    isLoaded.value = false;
    rows.forget();
    void reload();
  };
  const take = (events: readonly BackendEvent[]) => {
    let batch: EventEntry[] = [];
    for (const event of events) {
      // Entries between the reading and the beginning of the events.
      if (event.type === "stream.began") void reload();
      if (isReload(event.type)) {
        batch = [];
        forget();
      }
      const entry = entryOfEvent(event);
      if (entry !== undefined) batch.push(entry);
    }
    if (batch.length === 0) return;
    if (loading !== undefined) waiting.push(...batch);
    else rows.add(batch);
  };

  session.onEvents(take);
  // Another sandbox, or the token that was missing.
  effect(() => {
    void session.control.value;
    forget();
  });
  return { entries: rows.entries, isLoaded, error, clear: rows.clear };
}

/** The rows, without those that were cleared. */
function createRows() {
  const entries = signal<readonly EventEntry[]>([]);
  let keys = new Set<string>();
  let hidden: ReadonlySet<string> = new Set();
  const replace = (next: readonly EventEntry[]) => {
    keys = new Set();
    entries.value = addEntries(
      [],
      keys,
      next.filter(({ key }) => !hidden.has(key)),
    );
  };
  return {
    entries,
    replace,
    add(more: readonly EventEntry[]) {
      entries.value = addEntries(entries.value, keys, more);
    },
    clear() {
      hidden = new Set([...hidden, ...keys]);
      replace([]);
    },
    forget() {
      hidden = new Set();
      replace([]);
    },
  };
}

/** Whether the list may be another one. */
function isReload(type: string): boolean {
  return type === "stream.gap" || type === "sandbox.reset" || type === "sandbox.restored";
}

/** A body of a call that the sandbox places. */
export interface SampleCall {
  readonly flowId: string;
  readonly fromNumber: string;
  readonly toNumber: string;
}

type StateRecord = Readonly<Record<string, unknown>>;

/** A number that the demo data lets everyone call. */
const toNumber = "+15550200001";

/** A call that the first account of a sandbox can place: a published flow, and a number that works. Undefined without them. */
export async function readSampleCall(control: Control): Promise<SampleCall | undefined> {
  const [accounts = [], flows = [], numbers = []] = await Promise.all(
    (["accounts", "flows", "numbers"] as const).map((collection) => control.records(collection)),
  );
  return sampleCallOf(accounts, flows, numbers);
}

/** {@link readSampleCall} from the records. */
export function sampleCallOf(
  [account]: readonly StateRecord[],
  flows: readonly StateRecord[],
  numbers: readonly StateRecord[],
): SampleCall | undefined {
  const works = (flags: readonly string[]) => (record: StateRecord) =>
    record.accountId === account?.id && flags.every((flag) => record[flag] !== false);
  const flow = flows.find(works(["published"]));
  const number = numbers.find(works(["active", "verified", "canInitiateCalls"]));
  if (flow === undefined || number === undefined) return undefined;
  return { flowId: String(flow.id), fromNumber: String(number.number), toNumber };
}
