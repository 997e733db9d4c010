import type {
  DestinationGroup,
  MemberAvailability,
  Role,
  RoleDefinition,
  TransferDestination,
} from "@call-transfer/spec";
import type { Hours } from "./hours.ts";
import { Calls, Groups } from "./indexes.ts";
import type { TransferRecord } from "./transfer-record.ts";

export interface AccountRecord {
  readonly id: string;
  readonly name: string;
  suspended: boolean;
  /** IANA time zone for recipients whose own is unknown; undefined when the account's is unknown, too. */
  timeZone: string | undefined;
}

export interface UserRecord {
  readonly id: string;
  readonly name: string;
}

/** A user's membership in an account, with what was last set; reading it is a rule (§3). */
export interface MemberRecord {
  readonly id: string;
  readonly accountId: string;
  readonly userId: string;
  role: Role;
  /** Replaced as a whole. */
  availability: {
    readonly status: MemberAvailability["status"];
    readonly source?: MemberAvailability["source"] | undefined;
    readonly reason?: string | null | undefined;
    readonly until?: string | null | undefined;
    readonly updatedAt?: string | null | undefined;
  };
  busy: boolean;
  /** Undefined when the member is always within hours. */
  hours: Hours | undefined;
  /** Offers missed in a row. */
  missedCalls: number;
}

/** A destination with its secrets, which no answer but creation and rotation shows (§2.1). */
export interface DestinationRecord {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly kind: TransferDestination["kind"];
  enabled: boolean;
  config: Record<string, unknown>;
  readonly createdAt: string;
  updatedAt: string;
  signingSecret: string | undefined;
  previousSecret: string | undefined;
  /** Milliseconds since the epoch. */
  previousSecretExpiresAt: number | undefined;
}

/** Replaced as a whole. */
export interface GroupRecord extends Readonly<DestinationGroup> {
  readonly accountId: string;
}

export interface FlowRecord {
  readonly id: string;
  readonly accountId: string;
  published: boolean;
}

export interface ProviderRecord {
  readonly id: string;
  readonly accountId: string;
  active: boolean;
  /** Whether it refuses every call. */
  rejects: boolean;
}

export interface NumberRecord {
  readonly accountId: string;
  readonly number: string;
  active: boolean;
  verified: boolean;
  canInitiateCalls: boolean;
  readonly providerId: string | undefined;
}

export interface ContactRecord {
  readonly accountId: string;
  readonly number: string;
  doNotCall: boolean;
  readonly timeZone: string | undefined;
}

/** Replaced as a whole. */
export interface CallRecord {
  readonly id: string;
  readonly accountId: string;
  readonly direction: string;
  readonly status: string;
  /** Seconds; while the call is in progress it is counted from `startedAt`. */
  readonly duration: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  /** The request that placed it, with every field it brought. */
  readonly request: Readonly<Record<string, unknown>>;
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly key: string;
  readonly accountId: string;
  role: Role;
  /** Undefined grants every scope. */
  scopes: readonly string[] | undefined;
  state: "valid" | "expired" | "revoked";
  /** Milliseconds since the epoch. */
  expiresAt: number | undefined;
  /** Undefined allows every address. */
  allowedIps: readonly string[] | undefined;
}

/** Everything one backend knows. Maps are keyed by id unless told otherwise. */
export interface State {
  readonly accounts: Map<string, AccountRecord>;
  readonly users: Map<string, UserRecord>;
  readonly members: Map<string, MemberRecord>;
  readonly destinations: Map<string, DestinationRecord>;
  readonly groups: Groups;
  readonly flows: Map<string, FlowRecord>;
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
  readonly roles: Map<string, RoleDefinition>;
  /** In the order of starting. */
  readonly transfers: Map<string, TransferRecord>;
  /** Requests counted per credential: when the window began (milliseconds) and how many came. */
  readonly windows: Map<string, { from: number; count: number }>;
}

/** Key of a contact: numbers are contacts of an account, not of the platform. */
export function contactKey(accountId: string, number: string): string {
  return `${accountId} ${number}`;
}

/** Creates an empty state. */
export function createState(): State {
  return {
    accounts: new Map(),
    users: new Map(),
    members: new Map(),
    destinations: new Map(),
    groups: new Groups(),
    flows: new Map(),
    providers: new Map(),
    numbers: new Map(),
    contacts: new Map(),
    calls: new Calls(),
    apiKeys: new Map(),
    roles: new Map(),
    transfers: new Map(),
    windows: new Map(),
  };
}

/** Empties every map, so that whoever holds the state keeps holding it. */
export function clearState(state: State): void {
  for (const records of Object.values(state)) records.clear();
}
