import type { CallTransfer } from "@call-transfer/sdk";
import { accounts, destinations, users, uuid } from "../fixtures/names.ts";
import { casesFor } from "../suite/case.ts";
import { fieldsNamed } from "../suite/check.ts";
import { connect, homeUser } from "../suite/client.ts";
import type { Target } from "../suite/target.ts";

const test = casesFor("destination-groups", ["state", "validation", "clock"]);
const [first = "", second = "", third = ""] = destinations.many;
const members = [{ destinationId: first }];

/** Creates a group as the owner of the home account. */
const create = async (target: Target, group: Parameters<CallTransfer["destinationGroups"]["create"]>[0]) =>
  (await connect(target)).destinationGroups.create(group);

export const destinationGroupCases = [
  test("a group keeps its members unchanged, in ring order", async (target, check) => {
    const given = [{ destinationId: third }, { destinationId: first, ringTimeoutSecs: 20 }, { destinationId: second }];
    const group = await create(target, { name: "Ring order", members: given });
    check.equal(group.members, given, "members");
  }),
  test("a new group has its name, an id, and the current time as createdAt and updatedAt", async (target, check) => {
    const group = await create(target, { name: "Front desk", members });
    check.equal(group.name, "Front desk", "name");
    check.isTrue(group.id.length > 0, "an id");
    check.equal(Date.parse(group.createdAt), target.clock.now(), "createdAt");
    check.equal(group.updatedAt, group.createdAt, "updatedAt");
  }),
  test("a group keeps its total timeout and strategy", async (target, check) => {
    const given = { totalTimeoutSecs: 17, strategy: "simultaneous" } as const;
    const { totalTimeoutSecs, strategy } = await create(target, { name: "Own", members, ...given });
    check.equal({ totalTimeoutSecs, strategy }, given, "totalTimeoutSecs and strategy");
  }),
  test("a member's ring time may be longer than the group's, and is kept", async (target, check) => {
    const given = [{ destinationId: first, ringTimeoutSecs: 20 }];
    const group = await create(target, { name: "Long", members: given, totalTimeoutSecs: 10 });
    check.equal(group.members, given, "members");
  }),
  test("two groups have different ids", async (target, check) => {
    const one = await create(target, { name: "One", members });
    const other = await create(target, { name: "Other", members });
    check.isTrue(one.id !== other.id, "different ids");
  }),
  test("an unknown member is reported before a taken name", async (target, check) => {
    await create(target, { name: "Front desk", members });
    const unknown = [{ destinationId: uuid(999) }];
    await check.rejected(create(target, { name: "Front desk", members: unknown }), "validation_failed");
  }),
  test("a name that is taken in the account is rejected", async (target, check) => {
    await create(target, { name: "Front desk", members });
    const again = create(target, { name: "Front desk", members });
    await check.rejectedWithStatus(again, "resource_already_exists", "A-16", "the name is taken");
  }),
  ...Object.entries({ "letter case": "front desk", spaces: " Front desk " }).map(([what, name]) =>
    test(`names are compared exactly, ${what} included`, async (target, check) => {
      await create(target, { name: "Front desk", members });
      check.equal((await create(target, { name, members })).name, name, "name");
    }),
  ),
  test("another account's group does not take a name", async (target, check) => {
    const taken = { name: "Front desk", members: [{ destinationId: destinations.foreignApp }] };
    const stranger = await connect(target, { userId: users.stranger, accountId: accounts.foreign });
    await check.rejected(stranger.destinationGroups.create(taken), "resource_already_exists");
    const group = await create(target, { name: "Front desk", members });
    check.equal(group.name, "Front desk", "name");
  }),
  ...Object.entries({
    unknown: [{ destinationId: first }, { destinationId: uuid(999) }],
    "another account's": [{ destinationId: first }, { destinationId: destinations.foreignApp }],
    repeated: [{ destinationId: first }, { destinationId: first }],
  }).map(([what, given]) =>
    test(`a member that is ${what} is rejected, and the error names its index`, async (target, check) => {
      const call = create(target, { name: "Front desk", members: given });
      const { errors } = await check.rejected(call, "validation_failed");
      check.equal(errors?.length, 1, "fields named");
      check.isTrue(errors?.[0]?.field.startsWith("members[1]") ?? false, "the second member is named");
    }),
  ),
  test("the error names every invalid field, not only the first", async (target, check) => {
    const call = create(target, {
      name: "",
      members: [{ destinationId: first, ringTimeoutSecs: 0 }],
    });
    const named = await fieldsNamed(check, call);
    check.equal(named?.toSorted(), ["members[0].ringTimeoutSecs below_minimum", "name too_short"], "fields");
  }),
  test("a rejected group leaves its name free", async (target, check) => {
    const client = await connect(target, homeUser("admin"));
    const refused = client.destinationGroups.create({ name: "Front desk", members: [{ destinationId: uuid(999) }] });
    await check.rejected(refused, "validation_failed");
    const group = await client.destinationGroups.create({ name: "Front desk", members });
    check.equal(group.name, "Front desk", "name");
  }),
];
