import { operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { requestSchemas } from "@call-transfer/spec/schemas";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo, demoSeed } from "../../src/data/demo-seed.ts";
import { checkSeed } from "../../src/data/load-seed.ts";
import { resolveTimes, type Seed } from "../../src/model/records.ts";
import { createState } from "../../src/model/state.ts";

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
/** Beyond the latest time that a seed may contain. */
const end = "9999-06-01T00:00:00Z";
const late = { ...phone, kind: "app", previousSecretExpiresAt: end };
const call = { id, accountId, direction: "outbound", duration: 0, status: "completed" };

describe("the demo's group", () => {
  it("rings a phone, an app and a person when a call is transferred to it", () => {
    const { transfers } = createBackend({ fetch: () => new Promise(() => {}) });
    const { rings } = transfers.start({ groupId: demo.groups.existing });
    const ringing = rings.filter(({ outcome }) => outcome === "ringing");
    expect(ringing.map(({ kind, memberId }) => [kind, memberId])).toEqual([
      ["phone", undefined],
      ["app", undefined],
      ["available_humans", demo.members.owner],
    ]);
  });
});

describe("the demo seed", () => {
  afterEach(() => vi.restoreAllMocks());

  it("passes every check, which only fills in defaults and makes relative times absolute", () => {
    const now = Date.parse("2026-03-02T12:00:00Z");
    const dated = structuredClone(demoSeed) as Parameters<typeof resolveTimes>[0];
    resolveTimes(dated, now);
    expect(checkSeed(demoSeed, createState(), now)).toMatchObject(dated);
  });

  it("makes the same backend as a copy of it that is checked", () => {
    const copy = createBackend({ seed: structuredClone(demoSeed) });
    expect(createBackend().snapshot()).toEqual(copy.snapshot());
  });

  it("may name the schema for editors, as a file does", () => {
    const seed = { $schema: "./seed.schema.json", accounts };
    const backend = createBackend({ seed });
    expect([...backend.state.accounts.keys()]).toEqual([accountId]);
    expect(Object.keys(backend.snapshot().seed)).not.toContain("$schema");
  });

  it("is checked against the state if it is added later", () => {
    expect(() => createBackend().seed(demoSeed)).toThrow(
      "accounts[0].id: is taken. Another of the accounts has the same id.",
    );
  });
});

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

  it("may refer to records of the state", () => {
    const backend = createBackend();
    backend.seed({ flows: [{ id, accountId: demo.accountId, published: true }] });
    expect(backend.state.flows.has(id)).toBe(true);
  });

  it("gives a group the defaults of the API description", () => {
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

  it("may contain times relative to the clock at loading", () => {
    const availability = { status: "away", until: "+90m", updatedAt: "-30s" } as const;
    const seed: Seed = {
      accounts,
      users,
      members: [{ id, accountId, userId: id, role: "agent", availability }],
      destinations: [{ ...phone, kind: "app", createdAt: "-7d", previousSecretExpiresAt: "+24h" }],
      groups: [{ ...group, members: [{ destinationId: id }], createdAt: "-7d", updatedAt: "-1h" }],
      calls: [{ ...call, status: "in_progress", createdAt: "-2m", startedAt: "-20s" }],
      apiKeys: [{ accountId, expiresAt: "+1d" }],
    };
    const { state } = createBackend({ seed, now: "2031-05-06T07:08:09Z" });
    expect(state.members.get(id)?.availability).toMatchObject({
      until: "2031-05-06T08:38:09Z",
      updatedAt: "2031-05-06T07:07:39Z",
    });
    expect(state.destinations.get(id)).toMatchObject({
      createdAt: "2031-04-29T07:08:09Z",
      previousSecretExpiresAt: Date.parse("2031-05-07T07:08:09Z"),
    });
    expect(state.groups.get(id)).toMatchObject({
      createdAt: "2031-04-29T07:08:09Z",
      updatedAt: "2031-05-06T06:08:09Z",
    });
    expect(state.calls.get(id)).toMatchObject({
      createdAt: Date.parse("2031-05-06T07:06:09Z"),
      startedAt: Date.parse("2031-05-06T07:07:49Z"),
    });
    expect([...state.apiKeys.values()][0]?.expiresAt).toBe(Date.parse("2031-05-07T07:08:09Z"));
  });

  it.each([
    ["+1w", "must be a datetime such as 2026-03-02T12:00:00Z, or a distance from the clock such as +1h or -30m"],
    ["1h", "must be a datetime such as"],
    ["+4000000d", "not a time before the year 9999"],
  ])("with the time %s is refused by its field", (until, message) => {
    const members = [
      { id, accountId, userId: id, role: "agent" as const, availability: { status: "away" as const, until } },
    ];
    const create = () => createBackend({ seed: { accounts, users, members } });
    expect(create).toThrow(`seed.members[0].availability.until: ${message}`);
  });

  it("shares nothing with the backend", () => {
    const seed: Seed = { accounts, destinations: [{ ...phone, config: { number: "1" } }] };
    const backend = createBackend({ seed });
    const destination = backend.state.destinations.get(id);
    Reflect.set(destination?.config ?? {}, "number", "2");
    expect(createBackend({ seed }).state.destinations.get(id)?.config).toEqual({ number: "1" });
  });

  it("lets calls in progress and in the queue continue", async () => {
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

it("the demo accepts each example of a request in the document", async () => {
  const statuses: Record<string, number> = {};
  for (const { id: operationId, method, path } of Object.values(operations).filter(({ hasBody }) => hasBody)) {
    const { requestBody } = Object(document.paths[path as keyof typeof document.paths])[method.toLowerCase()];
    const examples: Record<string, { value: unknown }> = requestBody.content["application/json"].examples;
    for (const [name, { value }] of Object.entries(examples)) {
      const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };
      const init = { method, headers, body: JSON.stringify(value) };
      statuses[`${operationId} ${name}`] = (await createBackend().fetch(`http://mock.test${path}`, init)).status;
    }
  }
  expect(statuses).toEqual({ "createCall call": 201, "createDestinationGroup frontDesk": 201 });
});
