import type { RoleDefinition } from "@call-transfer/spec";
import type { Random } from "../utils/random.ts";
import type { DeepReadonly } from "../utils/values.ts";
import { type ChangeLog, type DescribedTimer, describedTimer } from "./change-log.ts";
import type { BackendClock, Step } from "./clock.ts";
import { type BackendEvent, type Events, isOfClock } from "./events.ts";
import { Calls, Groups, Members, ReportingMap } from "./indexes.ts";
import type { Policies } from "./policies.ts";
import type {
  AccountRecord,
  ApiKeyRecord,
  CallRecord,
  ContactRecord,
  DestinationRecord,
  FlowRecord,
  GroupRecord,
  MemberRecord,
  NumberRecord,
  ProviderRecord,
  TransferRecord,
  UserRecord,
} from "./records.ts";
import type { StateWriter } from "./state-writer.ts";

/** All records of a backend. Maps are keyed by id unless stated otherwise. A record changes only by `set` of another one. */
export interface State {
  /** The accounts. */
  readonly accounts: Map<string, AccountRecord>;
  /** The users. */
  readonly users: Map<string, UserRecord>;
  /** The memberships. */
  readonly members: Map<string, MemberRecord>;
  /** The destinations. */
  readonly destinations: Map<string, DestinationRecord>;
  /** The destination groups. */
  readonly groups: Map<string, GroupRecord>;
  /** The flows. */
  readonly flows: Map<string, FlowRecord>;
  /** The providers. */
  readonly providers: Map<string, ProviderRecord>;
  /** Keyed by number. */
  readonly numbers: Map<string, NumberRecord>;
  /** Keyed by `contactKey`. */
  readonly contacts: Map<string, ContactRecord>;
  /** In the order of placement. */
  readonly calls: Map<string, CallRecord>;
  /** Keyed by the key itself. */
  readonly apiKeys: Map<string, ApiKeyRecord>;
  /** Keyed by role. */
  readonly roles: Map<string, DeepReadonly<RoleDefinition>>;
  /** In the order of starting. */
  readonly transfers: Map<string, TransferRecord>;
}

/** Everything one backend knows. */
export interface IndexedState extends State {
  readonly members: Members;
  readonly groups: Groups;
  readonly calls: Calls;
  /** The rate-limit window of each credential: its start in milliseconds, and the number of requests so far. */
  readonly windows: Map<string, { readonly from: number; readonly count: number }>;
}

/** Key of a contact: numbers are contacts of an account, not of the platform. */
export function contactKey(accountId: string, number: string): string {
  return `${accountId} ${number}`;
}

/** Creates an empty state. The log gets each change of a record. */
export function createState(log?: ChangeLog): IndexedState {
  const records = <Item extends object>(collection: keyof IndexedState) => new ReportingMap<Item>(collection, log);
  return {
    accounts: records("accounts"),
    users: records("users"),
    members: new Members("members", log),
    destinations: records("destinations"),
    groups: new Groups("groups", log),
    flows: records("flows"),
    providers: records("providers"),
    numbers: records("numbers"),
    contacts: records("contacts"),
    calls: new Calls("calls", log),
    apiKeys: records("apiKeys"),
    roles: records("roles"),
    transfers: records("transfers"),
    windows: records("windows"),
  };
}

/** Empties every map; the state object and its maps stay the same. */
export function clearState(state: IndexedState): void {
  for (const records of Object.values(state)) records.clear();
}

/** A time without a timer, because passing it only changes what is read. */
interface Expiry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The end of a member's status, of a destination's previous secret, or of an API key. */
  readonly kind: "availability.ends" | "secret.expires" | "key.expires";
  /** The id of the member, the destination or the key. */
  readonly id: string;
}

/** The type of the event that says that an expiry has passed. */
const passedType = {
  "availability.ends": "availability.ended",
  "secret.expires": "secret.expired",
  "key.expires": "key.expired",
} as const;

/** The expiries after a time, soonest first. */
function expiriesAfter(time: number, { members, destinations, apiKeys }: IndexedState): readonly Expiry[] {
  const all = [
    ...[...members.values()].map(({ id, availability: { status, until } }) => ({
      at: status === "available" || !until ? undefined : Date.parse(until),
      kind: "availability.ends" as const,
      id,
    })),
    ...[...destinations.values()].map(({ id, previousSecretExpiresAt: at }) => ({
      at,
      kind: "secret.expires" as const,
      id,
    })),
    ...[...apiKeys.values()].map(({ id, expiresAt: at }) => ({ at, kind: "key.expires" as const, id })),
  ];
  return all
    .flatMap(({ at, kind, id }) => (at === undefined || at <= time ? [] : [{ at, kind, id }]))
    .sort((a, b) => a.at - b.at);
}

/** Announces expiries when the clock passes them. */
export class Expiries {
  readonly #state: IndexedState;
  readonly #clock: BackendClock;
  readonly #events: Pick<Events, "emit">;
  #passed = Number.NEGATIVE_INFINITY;

  constructor({ state, clock, events }: { state: IndexedState; clock: BackendClock; events: Pick<Events, "emit"> }) {
    this.#state = state;
    this.#clock = clock;
    this.#events = events;
  }

  /** Begins again with all records, from the clock's time. */
  readonly restart = (): void => {
    this.#passed = this.#clock.now();
    this.refresh();
  };

  /** Looks for the next expiry, because any record may have changed, or the clock may have been set back. */
  readonly refresh = (): void => {
    this.#passed = Math.min(this.#passed, this.#clock.now());
    const [next] = expiriesAfter(this.#passed, this.#state);
    this.#clock.setAlarm(next?.at, (at) => this.#pass(at));
  };

  #pass(until: number): void {
    const passed = expiriesAfter(this.#passed, this.#state).filter(({ at }) => at <= until);
    this.#passed = until;
    for (const { at, kind, id } of passed) this.#events.emit(passedType[kind], { at: new Date(at).toISOString(), id });
    this.refresh();
  }
}

/** One backend's state, clock, policies and events: what every rule may read and change. */
export interface BackendState {
  readonly state: IndexedState;
  readonly clock: BackendClock;
  readonly random: Random;
  readonly policies: Policies;
  readonly events: Events;
  /** Reads the expiries of records again when they change. */
  readonly expiries: Expiries;
  /** Notes what changes. */
  readonly changes: ChangeLog;
  /** Stores what changes; absent for a backend in memory. */
  readonly writer?: StateWriter | undefined;
}

/** A future event: a timer, or the end of a status or a secret. */
export interface UpcomingTimer extends DescribedTimer {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Future events, soonest first. */
export function upcomingTimers({ clock, state }: BackendState): readonly UpcomingTimer[] {
  const now = clock.now();
  const timers = clock.timers().map(({ at, ...timer }) => ({ at, ...describedTimer(state.transfers, timer) }));
  return [...timers, ...expiriesAfter(now, state)].sort((a, b) => a.at - b.at);
}

/** Moves the clock and returns what happened, in order. A step to the next timer also stops at expiries. */
export async function advance(backend: BackendState, step: Step): Promise<readonly BackendEvent[]> {
  const { clock, events, expiries } = backend;
  const happened: BackendEvent[] = [];
  const note = (event: BackendEvent): void => {
    if (!isOfClock(event.type)) happened.push(event);
  };
  const stop = events.follow(note);
  try {
    // Records may have been replaced in the maps of the state.
    expiries.refresh();
    const [next] = "nextTimer" in step ? upcomingTimers(backend) : [];
    await clock.advance(next === undefined ? step : { to: Math.max(next.at, clock.now()) });
  } finally {
    stop();
  }
  return happened;
}
