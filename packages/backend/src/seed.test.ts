import { requestSchemas } from "@call-transfer/spec/schemas";
import { describe, expect, it } from "vitest";
import { createBackend } from "./backend.ts";
import { demo } from "./demo-seed.ts";
import type { Seed } from "./seed.ts";

const accountId = "a0000000-0000-4000-8000-00000000000a";
const id = "b0000000-0000-4000-8000-00000000000b";
const other = "c0000000-0000-4000-8000-00000000000c";
const accounts = [{ id: accountId, name: "One" }];
const users = [{ id, name: "Una" }];
const phone = { id, accountId, name: "Desk", kind: "phone" } as const;
const group = {
  id,
  accountId,
  name: "G",
  strategy: "simultaneous",
  totalTimeoutSecs: 30,
  members: [{ destinationId: id }],
} as const;
/** Too late for a clock that moves on to be written as a timestamp. */
const end = "9999-06-01T00:00:00Z";
const late = { ...phone, kind: "app", previousSecretExpiresAt: end };
const call = { id, accountId, direction: "outbound", duration: 0, status: "completed" };

describe("a seed", () => {
  it.each<[string, string, unknown]>([
    ["an id that is no UUID", "seed.accounts[0].id", { accounts: [{ id: "one", name: "One" }] }],
    ["an id twice", "seed.accounts[1].id", { accounts: [...accounts, ...accounts] }],
    ["an unknown role", "seed.members[0].role", { members: [{ id, accountId, userId: id, role: "boss" }] }],
    ["an unknown field", "seed.accounts[0].nmae", { accounts: [{ ...accounts[0], nmae: "x" }] }],
    ["an unknown time zone", "seed.accounts[0].timeZone", { accounts: [{ ...accounts[0], timeZone: "Mars/Base" }] }],
    ["an unknown account", "seed.flows[0].accountId", { flows: [{ id, accountId: other, published: true }] }],
    [
      "an unknown user",
      "seed.members[0].userId",
      { accounts, members: [{ id, accountId, userId: id, role: "owner" }] },
    ],
    [
      "a second membership",
      "seed.members[1].userId",
      {
        accounts,
        users,
        members: [
          { id, accountId, userId: id, role: "owner" },
          { id: other, accountId, userId: id, role: "agent" },
        ],
      },
    ],
    ["an unknown destination", "seed.groups[0].members[0].destinationId", { accounts, groups: [group] }],
    [
      "a group name twice",
      "seed.groups[1].name",
      { accounts, destinations: [phone], groups: [group, { ...group, id: other }] },
    ],
    [
      "a secret of a phone",
      "seed.destinations[0].signingSecret",
      { accounts, destinations: [{ ...phone, signingSecret: "secret" }] },
    ],
    [
      "an unknown provider",
      "seed.numbers[0].providerId",
      { accounts, numbers: [{ accountId, number: "+15550100009", providerId: id }] },
    ],
    ["a number that is not E.164", "seed.numbers[0].number", { accounts, numbers: [{ accountId, number: "555" }] }],
    [
      "a secret that expires too late",
      "seed.destinations[0].previousSecretExpiresAt",
      { accounts, destinations: [late] },
    ],
    ["a call of the year 9999", "seed.calls[0].createdAt", { accounts, calls: [{ ...call, createdAt: end }] }],
    ["a key of the year 9999", "seed.apiKeys[0].expiresAt", { accounts, apiKeys: [{ accountId, expiresAt: end }] }],
    [
      "a person who is away for too long",
      "seed.members[0].availability.until",
      {
        accounts,
        users,
        members: [{ id, accountId, userId: id, role: "owner", availability: { status: "away", until: end } }],
      },
    ],
  ])("with %s is refused by its field", (_, field, seed) => {
    expect(() => createBackend({ seed: seed as Seed })).toThrow(`${field}: `);
  });

  it("that is refused adds nothing", () => {
    const backend = createBackend();
    expect(() => backend.seed({ accounts, flows: [{ id, accountId: other, published: true }] })).toThrow();
    expect(backend.state.accounts.has(accountId)).toBe(false);
  });

  it("may refer to what is there already", () => {
    const backend = createBackend();
    backend.seed({ flows: [{ id, accountId: demo.accountId, published: true }] });
    expect(backend.state.flows.has(id)).toBe(true);
  });

  it("gives a group the contract's defaults where it says nothing", () => {
    const bare = { id, accountId, name: "G", members: [{ destinationId: id }] };
    const backend = createBackend({ seed: { accounts, destinations: [phone], groups: [bare] } });
    const { totalTimeoutSecs, strategy } = requestSchemas.createDestinationGroup.body.shape;
    expect(backend.state.groups.get(id)).toMatchObject({
      totalTimeoutSecs: totalTimeoutSecs.def.defaultValue,
      strategy: strategy.def.defaultValue,
    });
  });

  it("writes times that carry an offset in UTC", () => {
    const availability = { status: "away", until: "2026-03-02T23:30:00.5+09:00" } as const;
    const members = [{ id, accountId, userId: id, role: "agent" as const, availability }];
    const backend = createBackend({ seed: { accounts, users, members } });
    expect(backend.state.members.get(id)?.availability.until).toBe("2026-03-02T14:30:00.500Z");
  });

  it("shares nothing with the backend", () => {
    const seed: Seed = { accounts, destinations: [{ ...phone, config: { number: "1" } }] };
    const backend = createBackend({ seed });
    const destination = backend.state.destinations.get(id);
    if (destination) destination.config.number = "2";
    expect(createBackend({ seed }).state.destinations.get(id)?.config).toEqual({ number: "1" });
  });

  it("lets calls in progress and in the queue go on", async () => {
    const call = { accountId, direction: "outbound", duration: 0, createdAt: "2026-03-02T11:59:30Z" };
    const calls = [
      { ...call, id, status: "in_progress" },
      { ...call, id: other, status: "queued" },
    ];
    const backend = createBackend({ seed: { accounts, calls }, policies: { concurrentCallLimit: 1 } });
    await backend.clock.advance({ by: 30_000 });
    expect([...backend.state.calls.values()].map(({ status }) => status)).toEqual(["completed", "in_progress"]);
  });
});
