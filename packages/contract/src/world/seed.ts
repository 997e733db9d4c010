/** The initial state of a target; a subset of the reference backend's seed. */
export interface Seed {
  /** Accounts. One with `suspended` refuses its requests (§5.2). */
  readonly accounts?: { id: string; name: string; suspended?: boolean; timeZone?: string }[];
  /** Users. */
  readonly users?: { id: string; name: string }[];
  /** Memberships of users in accounts. */
  readonly members?: SeedMember[];
  /** Destinations of calls. */
  readonly destinations?: SeedDestination[];
  /** Destination groups. */
  readonly groups?: SeedGroup[];
  /** Flows. Only a published one can run. */
  readonly flows?: { id: string; accountId: string; published: boolean }[];
  /** Phone numbers. */
  readonly numbers?: SeedNumber[];
  /** Providers. One with `rejects` refuses every call. */
  readonly providers?: { id: string; accountId: string; rejects?: boolean }[];
  /** Recipients of calls. */
  readonly contacts?: { accountId: string; number: string; doNotCall?: boolean; timeZone?: string }[];
  /** Calls that were placed before. */
  readonly calls?: SeedCall[];
}

/** A user's membership in an account. */
export interface SeedMember {
  id: string;
  accountId: string;
  userId: string;
  role: "owner" | "admin" | "member" | "agent";
  availability?: {
    status: "available" | "away" | "offline";
    source?: "member" | "admin" | "auto" | null;
    reason?: string | null;
    until?: string | null;
    updatedAt?: string | null;
  };
  busy?: boolean;
  hours?: Record<string, unknown>;
}

/** A destination. */
export interface SeedDestination {
  enabled?: boolean;
  id: string;
  accountId: string;
  name: string;
  kind: "phone" | "available_humans" | "app";
  config?: Record<string, unknown>;
  signingSecret?: string;
}

interface SeedGroup {
  id: string;
  accountId: string;
  name: string;
  members: { destinationId: string; ringTimeoutSecs?: number }[];
}

/** A phone number of an account. */
export interface SeedNumber {
  accountId: string;
  number: string;
  active: boolean;
  verified: boolean;
  canInitiateCalls: boolean;
  providerId?: string;
}

/** A call of an account. */
export interface SeedCall {
  id: string;
  accountId: string;
  direction: string;
  duration: number;
  status: string;
  createdAt: string;
}
