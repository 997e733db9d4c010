import type { Seed } from "../model/records.ts";

/** Fixed ids, numbers and credentials of `demoSeed`, so that tests and demonstrations can name them. */
export const demo = {
  /** The account of the main stories. It has no time zone, so that calls are placed at any hour. */
  accountId: "a0000000-0000-4000-8000-000000000001",
  /** An account in New York, whose records the main account must never see. */
  foreignAccountId: "a0000000-0000-4000-8000-000000000002",
  /** An account whose requests are refused with 403. */
  suspendedAccountId: "a0000000-0000-4000-8000-000000000003",
  /** A key of the main account with the owner's role and every scope. */
  apiKey: "svc_live_demo0000000000000000000000000001",
  /** A key of the account in New York with the owner's role and every scope. */
  foreignApiKey: "svc_live_demo0000000000000000000000000002",
  /** One user for each role of the main account, one with two accounts and one without any. */
  users: {
    owner: "b0000000-0000-4000-8000-000000000001",
    admin: "b0000000-0000-4000-8000-000000000002",
    member: "b0000000-0000-4000-8000-000000000003",
    agent: "b0000000-0000-4000-8000-000000000004",
    /** An agent in the main account, the owner of the foreign and of the suspended one. */
    both: "b0000000-0000-4000-8000-000000000005",
    outsider: "b0000000-0000-4000-8000-000000000006",
  },
  /** The memberships of those users by role, and one each in the foreign and the suspended account. */
  members: {
    owner: "c0000000-0000-4000-8000-000000000001",
    /** Offline until changed, as set by an admin. */
    admin: "c0000000-0000-4000-8000-000000000002",
    /** Away for an hour from the start of the clock, set by the member. */
    member: "c0000000-0000-4000-8000-000000000003",
    /** Has hours; away for 15 minutes from the start of the clock, after missed calls. */
    agent: "c0000000-0000-4000-8000-000000000004",
    /** Busy on a transferred call. */
    both: "c0000000-0000-4000-8000-000000000005",
    foreign: "c0000000-0000-4000-8000-000000000006",
    suspended: "c0000000-0000-4000-8000-000000000007",
  },
  /** Destinations of the main account by kind, one that is disabled, and one of the foreign account. */
  destinations: {
    phone: "d0000000-0000-4000-8000-000000000001",
    availableHumans: "d0000000-0000-4000-8000-000000000002",
    app: "d0000000-0000-4000-8000-000000000003",
    disabled: "d0000000-0000-4000-8000-000000000004",
    foreign: "d0000000-0000-4000-8000-000000000005",
    /** More phones, enough for a group of eleven. */
    extra: Array.from(
      { length: 10 },
      (_, index) => `d0000000-0000-4000-8000-0000000001${String(index).padStart(2, "0")}`,
    ),
  },
  /** The secret of the app destination before any rotation. */
  signingSecret: "demo-signing-secret-of-the-front-desk-app",
  /** The group of the main account, with a phone, an app and the available people: the owner, by default. */
  groups: { existing: "e0000000-0000-4000-8000-000000000001" },
  /** The name that is taken in the main account. */
  groupName: "Night shift",
  /** A flow that can run, a draft that cannot, and one of the foreign account. */
  flows: {
    published: "f0000000-0000-4000-8000-000000000001",
    draft: "f0000000-0000-4000-8000-000000000002",
    foreign: "f0000000-0000-4000-8000-000000000003",
  },
  /** A provider that carries calls, and one that rejects them. */
  providers: {
    working: "f1000000-0000-4000-8000-000000000001",
    rejecting: "f1000000-0000-4000-8000-000000000002",
  },
  /** Numbers of the main account by what they can do, and one of the foreign account. */
  numbers: {
    working: "+15550100001",
    inactive: "+15550100002",
    unverified: "+15550100003",
    receiveOnly: "+15550100004",
    rejected: "+15550100005",
    foreign: "+15550100006",
  },
  /** Numbers to call. */
  recipients: {
    /** Not a contact, so the time zone is unknown: calls are placed at any hour. */
    anyone: "+15550200001",
    doNotCall: "+15550200002",
    /** In Tokyo, where it is 21:00 at noon UTC: refused from then to 23:00 UTC. */
    elsewhere: "+15550200003",
  },
  /** Calls of the main account by status and direction, and one of the foreign account. */
  calls: {
    completed: "ca000000-0000-4000-8000-000000000001",
    failed: "ca000000-0000-4000-8000-000000000002",
    inbound: "ca000000-0000-4000-8000-000000000003",
    foreign: "ca000000-0000-4000-8000-000000000004",
  },
} as const;

const { accountId, foreignAccountId, suspendedAccountId, users, members, destinations, flows, providers } = demo;

/**
 * Two accounts to work with and a suspended one, with records for every use and every error. Times are relative to the clock of
 * the backend that loads it.
 */
export const demoSeed: Seed = {
  accounts: [
    { id: accountId, name: "Example Dental" },
    { id: foreignAccountId, name: "Sample Motors", timeZone: "America/New_York" },
    { id: suspendedAccountId, name: "Closed Shop", suspended: true },
  ],
  users: [
    { id: users.owner, name: "Olivia Owner" },
    { id: users.admin, name: "Adam Admin" },
    { id: users.member, name: "Mia Member" },
    { id: users.agent, name: "Aron Agent" },
    { id: users.both, name: "Bela Both" },
    { id: users.outsider, name: "Otto Outsider" },
  ],
  members: [
    { id: members.owner, accountId, userId: users.owner, role: "owner" },
    {
      id: members.admin,
      accountId,
      userId: users.admin,
      role: "admin",
      availability: { status: "offline", source: "admin", updatedAt: "-3h" },
    },
    {
      id: members.member,
      accountId,
      userId: users.member,
      role: "member",
      availability: {
        status: "away",
        source: "member",
        until: "+1h",
        updatedAt: "-30m",
      },
    },
    {
      id: members.agent,
      accountId,
      userId: users.agent,
      role: "agent",
      availability: {
        status: "away",
        source: "auto",
        reason: "missed_calls",
        until: "+15m",
        updatedAt: "+0s",
      },
      hours: { monday: [{ from: "09:00", to: "17:00" }] },
    },
    { id: members.both, accountId, userId: users.both, role: "agent", busy: true },
    { id: members.foreign, accountId: foreignAccountId, userId: users.both, role: "owner" },
    { id: members.suspended, accountId: suspendedAccountId, userId: users.both, role: "owner" },
  ],
  destinations: [
    { id: destinations.phone, accountId, name: "Reception", kind: "phone", config: { number: "+15550300001" } },
    { id: destinations.availableHumans, accountId, name: "Available team", kind: "available_humans" },
    {
      id: destinations.app,
      accountId,
      name: "Front desk app",
      kind: "app",
      config: { url: "http://127.0.0.1:4011/offers" },
      signingSecret: demo.signingSecret,
    },
    { id: destinations.disabled, accountId, name: "Old reception", kind: "phone", enabled: false },
    { id: destinations.foreign, accountId: foreignAccountId, name: "Showroom", kind: "phone" },
    ...destinations.extra.map((id, index) => ({ id, accountId, name: `Room ${index + 1}`, kind: "phone" as const })),
  ],
  groups: [
    {
      id: demo.groups.existing,
      accountId,
      name: demo.groupName,
      strategy: "simultaneous",
      totalTimeoutSecs: 45,
      members: [
        { destinationId: destinations.phone, ringTimeoutSecs: 20 },
        { destinationId: destinations.app },
        { destinationId: destinations.availableHumans },
      ],
      createdAt: "-1323h",
    },
  ],
  flows: [
    { id: flows.published, accountId, published: true },
    { id: flows.draft, accountId, published: false },
    { id: flows.foreign, accountId: foreignAccountId, published: true },
  ],
  providers: [
    { id: providers.working, accountId },
    { id: providers.rejecting, accountId, rejects: true },
  ],
  numbers: [
    { accountId, number: demo.numbers.working, providerId: providers.working },
    { accountId, number: demo.numbers.inactive, active: false },
    { accountId, number: demo.numbers.unverified, verified: false },
    { accountId, number: demo.numbers.receiveOnly, canInitiateCalls: false },
    { accountId, number: demo.numbers.rejected, providerId: providers.rejecting },
    { accountId: foreignAccountId, number: demo.numbers.foreign },
  ],
  contacts: [
    { accountId, number: demo.recipients.doNotCall, doNotCall: true },
    { accountId, number: demo.recipients.elsewhere, timeZone: "Asia/Tokyo" },
  ],
  calls: [
    {
      id: demo.calls.completed,
      accountId,
      direction: "outbound",
      duration: 42,
      status: "completed",
      createdAt: "-26h",
    },
    {
      id: demo.calls.failed,
      accountId,
      direction: "outbound",
      duration: 0,
      status: "failed",
      createdAt: "-25h",
    },
    {
      id: demo.calls.inbound,
      accountId,
      direction: "inbound",
      duration: 95,
      status: "completed",
      createdAt: "-90m",
    },
    {
      id: demo.calls.foreign,
      accountId: foreignAccountId,
      direction: "inbound",
      duration: 12,
      status: "completed",
      createdAt: "-1h",
    },
  ],
  apiKeys: [
    { accountId, key: demo.apiKey },
    { accountId: foreignAccountId, key: demo.foreignApiKey },
  ],
};
