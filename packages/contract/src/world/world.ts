import { app, foreign } from "./foreign.ts";
import {
  accounts,
  destinations,
  firstSecret,
  hourMs,
  iso,
  members,
  otherSecret,
  telephony,
  users,
  uuid,
} from "./names.ts";
import type { Seed, SeedCall, SeedDestination, SeedMember, SeedNumber } from "./seed.ts";

const accountId = accounts.home;

const homeMember = (role: SeedMember["role"]): SeedMember => ({
  id: members[role],
  accountId,
  userId: users[role],
  role,
});
const phone = (id: string, name: string): SeedDestination => ({ id, accountId, name, kind: "phone" });
const number = (digits: string, changes: Partial<SeedNumber> = {}): SeedNumber => ({
  accountId,
  number: digits,
  active: true,
  verified: true,
  canInitiateCalls: true,
  ...changes,
});

/** The past calls of the home account, newest first: more than a default page. */
export const pastCalls: readonly SeedCall[] = Array.from({ length: 25 }, (_, index) => ({
  id: uuid(200 + index),
  accountId,
  direction: index % 2 === 0 ? "outbound" : "inbound",
  duration: index,
  status: index % 5 === 0 ? "failed" : "completed",
  createdAt: iso(-(index + 1) * hourMs),
}));

/** The initial state of every case. */
export const world: Seed = {
  accounts: [
    foreign.account,
    { id: accountId, name: "Home", timeZone: "UTC" },
    { id: accounts.suspended, name: "Suspended", suspended: true, timeZone: "UTC" },
    { id: accounts.outside, name: "Outside", timeZone: "UTC" },
  ],
  users: Object.entries(users).map(([name, id]) => ({ id, name })),
  members: [
    ...foreign.membersBefore,
    ...(["owner", "admin", "member", "agent"] as const).map(homeMember),
    { id: members.colleague, accountId, userId: users.colleague, role: "member" },
    ...foreign.membersAfter,
    { id: uuid(27), accountId: accounts.suspended, userId: users.owner, role: "owner" },
    { id: uuid(28), accountId: accounts.outside, userId: users.outsider, role: "owner" },
  ],
  destinations: [
    ...foreign.destinations,
    app(accountId, destinations.app, "App", firstSecret),
    ...destinations.many.filter((id) => id !== destinations.app).map((id, index) => phone(id, `Phone ${index + 1}`)),
    app(accountId, destinations.otherApp, "Other app", otherSecret),
    phone(destinations.phone, "Phone"),
    { id: destinations.people, accountId, name: "People", kind: "available_humans" },
  ],
  groups: foreign.groups,
  flows: [
    { id: telephony.foreignFlow, accountId: accounts.foreign, published: true },
    { id: telephony.flow, accountId, published: true },
    { id: telephony.unpublishedFlow, accountId, published: false },
  ],
  providers: [
    { id: telephony.foreignProvider, accountId: accounts.foreign },
    { id: telephony.provider, accountId },
    { id: telephony.rejectingProvider, accountId, rejects: true },
  ],
  numbers: [
    number(telephony.foreignNumber, { accountId: accounts.foreign, providerId: telephony.foreignProvider }),
    number(telephony.number, { providerId: telephony.provider }),
    number(telephony.inactiveNumber, { active: false }),
    number(telephony.unverifiedNumber, { verified: false }),
    number(telephony.receiveOnlyNumber, { canInitiateCalls: false }),
    number(telephony.rejectedNumber, { providerId: telephony.rejectingProvider }),
  ],
  contacts: [
    ...foreign.contacts,
    { accountId, number: telephony.doNotCall, doNotCall: true },
    { accountId, number: telephony.asleep, timeZone: "America/Los_Angeles" },
    { accountId, number: telephony.farEast, timeZone: "Pacific/Auckland" },
  ],
  calls: [...pastCalls, ...foreign.calls],
};
