import type { RoleDefinition } from "@call-transfer/spec";
import type { EffectLog } from "./changes/effects.ts";
import { type ChangeReport, ReportingMap } from "./changes/reporting-map.ts";
import type { Past } from "./past.ts";
import { Calls, Groups, Members } from "./records/indexes.ts";
import type {
  AccountRecord,
  ApiKeyRecord,
  ContactRecord,
  DestinationRecord,
  FlowRecord,
  NumberRecord,
  ProviderRecord,
  UserRecord,
} from "./records/records.ts";
import type { TransferRecord } from "./records/transfer-record.ts";
import type { Keeper } from "./storage/keeper.ts";
import type { DeepReadonly } from "./values/deep-readonly.ts";

/**
 * Everything one backend knows. Maps are keyed by id unless stated otherwise. A record changes only by `set`, which puts another
 * one in its place.
 */
export interface State {
  /** The accounts. */
  readonly accounts: Map<string, AccountRecord>;
  /** The users. */
  readonly users: Map<string, UserRecord>;
  /** The memberships. */
  readonly members: Members;
  /** The destinations. */
  readonly destinations: Map<string, DestinationRecord>;
  /** The destination groups. */
  readonly groups: Groups;
  /** The flows. */
  readonly flows: Map<string, FlowRecord>;
  /** The providers. */
  readonly providers: Map<string, ProviderRecord>;
  /** Keyed by number. */
  readonly numbers: Map<string, NumberRecord>;
  /** Keyed by `contactKey`. */
  readonly contacts: Map<string, ContactRecord>;
  /** In the order of placement. */
  readonly calls: Calls;
  /** Keyed by the key itself. */
  readonly apiKeys: Map<string, ApiKeyRecord>;
  /** Keyed by role. */
  readonly roles: Map<string, DeepReadonly<RoleDefinition>>;
  /** In the order of starting. */
  readonly transfers: Map<string, TransferRecord>;
  /** The rate-limit window of each credential: its start in milliseconds, and the number of requests so far. */
  readonly windows: Map<string, { readonly from: number; readonly count: number }>;
}

/** Key of a contact: numbers are contacts of an account, not of the platform. */
export function contactKey(accountId: string, number: string): string {
  return `${accountId} ${number}`;
}

/** What hears of each change of a record. */
export interface StateListeners {
  readonly effects: Pick<EffectLog, "change">;
  readonly past: Pick<Past, "change">;
  readonly keeper?: Keeper | undefined;
}

/** Creates an empty state that reports each change of a record. */
export function createState({ effects, past, keeper }: Partial<StateListeners> = {}): State {
  const reportFor =
    (collection: keyof State): ChangeReport<object> =>
    (key, before, after, next) => {
      effects?.change(collection, key, before, after);
      past?.change(collection, key, before, next);
      keeper?.change(collection, key, before, after);
    };
  const records = <Item extends object>(collection: keyof State) => new ReportingMap<Item>(reportFor(collection));
  return {
    accounts: records("accounts"),
    users: records("users"),
    members: new Members(reportFor("members")),
    destinations: records("destinations"),
    groups: new Groups(reportFor("groups")),
    flows: records("flows"),
    providers: records("providers"),
    numbers: records("numbers"),
    contacts: records("contacts"),
    calls: new Calls(reportFor("calls")),
    apiKeys: records("apiKeys"),
    roles: records("roles"),
    transfers: records("transfers"),
    windows: new ReportingMap((key, before, after, next) => {
      past?.change("windows", key, before, next);
      keeper?.change("windows", key, before, after, "soon");
    }),
  };
}

/** Empties every map; the state object and its maps stay the same. */
export function clearState(state: State): void {
  for (const records of Object.values(state)) records.clear();
}
