import type { RoleDefinition } from "@call-transfer/spec";
import type { ChangeLog } from "./change-log.ts";
import { ReportingMap } from "./changes/reporting-map.ts";
import { Calls, Groups, Members } from "./records/indexes.ts";
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
  UserRecord,
} from "./records/records.ts";
import type { TransferRecord } from "./records/transfer-record.ts";
import type { DeepReadonly } from "./values/deep-readonly.ts";

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
export interface WorldState extends State {
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
export function createState(log?: ChangeLog): WorldState {
  const records = <Item extends object>(collection: keyof WorldState) => new ReportingMap<Item>(collection, log);
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
export function clearState(state: WorldState): void {
  for (const records of Object.values(state)) records.clear();
}
