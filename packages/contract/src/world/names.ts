// What cases name of the initial state: times, ids, secrets and numbers. Examples of the contract stand in it.
import { operations } from "@call-transfer/spec";
import { pathExample, requestExample } from "../document/document.ts";
import type { SeedMember } from "./seed.ts";

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
/** The name of the group in the contract's examples. */
export const groupName = text(groupExample.name, "group");

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

/** Destinations of the home account in the order in which groups list them, and special ones. */
export const destinations = {
  app: text(pathExample("rotateDestinationSecret", "id"), "destination"),
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

/** Flows, numbers, providers and recipients of calls. */
export const telephony = {
  flow: text(callExample.flowId, "flow"),
  unpublishedFlow: uuid(101),
  foreignFlow: uuid(102),
  number: text(callExample.fromNumber, "number"),
  provider: text(callExample.providerId, "provider"),
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

/** A call of the foreign account that is in progress at {@link start}. */
export const foreignCallInProgress = uuid(301);
