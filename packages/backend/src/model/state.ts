import type { RoleDefinition } from "@call-transfer/spec";
import type { Random } from "../utils/random.ts";
import type { DeepReadonly } from "../utils/values.ts";
import { type ChangeLog, type DescribedTimer, describedTimer } from "./change-log.ts";
import type { BackendClock, Step } from "./clock.ts";
import type { BackendEvent, EventLog, Events } from "./events.ts";
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

/** A record of a collection of stubs. */
export interface StubRecord {
  readonly id: string;
  /** The name of the collection. */
  readonly collection: string;
  /** The record as it is shown, with its id. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Everything one backend knows. */
export interface IndexedState extends State {
  readonly members: Members;
  readonly groups: Groups;
  readonly calls: Calls;
  /** The records of stubs, keyed by collection and id. */
  readonly stubRecords: Map<string, StubRecord>;
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
    stubRecords: records("stubRecords"),
    windows: records("windows"),
  };
}

/** Empties every map; the state object and its maps stay the same. */
export function clearState(state: IndexedState): void {
  for (const records of Object.values(state)) records.clear();
}

/** A time without a timer, because passing it only changes what is read. */
export interface Expiry {
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

/** The end of a member's status; undefined for one without an end. */
export function availabilityEnd({ id, availability }: MemberRecord): Expiry | undefined {
  if (availability.status === "available" || !availability.until) return undefined;
  return { at: Date.parse(availability.until), kind: "availability.ends", id };
}

/** The end of a destination's previous secret; undefined without one. */
export function previousSecretEnd({ id, previousSecretExpiresAt: at }: DestinationRecord): Expiry | undefined {
  return at === undefined ? undefined : { at, kind: "secret.expires", id };
}

/** The end of an API key; undefined for one without an end. */
export function keyEnd({ id, expiresAt: at }: ApiKeyRecord): Expiry | undefined {
  return at === undefined ? undefined : { at, kind: "key.expires", id };
}

/** Every expiry, also those that have passed, in no order. */
function expiriesOf({ members, destinations, apiKeys }: IndexedState): Expiry[] {
  const ends = [...members.values()].map(availabilityEnd);
  const expirations = [...destinations.values()].map(previousSecretEnd);
  const keys = [...apiKeys.values()].map(keyEnd);
  return [...ends, ...expirations, ...keys].filter((expiry) => expiry !== undefined);
}

/** Announces expiries when the clock passes them. */
export class Expiries {
  readonly #state: IndexedState;
  readonly #clock: BackendClock;
  readonly #events: Pick<Events, "emit">;
  /** Those after `#passed`, soonest first. */
  #coming: Expiry[] = [];
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

  /** Reads all records again, because any of them may have changed, or the clock may have been set back. */
  readonly refresh = (): void => {
    this.#passed = Math.min(this.#passed, this.#clock.now());
    this.#coming = expiriesOf(this.#state)
      .filter(({ at }) => at > this.#passed)
      .sort((a, b) => a.at - b.at);
    this.#setAlarm();
  };

  /** Adds an expiry of a record that changed. */
  readonly add = (expiry: Expiry | undefined): void => {
    if (expiry === undefined || expiry.at <= this.#passed) return;
    // Expiries that others replaced wait for their time. Once there are as many as records, they are dropped.
    const { members, destinations, apiKeys } = this.#state;
    if (this.#coming.length >= 2 * (members.size + destinations.size + apiKeys.size)) {
      this.refresh();
      return;
    }
    this.#coming.splice(this.#coming.findLastIndex(({ at }) => at <= expiry.at) + 1, 0, expiry);
    this.#setAlarm();
  };

  #setAlarm(): void {
    this.#clock.setAlarm(this.#coming[0]?.at, (at) => this.#pass(at));
  }

  #pass(until: number): void {
    this.#passed = until;
    const announced = new Set<string>();
    for (let next = this.#coming[0]; next !== undefined && next.at <= until; next = this.#coming[0]) {
      this.#coming.shift();
      const { at, kind, id } = next;
      // The record may have changed since, also to the same time again.
      if (!this.#isCurrent(next) || announced.has(id)) continue;
      announced.add(id);
      this.#events.emit(passedType[kind], { at: new Date(at).toISOString(), id });
    }
    this.#setAlarm();
  }

  #isCurrent({ at, kind, id }: Expiry): boolean {
    if (kind === "secret.expires") return this.#state.destinations.get(id)?.previousSecretExpiresAt === at;
    if (kind === "key.expires")
      return [...this.#state.apiKeys.values()].some((key) => key.id === id && key.expiresAt === at);
    const member = this.#state.members.get(id);
    return member !== undefined && availabilityEnd(member)?.at === at;
  }
}

/** One backend's state, clock, policies and events: what every rule may read and change. */
export interface BackendState {
  readonly state: IndexedState;
  readonly clock: BackendClock;
  readonly random: Random;
  readonly policies: Policies;
  readonly events: EventLog;
  /** Gets the expiries of records that change. */
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
  const later = expiriesOf(state).filter(({ at }) => at > now);
  return [...timers, ...later].sort((a, b) => a.at - b.at);
}

/** Moves the clock and returns what happened, in order. A step to the next timer also stops at expiries. */
export async function advance(backend: BackendState, step: Step): Promise<readonly BackendEvent[]> {
  const { clock, events, expiries } = backend;
  const endCollecting = events.collect();
  let happened: readonly BackendEvent[];
  try {
    // Records may have been replaced in the maps of the state.
    expiries.refresh();
    const [next] = "nextTimer" in step ? upcomingTimers(backend) : [];
    await clock.advance(next === undefined ? step : { to: Math.max(next.at, clock.now()) });
  } finally {
    happened = endCollecting();
  }
  return happened;
}
