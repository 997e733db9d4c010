import { operations } from "@call-transfer/spec";
import { pathExample, requestExample } from "./document.ts";

/** The initial state of a target; a subset of the reference backend's seed. */
export interface Seed {
  readonly accounts?: { id: string; name: string; suspended?: boolean; timeZone?: string }[];
  readonly users?: { id: string; name: string }[];
  readonly members?: SeedMember[];
  readonly destinations?: SeedDestination[];
  readonly flows?: { id: string; accountId: string; published: boolean }[];
  readonly numbers?: SeedNumber[];
  readonly providers?: { id: string; accountId: string; rejects?: boolean }[];
  readonly contacts?: { accountId: string; number: string; doNotCall?: boolean; timeZone?: string }[];
  readonly calls?: SeedCall[];
}
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
interface SeedDestination {
  enabled?: boolean;
  id: string;
  accountId: string;
  name: string;
  kind: "phone" | "available_humans" | "app";
  config?: Record<string, unknown>;
  signingSecret?: string;
}
interface SeedNumber {
  accountId: string;
  number: string;
  active: boolean;
  verified: boolean;
  canInitiateCalls: boolean;
  providerId?: string;
}
interface SeedCall {
  id: string;
  accountId: string;
  direction: string;
  duration: number;
  status: string;
  createdAt: string;
}

/** A UUID that ends in the given number. */
export const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** The start time of every case: noon UTC, which is within the callable hours. */
export const start = Date.parse("2026-03-02T12:00:00Z");

/** The ISO 8601 time that is `afterMs` milliseconds after {@link start}. */
export const iso = (afterMs: number): string => new Date(start + afterMs).toISOString();

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** The value in the contract's examples, so that each request example is valid in the initial state. */
const text = (value: unknown, what: string): string => {
  if (typeof value !== "string") throw new TypeError(`The contract's examples have no ${what}`);
  return value;
};
const callExample = requestExample("createCall") ?? {};
const groupExample = requestExample("createDestinationGroup") ?? {};
const exampleDestinations = (groupExample.members as { destinationId: string }[]).map((member) => member.destinationId);

/** The accounts: the main one, another one and a suspended one. */
export const accounts = {
  home: text(operations.listAccounts.successes[0].example.accounts[0].id, "account"),
  foreign: uuid(2),
  suspended: uuid(3),
};

/** The users by their role in the home account; `colleague` is the member in the contract's examples. */
export const users = {
  owner: uuid(11),
  admin: uuid(12),
  member: uuid(13),
  agent: uuid(14),
  colleague: uuid(15),
  stranger: uuid(16),
};

/** Memberships in the home account, and one in the foreign account. */
export const members = {
  owner: uuid(21),
  admin: uuid(22),
  member: uuid(23),
  agent: uuid(24),
  colleague: text(pathExample("getMemberAvailability", "memberId"), "member"),
  foreign: uuid(26),
};

const appId = text(pathExample("rotateDestinationSecret", "id"), "destination");

/** Destinations of the home account in the order in which groups list them, and special ones. */
export const destinations = {
  app: appId,
  phone: uuid(41),
  people: uuid(42),
  foreignApp: uuid(43),
  /** More than a group can have; those of the contract's example first. */
  many: [...new Set([...exampleDestinations, ...Array.from({ length: 20 }, (_, index) => uuid(50 + index))])],
};

/** Distinct values for properties of list items, so that lists of any length are valid. */
export const distinct: Readonly<Record<string, readonly string[]>> = { destinationId: destinations.many };

/** The URL of the `app` destination. */
export const receiverUrl = "https://receiver.example.com/offers";

/** The signing secret of the `app` destination before any rotation. */
export const firstSecret = "the-first-secret-of-the-contract-suite-a1b2";

const exampleNumber = text(callExample.fromNumber, "number");
const exampleProvider = text(callExample.providerId, "provider");

/** Flows, numbers, providers and recipients of calls. */
export const telephony = {
  flow: text(callExample.flowId, "flow"),
  unpublishedFlow: uuid(101),
  foreignFlow: uuid(102),
  number: exampleNumber,
  recipient: text(callExample.toNumber, "recipient"),
  inactiveNumber: "+15550109001",
  unverifiedNumber: "+15550109002",
  receiveOnlyNumber: "+15550109003",
  rejectedNumber: "+15550109004",
  foreignNumber: "+15550109005",
  rejectingProvider: uuid(111),
  doNotCall: "+15550109101",
  /** A contact whose local time is 4 AM at {@link start}. */
  asleep: "+15550109102",
  /** A contact whose local time is daytime at midnight UTC. */
  farEast: "+15550109103",
};

const number = (digits: string, changes: Partial<SeedNumber> = {}): SeedNumber => ({
  accountId: accounts.home,
  number: digits,
  active: true,
  verified: true,
  canInitiateCalls: true,
  ...changes,
});

const homeMember = (role: SeedMember["role"]): SeedMember => ({
  id: members[role],
  accountId: accounts.home,
  userId: users[role],
  role,
});

/** The past calls of the home account, newest first: more than a default page. */
export const pastCalls: readonly SeedCall[] = Array.from({ length: 25 }, (_, index) => ({
  id: uuid(200 + index),
  accountId: accounts.home,
  direction: index % 2 === 0 ? "outbound" : "inbound",
  duration: index,
  status: index % 5 === 0 ? "failed" : "completed",
  createdAt: iso(-(index + 1) * hourMs),
}));

/** The initial state of every case. */
export const world: Seed = {
  accounts: [
    { id: accounts.home, name: "Home", timeZone: "UTC" },
    { id: accounts.foreign, name: "Foreign", timeZone: "UTC" },
    { id: accounts.suspended, name: "Suspended", suspended: true, timeZone: "UTC" },
  ],
  users: Object.entries(users).map(([name, id]) => ({ id, name })),
  members: [
    homeMember("owner"),
    homeMember("admin"),
    homeMember("member"),
    homeMember("agent"),
    { id: members.colleague, accountId: accounts.home, userId: users.colleague, role: "member" },
    { id: members.foreign, accountId: accounts.foreign, userId: users.stranger, role: "owner" },
    { id: uuid(27), accountId: accounts.suspended, userId: users.owner, role: "owner" },
  ],
  destinations: [
    ...[...new Set([appId, ...destinations.many])].map(
      (id, index): SeedDestination =>
        id === appId
          ? {
              id,
              accountId: accounts.home,
              name: "App",
              kind: "app",
              config: { url: receiverUrl },
              signingSecret: firstSecret,
            }
          : { id, accountId: accounts.home, name: `Phone ${index}`, kind: "phone" },
    ),
    { id: destinations.phone, accountId: accounts.home, name: "Phone", kind: "phone" },
    { id: destinations.people, accountId: accounts.home, name: "People", kind: "available_humans" },
    {
      id: destinations.foreignApp,
      accountId: accounts.foreign,
      name: "Foreign app",
      kind: "app",
      config: { url: "https://foreign.example.com/offers" },
    },
  ],
  flows: [
    { id: telephony.flow, accountId: accounts.home, published: true },
    { id: telephony.unpublishedFlow, accountId: accounts.home, published: false },
    { id: telephony.foreignFlow, accountId: accounts.foreign, published: true },
  ],
  providers: [
    { id: exampleProvider, accountId: accounts.home },
    { id: telephony.rejectingProvider, accountId: accounts.home, rejects: true },
  ],
  numbers: [
    number(exampleNumber, { providerId: exampleProvider }),
    number(telephony.inactiveNumber, { active: false }),
    number(telephony.unverifiedNumber, { verified: false }),
    number(telephony.receiveOnlyNumber, { canInitiateCalls: false }),
    number(telephony.foreignNumber, { accountId: accounts.foreign }),
    number(telephony.rejectedNumber, { providerId: telephony.rejectingProvider }),
  ],
  contacts: [
    { accountId: accounts.home, number: telephony.doNotCall, doNotCall: true },
    { accountId: accounts.home, number: telephony.asleep, timeZone: "America/Los_Angeles" },
    { accountId: accounts.home, number: telephony.farEast, timeZone: "Pacific/Auckland" },
  ],
  calls: [
    ...pastCalls,
    { ...(pastCalls[0] as SeedCall), id: uuid(299), accountId: accounts.foreign, createdAt: iso(-minuteMs) },
  ],
};
