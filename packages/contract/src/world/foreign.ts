import {
  accounts,
  destinations,
  foreignMembers,
  foreignSecret,
  groupName,
  hourMs,
  iso,
  members,
  receiverUrl,
  telephony,
  users,
  uuid,
} from "./names.ts";
import type { SeedCall, SeedDestination, SeedMember } from "./seed.ts";

const accountId = accounts.foreign;

const foreignMember = (name: keyof typeof foreignMembers, state: Partial<SeedMember> = {}): SeedMember => ({
  ...foreignMembers[name],
  accountId,
  userId: users[name],
  ...state,
});

/** Calls that the foreign account placed shortly before the start. */
const foreignCalls = (first: number, count: number, status: string): SeedCall[] =>
  Array.from({ length: count }, (_, index) => ({
    id: uuid(300 + first + index),
    accountId,
    direction: "outbound",
    duration: 0,
    status,
    createdAt: iso((first + index - 20) * 1000),
  }));

/** The app of an account. */
export const app = (of: string, id: string, name: string, signingSecret: string): SeedDestination => ({
  id,
  accountId: of,
  name,
  kind: "app",
  config: { url: receiverUrl },
  signingSecret,
});

/**
 * An account beside the home account: busy, with the same recipients, group names and users, and with everything about them
 * different. It shows when an operation of the home account reads or counts something of another account. A phone number
 * belongs to one account, so its own number differs.
 */
export const foreign = {
  /** 4 AM at the start: outside the callable hours. */
  account: { id: accountId, name: "Twin of the home account", timeZone: "America/Los_Angeles" },
  /** Before and after the memberships at home, so that neither the first nor the last of a user is always the right one. */
  membersBefore: [
    foreignMember("owner", { busy: true }),
    foreignMember("admin", { availability: { status: "away", source: "admin" } }),
  ],
  membersAfter: [
    foreignMember("member", { availability: { status: "offline", source: "member" } }),
    foreignMember("agent", { hours: {} }),
    foreignMember("colleague", { busy: true, hours: {}, availability: { status: "away", source: "member" } }),
    { id: members.foreign, accountId, userId: users.stranger, role: "owner" },
  ] satisfies SeedMember[],
  destinations: [
    app(accountId, destinations.foreignApp, "App of the twin", foreignSecret),
    { id: destinations.foreignPeople, accountId, name: "People of the twin", kind: "available_humans" },
  ] satisfies SeedDestination[],
  groups: [...new Set(["Front desk", "One", "Ringing", groupName])].map((name, index) => ({
    id: uuid(90 + index),
    accountId,
    name,
    members: [{ destinationId: destinations.foreignApp, ringTimeoutSecs: 20 }],
  })),
  contacts: [
    { accountId, number: telephony.recipient, doNotCall: true, timeZone: "America/Los_Angeles" },
    { accountId, number: telephony.farEast, doNotCall: true, timeZone: "America/Los_Angeles" },
    { accountId, number: telephony.doNotCall, timeZone: "UTC" },
    { accountId, number: telephony.asleep, timeZone: "UTC" },
  ],
  /** A past call, as many calls in progress as the reference backend allows by default, and a queue. */
  calls: [
    ...foreignCalls(0, 1, "completed").map((call) => ({ ...call, createdAt: iso(-hourMs) })),
    ...foreignCalls(1, 10, "in_progress"),
    ...foreignCalls(11, 3, "queued"),
  ],
};
