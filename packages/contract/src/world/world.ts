import { operations } from "@call-transfer/spec";
import { pathExample, requestExample } from "../document/document.ts";
import type { Seed, SeedCall, SeedDestination, SeedMember, SeedNumber } from "./seed.ts";

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

/**
 * The accounts. The users of `home` are also members of `foreign`, with other roles there. They are not members of
 * `outside`, and only the owner is a member of `suspended`.
 */
export const accounts = {
  home: text(operations.listAccounts.successes[0].example.accounts[0].id, "account"),
  foreign: uuid(2),
  suspended: uuid(3),
  outside: uuid(4),
};

/**
 * The users by their role in the home account; `colleague` is the member in the contract's examples. `stranger` is the
 * owner of the foreign account only, `outsider` of the account outside. `unattached` is a member of no account.
 */
export const users = {
  owner: uuid(11),
  admin: uuid(12),
  member: uuid(13),
  agent: uuid(14),
  colleague: uuid(15),
  stranger: uuid(16),
  outsider: uuid(17),
  unattached: uuid(18),
};

/** Memberships in the home account, and the stranger's in the foreign account. */
export const members = {
  owner: uuid(21),
  admin: uuid(22),
  member: uuid(23),
  agent: uuid(24),
  colleague: text(pathExample("getMemberAvailability", "memberId"), "member"),
  foreign: uuid(26),
};

/** The home account's users as members of the foreign account: their memberships and roles there. */
export const foreignMembers = {
  owner: { id: uuid(31), role: "agent" },
  admin: { id: uuid(32), role: "member" },
  member: { id: uuid(33), role: "admin" },
  agent: { id: uuid(34), role: "owner" },
  colleague: { id: uuid(35), role: "admin" },
} as const satisfies Record<string, { id: string; role: SeedMember["role"] }>;

const appId = text(pathExample("rotateDestinationSecret", "id"), "destination");

/** Destinations of the home account in the order in which groups list them, and special ones. */
export const destinations = {
  app: appId,
  phone: uuid(41),
  people: uuid(42),
  foreignApp: uuid(43),
  foreignPeople: uuid(44),
  otherApp: uuid(45),
  /** More than a group can have; those of the contract's example first. */
  many: [...new Set([...exampleDestinations, ...Array.from({ length: 20 }, (_, index) => uuid(50 + index))])],
};

/** Distinct values for properties of list items, so that lists of any length are valid. */
export const distinct: Readonly<Record<string, readonly string[]>> = { destinationId: destinations.many };

/** The URL of the `app` destination. */
export const receiverUrl = "https://receiver.example.com/offers";

/** The signing secret of the `app` destination before any rotation. */
export const firstSecret = "the-first-secret-of-the-contract-suite-a1b2";

/** The signing secret of the home account's other app, `otherApp`. */
export const otherSecret = "the-secret-of-another-app-of-the-home-account-e5f6";

/** The signing secret of the foreign account's `app` destination. */
export const foreignSecret = "the-secret-of-the-foreign-account-c3d4";

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
  foreignProvider: uuid(112),
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

const foreignMember = (name: keyof typeof foreignMembers, state: Partial<SeedMember> = {}): SeedMember => ({
  ...foreignMembers[name],
  accountId: accounts.foreign,
  userId: users[name],
  ...state,
});

/** A call of the foreign account that is in progress at {@link start}. */
export const foreignCallInProgress = uuid(301);

/** A call that the foreign account placed shortly before {@link start}. */
const foreignCall = (index: number, status: string): SeedCall => ({
  id: uuid(300 + index),
  accountId: accounts.foreign,
  direction: "outbound",
  duration: 0,
  status,
  createdAt: iso(-(20 - index) * 1000),
});

/**
 * An account beside the home account: busy, with the same recipients, group names and users, and with everything about them
 * different. It shows when an operation of the home account reads or counts something of another account. A phone number
 * belongs to one account, so its own number differs.
 */
const foreign = {
  /** 4 AM at {@link start}: outside the callable hours. */
  account: { id: accounts.foreign, name: "Twin of the home account", timeZone: "America/Los_Angeles" },
  /** Before and after the memberships at home, so that neither the first nor the last of a user is always the right one. */
  membersBefore: [
    foreignMember("owner", { busy: true }),
    foreignMember("admin", { availability: { status: "away", source: "admin" } }),
  ],
  membersAfter: [
    foreignMember("member", { availability: { status: "offline", source: "member" } }),
    foreignMember("agent", { hours: {} }),
    foreignMember("colleague", { busy: true, hours: {}, availability: { status: "away", source: "member" } }),
    { id: members.foreign, accountId: accounts.foreign, userId: users.stranger, role: "owner" },
  ] satisfies SeedMember[],
  destinations: [
    {
      id: destinations.foreignApp,
      accountId: accounts.foreign,
      name: "App of the twin",
      kind: "app",
      config: { url: receiverUrl },
      signingSecret: foreignSecret,
    },
    {
      id: destinations.foreignPeople,
      accountId: accounts.foreign,
      name: "People of the twin",
      kind: "available_humans",
    },
  ] satisfies SeedDestination[],
  groups: [...new Set(["Front desk", "One", "Ringing", text(groupExample.name, "group")])].map((name, index) => ({
    id: uuid(90 + index),
    accountId: accounts.foreign,
    name,
    members: [{ destinationId: destinations.foreignApp, ringTimeoutSecs: 20 }],
  })),
  contacts: [
    { number: telephony.recipient, doNotCall: true, timeZone: "America/Los_Angeles" },
    { number: telephony.farEast, doNotCall: true, timeZone: "America/Los_Angeles" },
    { number: telephony.doNotCall, timeZone: "UTC" },
    { number: telephony.asleep, timeZone: "UTC" },
  ].map((contact) => ({ accountId: accounts.foreign, ...contact })),
  /** As many calls in progress as the reference backend allows by default, a queue, and a past call. */
  calls: [
    { ...foreignCall(0, "completed"), createdAt: iso(-hourMs) },
    ...Array.from({ length: 10 }, (_, index) => foreignCall(1 + index, "in_progress")),
    ...Array.from({ length: 3 }, (_, index) => foreignCall(11 + index, "queued")),
  ],
};

/** The initial state of every case. */
export const world: Seed = {
  accounts: [
    foreign.account,
    { id: accounts.home, name: "Home", timeZone: "UTC" },
    { id: accounts.suspended, name: "Suspended", suspended: true, timeZone: "UTC" },
    { id: accounts.outside, name: "Outside", timeZone: "UTC" },
  ],
  users: Object.entries(users).map(([name, id]) => ({ id, name })),
  members: [
    ...foreign.membersBefore,
    homeMember("owner"),
    homeMember("admin"),
    homeMember("member"),
    homeMember("agent"),
    { id: members.colleague, accountId: accounts.home, userId: users.colleague, role: "member" },
    ...foreign.membersAfter,
    { id: uuid(27), accountId: accounts.suspended, userId: users.owner, role: "owner" },
    { id: uuid(28), accountId: accounts.outside, userId: users.outsider, role: "owner" },
  ],
  destinations: [
    ...foreign.destinations,
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
    {
      id: destinations.otherApp,
      accountId: accounts.home,
      name: "Other app",
      kind: "app",
      config: { url: receiverUrl },
      signingSecret: otherSecret,
    },
    { id: destinations.phone, accountId: accounts.home, name: "Phone", kind: "phone" },
    { id: destinations.people, accountId: accounts.home, name: "People", kind: "available_humans" },
  ],
  groups: foreign.groups,
  flows: [
    { id: telephony.foreignFlow, accountId: accounts.foreign, published: true },
    { id: telephony.flow, accountId: accounts.home, published: true },
    { id: telephony.unpublishedFlow, accountId: accounts.home, published: false },
  ],
  providers: [
    { id: telephony.foreignProvider, accountId: accounts.foreign },
    { id: exampleProvider, accountId: accounts.home },
    { id: telephony.rejectingProvider, accountId: accounts.home, rejects: true },
  ],
  numbers: [
    number(telephony.foreignNumber, { accountId: accounts.foreign, providerId: telephony.foreignProvider }),
    number(exampleNumber, { providerId: exampleProvider }),
    number(telephony.inactiveNumber, { active: false }),
    number(telephony.unverifiedNumber, { verified: false }),
    number(telephony.receiveOnlyNumber, { canInitiateCalls: false }),
    number(telephony.rejectedNumber, { providerId: telephony.rejectingProvider }),
  ],
  contacts: [
    ...foreign.contacts,
    { accountId: accounts.home, number: telephony.doNotCall, doNotCall: true },
    { accountId: accounts.home, number: telephony.asleep, timeZone: "America/Los_Angeles" },
    { accountId: accounts.home, number: telephony.farEast, timeZone: "Pacific/Auckland" },
  ],
  calls: [...pastCalls, ...foreign.calls],
};
