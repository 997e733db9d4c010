// The seed of the backend: two accounts with the same kinds of resources.
import { demo, type Seed } from "@call-transfer/backend";

const { accountId, foreignAccountId, users, members, destinations, flows, numbers } = demo;
const hours = { monday: [{ from: "09:00", to: "17:00" }] };

/** The resources of each account that calls can name. */
export const things = [
  {
    accountId,
    members: [members.owner, members.agent],
    apps: [destinations.app, destinations.phone],
    flowId: flows.published,
    fromNumber: numbers.working,
  },
  {
    accountId: foreignAccountId,
    members: [members.foreign, members.suspended],
    apps: [destinations.foreign, destinations.disabled],
    flowId: flows.foreign,
    fromNumber: numbers.foreign,
  },
] as const;

/** The initial state. All destinations are apps, so that all of them can be rotated. */
export const worldSeed: Seed = {
  accounts: things.map((one) => ({ id: one.accountId, name: `Account ${one.accountId}` })),
  users: [
    { id: users.owner, name: "Olivia" },
    { id: users.agent, name: "Aron" },
    { id: users.both, name: "Bela" },
    { id: users.outsider, name: "Otto" },
  ],
  members: [
    { id: members.owner, accountId, userId: users.owner, role: "owner", hours },
    { id: members.agent, accountId, userId: users.agent, role: "agent", hours },
    { id: members.foreign, accountId: foreignAccountId, userId: users.both, role: "owner", hours },
    { id: members.suspended, accountId: foreignAccountId, userId: users.outsider, role: "agent", hours },
  ],
  destinations: things.flatMap((one) =>
    one.apps.map((id) => ({
      id,
      accountId: one.accountId,
      name: `App ${id}`,
      kind: "app" as const,
      config: { url: "https://receiver.example.net/offers" },
      signingSecret: `planted-signing-secret-of-${id}`,
    })),
  ),
  flows: things.map((one) => ({ id: one.flowId, accountId: one.accountId, published: true })),
  numbers: things.map((one) => ({ accountId: one.accountId, number: one.fromNumber })),
  apiKeys: [
    { accountId, key: demo.apiKey },
    { accountId: foreignAccountId, key: demo.foreignApiKey },
  ],
};
