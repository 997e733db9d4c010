import { verifyWebhook } from "@call-transfer/sdk/webhooks";
import { headers as headerNames } from "../facts/limits.ts";
import {
  accounts,
  destinations,
  foreignCallInProgress,
  foreignMembers,
  foreignSecret,
  members,
  minuteMs,
  otherSecret,
  telephony,
  users,
  uuid,
} from "../fixtures/names.ts";
import type { SeedMember } from "../fixtures/seed.ts";
import { type ContractCase, casesFor } from "../suite/case.ts";
import { connect } from "../suite/client.ts";
import type { TargetWith, TransferRequest } from "../suite/target.ts";

const requires = ["authentication", "policies", "transfers", "webhooks", "clock", "state"] as const;
const test = casesFor("isolation", requires);
type Platform = TargetWith<(typeof requires)[number]>;
const request = { flowId: telephony.flow, fromNumber: telephony.number, toNumber: telephony.recipient };
const people = { destinationId: destinations.people };
const foreignPeople = { destinationId: destinations.foreignPeople };
const foreignKey = { keyAccountId: accounts.foreign };

/** The memberships of a user who rings in the home account and in the foreign account. */
const both = { home: uuid(842), foreign: uuid(843) };

/** Adds the user of {@link both}. */
function given(target: Platform, there: Partial<SeedMember> = {}): Promise<void> {
  const member = { userId: uuid(841), role: "member" } as const;
  return target.seed({
    users: [{ id: member.userId, name: "In both accounts" }],
    members: [
      { ...member, id: both.home, accountId: accounts.home },
      { ...member, id: both.foreign, accountId: accounts.foreign, ...there },
    ],
  });
}

/** Reads what a call can change of the user of {@link both}: in the home account, then in the foreign account. */
async function readBoth(target: Platform) {
  const read = async (keyAccountId: string, id: string) => {
    const { status, busy } = await (await connect(target, { keyAccountId })).members.getAvailability(id);
    return { status, busy };
  };
  return [await read(accounts.home, both.home), await read(accounts.foreign, both.foreign)];
}

/** How a transfer rings a member. */
async function outcomeOf(target: Platform, id: string, memberId: string): Promise<string | undefined> {
  const { rings } = await target.transfers.read(id);
  return rings.find((ring) => ring.memberId === memberId)?.outcome;
}

/** Lets a call ring until its time is over without an answer. */
async function miss(target: Platform, transfer: TransferRequest): Promise<void> {
  await target.transfers.start(transfer);
  await target.clock.advance({ by: minuteMs / 2 });
}

/** Starts a call in the home account that the user of {@link both} answers after a second. */
async function answer(target: Platform): Promise<void> {
  await target.transfers.start({ ...people, script: [{ memberId: both.home, answerAfterSecs: 1 }] });
  await target.clock.advance({ by: 1000 });
}

const available = { status: "available", busy: false };

const busyCases = [false, true].map((busy) =>
  test(`a call that a member answers leaves the user ${busy ? "busy" : "free"} in another account, as before`, async (target, check) => {
    await given(target, { busy });
    await answer(target);
    check.equal(
      await readBoth(target),
      [
        { ...available, busy: true },
        { ...available, busy },
      ],
      "during the call",
    );
    await target.clock.advance({ by: minuteMs });
    check.equal(await readBoth(target), [available, { ...available, busy }], "after the call");
  }),
);

/** What an operation or a call does, it does in one account, and to the record that it is about. */
export const sideEffectCases: readonly ContractCase[] = [
  ...busyCases,
  test("a call that a member answers stops no ring of the user in another account", async (target, check) => {
    await given(target);
    const elsewhere = await target.transfers.start(foreignPeople);
    await answer(target);
    check.equal(await outcomeOf(target, elsewhere, both.foreign), "ringing", "outcome in the other account");
  }),
  test("missed calls are counted, and the count is reset, in one account only", async (target, check) => {
    await given(target);
    for (const transfer of [foreignPeople, foreignPeople, people, people]) await miss(target, transfer);
    check.equal(await readBoth(target), [available, available], "after two in each account");
    await answer(target);
    await target.clock.advance({ by: minuteMs });
    await miss(target, foreignPeople);
    check.equal(await readBoth(target), [available, { status: "away", busy: false }], "after a third in one account");
  }),
  test("a call that a member answers or misses changes nothing for the user in another account", async (target, check) => {
    const foreign = await connect(target, foreignKey);
    const read = async () => {
      const { status, busy } = await foreign.members.getAvailability(foreignMembers.agent.id);
      return { status, busy };
    };
    await target.transfers.start({ ...people, script: [{ memberId: members.agent, answerAfterSecs: 1 }] });
    await target.clock.advance({ by: 1000 });
    check.equal(await read(), available, "during a call");
    await target.clock.advance({ by: minuteMs });
    for (let missed = 0; missed < 3; missed++) await miss(target, people);
    check.equal(await read(), available, "after three missed calls");
  }),
  test("a transfer accepts a call of its own account only", async (target, check) => {
    const placed = await (await connect(target)).calls.create(request);
    if (placed.type !== "initiated") return check.equal(placed.type, "initiated", "type");
    const accepts = (transfer: TransferRequest): Promise<boolean> =>
      target.transfers.start(transfer).then(
        () => true,
        () => false,
      );
    const [home, foreign] = [placed.callId, foreignCallInProgress];
    check.equal(await accepts({ ...people, callId: home }), true, "whether the home account's call is accepted");
    check.equal(await accepts({ ...foreignPeople, callId: foreign }), true, "whether the other's is accepted there");
    check.equal(await accepts({ ...people, callId: foreign }), false, "whether another account's call is accepted");
    check.equal(await accepts({ ...foreignPeople, callId: home }), false, "whether the home account's is elsewhere");
  }),
  test("placing a call starts no call that waits in another account", async (target, check) => {
    const foreign = await connect(target, foreignKey);
    // Now the other account has room, which the home account's call must not fill.
    await target.policies.set({ concurrentCallLimit: 100 });
    const before = await foreign.calls.list();
    await (await connect(target)).calls.create(request);
    check.equal(await foreign.calls.list(), before, "the other account's calls");
  }),
  test("removing a member's hours leaves the user's hours in another account", async (target, check) => {
    await (await connect(target)).members.deleteHours(members.agent);
    const id = await target.transfers.start(foreignPeople);
    check.equal(await outcomeOf(target, id, foreignMembers.agent.id), "skipped", "outcome without hours on any day");
  }),
  test("removing a member's hours leaves the hours of the account's other members", async (target, check) => {
    const [removed, kept] = [uuid(844), uuid(845)];
    const member = { accountId: accounts.home, role: "member", hours: {} } as const;
    await target.seed({
      members: [
        { ...member, id: removed, userId: users.stranger },
        { ...member, id: kept, userId: users.outsider },
      ],
    });
    await (await connect(target)).members.deleteHours(removed);
    const id = await target.transfers.start(people);
    check.equal(await outcomeOf(target, id, removed), "ringing", "outcome of the member");
    check.equal(await outcomeOf(target, id, kept), "skipped", "outcome of a member without hours on any day");
  }),
  test("a rotation leaves the secrets of other destinations, in its account and elsewhere", async (target, check) => {
    await (await connect(target)).destinations.rotateSecret(destinations.app);
    for (const [destinationId, secret] of [
      [destinations.otherApp, otherSecret],
      [destinations.foreignApp, foreignSecret],
    ] as const) {
      await target.deliveries.trigger({ destinationId });
      const delivery = target.deliveries.received().at(-1);
      const signatures = delivery?.headers.get(headerNames.signature)?.match(/,v1=/g);
      check.equal(signatures?.length, 1, "signatures");
      const event = await verifyWebhook(
        { body: delivery?.body ?? "", headers: delivery?.headers ?? new Headers() },
        { secret, clock: target.clock },
      );
      check.equal(event.destinationId, destinationId, "destinationId");
    }
  }),
];
