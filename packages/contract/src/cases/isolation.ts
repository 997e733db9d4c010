import { verifyWebhook } from "@call-transfer/sdk/webhooks";
import { type OperationId, operations } from "@call-transfer/spec";
import { headers as headerNames } from "../facts/limits.ts";
import { type ContractCase, contractCase } from "../suite/case.ts";
import type { Check } from "../suite/check.ts";
import { connect, homeUser, type Input, invoke, sendRaw, validInput } from "../suite/client.ts";
import { operationIds } from "../suite/document.ts";
import { admittedBy, isAccountScoped, statusOf } from "../suite/expected.ts";
import { inputWith, valueAt } from "../suite/field-values.ts";
import { type Field, fieldName, fieldsOf } from "../suite/fields.ts";
import type { Caller, Target } from "../suite/target.ts";
import {
  accounts,
  destinations,
  foreignMembers,
  foreignSecret,
  members,
  minuteMs,
  telephony,
  users,
  uuid,
} from "../suite/world.ts";

const noun = "isolation";
const unknownId = uuid(999);
const homeRoles = ["owner", "admin", "member", "agent"] as const;
const scopedOperations = operationIds.filter(isAccountScoped);
const reads = operationIds.filter((id) => operations[id].method === "GET");

/** What a field can refer to: records of the foreign account, and a value of the same form that no record has. */
interface Referred {
  readonly foreign: readonly string[];
  readonly unknown: string;
}
const ids = (...foreign: string[]): Referred => ({ foreign, unknown: unknownId });

/** By the name of the field; `id` in a path by the segment before it. */
const referredBy: Readonly<Record<string, Referred>> = {
  destinations: ids(destinations.foreignApp, destinations.foreignPeople),
  destinationId: ids(destinations.foreignApp, destinations.foreignPeople),
  memberId: ids(members.foreign, ...Object.values(foreignMembers).map(({ id }) => id)),
  flowId: ids(telephony.foreignFlow),
  providerId: ids(telephony.foreignProvider),
  fromNumber: { foreign: [telephony.foreignNumber], unknown: "+15550109999" },
};

/** The name in {@link referredBy}. */
function nameOf({ operation, where, steps }: Field): string {
  const name = String(steps.at(-1));
  if (where !== "path" || name !== "id") return name;
  const segments = operations[operation].path.split("/");
  return segments[segments.indexOf("{id}") - 1] ?? name;
}

/** The fields of an operation's request that refer to a record. */
const referencesOf = (operation: OperationId): Field[] =>
  fieldsOf(operation).filter(
    (field) => field.where === "path" || nameOf(field).endsWith("Id") || nameOf(field) in referredBy,
  );

/** Throws for a field that the foreign account has no record for. */
function referred(field: Field): Referred {
  const found = referredBy[nameOf(field)];
  if (found === undefined)
    throw new Error(`Add records of the foreign account for ${nameOf(field)} to referredBy and to the world.`);
  return found;
}

/** A valid input of an operation in the foreign account, as far as a reference decides that. */
const foreignInput = (operation: OperationId): Input =>
  referencesOf(operation).reduce(
    (input, field) => inputWith(input, field, referred(field).foreign[0]),
    validInput(operation),
  );

interface Sent {
  readonly who: Caller;
  readonly operation: OperationId;
  readonly input: Input;
  /** A value of the request that the response may repeat. */
  readonly repeated?: string;
  /** A header that the SDK does not send. */
  readonly account?: string;
}

/** Headers that differ between two responses, or follow from the length of a value that was sent. */
const changingHeaders = new Set(["date", "x-request-id", "content-length"]);

/** The response without what may differ between two responses: its time, its request id and a value that was sent. */
async function answerTo(target: Target, { who, operation, input, repeated, account }: Sent) {
  const { apiKey, accessToken, accountId } = await target.credentialsFor(who);
  const header = account ?? accountId;
  const headers = {
    Authorization: `Bearer ${apiKey ?? accessToken}`,
    ...(header === undefined ? {} : { [headerNames.account]: header }),
  };
  const response = await sendRaw(target, operation, { headers }, input);
  const text = await response.text();
  const { requestId: _, ...body } = text === "" ? {} : JSON.parse(text);
  const shown = JSON.stringify(body);
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !changingHeaders.has(name))),
    body: repeated === undefined ? shown : shown.replaceAll(repeated, "(sent)"),
  };
}

/** Checks that values of another account are refused with the same answer as an unknown value. */
async function answersAlike(
  target: Target,
  check: Check,
  { who, operation, input }: Sent,
  field: Field,
  values: readonly string[],
): Promise<void> {
  const answerFor = (value: string) =>
    answerTo(target, { who, operation, input: inputWith(input, field, value), repeated: value });
  const expected = await answerFor(referred(field).unknown);
  // A list may be filtered by any id, and is empty then.
  check.isTrue(
    expected.status >= 400 || field.where === "query",
    `${fieldName(field)} is refused, got ${expected.status}`,
  );
  for (const value of values) check.equal(await answerFor(value), expected, `the answer for ${value}`);
}

/** Every field that refers to a record, with records of the other account. */
const referenceCases = operationIds.flatMap((operation) =>
  referencesOf(operation).flatMap((field) => [
    contractCase({
      noun,
      name: `${operation} answers another account's ${fieldName(field)} as an unknown one`,
      needs: ["auth", "stateful", "validates", "destructive"],
      async run(target, check) {
        const input = validInput(operation);
        const { foreign } = referred(field);
        for (const who of [...homeRoles.map((role) => homeUser(role)), { keyOf: accounts.home }])
          await answersAlike(target, check, { who, operation, input }, field, foreign);
      },
    }),
    contractCase({
      noun,
      name: `${operation} under another account's header answers the home account's ${fieldName(field)} as an unknown one`,
      needs: ["auth", "stateful", "validates", "destructive"],
      async run(target, check) {
        const home = String(valueAt(validInput(operation)[field.where], field.steps));
        for (const role of homeRoles) {
          const who = { userId: users[role], accountId: accounts.foreign };
          await answersAlike(target, check, { who, operation, input: foreignInput(operation) }, field, [home]);
        }
      },
    }),
  ]),
);

/** Values of `X-Account-Id` that name no account of the caller. */
const deniedAccounts: Readonly<Record<string, string>> = {
  "an unknown account": unknownId,
  "an account without the caller": accounts.outside,
  "a suspended account without the caller": accounts.suspended,
  "no id": "not-an-id",
  "two accounts": `${accounts.home}, ${accounts.foreign}`,
  "the start of an account's id": accounts.home.slice(0, -1),
  "more than an account's id": `${accounts.home}0`,
};

const headerCases = scopedOperations.flatMap((operation) =>
  Object.entries({ "a JWT": homeUser("admin"), "a key": { keyOf: accounts.home } }).map(([what, who]) =>
    contractCase({
      noun,
      name: `${operation} with ${what} answers every account without the caller with the same refusal`,
      needs: ["auth", "destructive"],
      async run(target, check) {
        const call = invoke(await connect(target, { ...who, accountId: unknownId }), operation, validInput(operation));
        await check.rejectedWithStatusOf(
          call,
          "account_access_denied",
          "A-16",
          "the caller is not a member of the account",
        );
        const answerFor = (account: string) =>
          answerTo(target, { who, operation, input: validInput(operation), repeated: account, account });
        const expected = await answerFor(unknownId);
        for (const [name, account] of Object.entries(deniedAccounts))
          check.equal(await answerFor(account), expected, `the answer for ${name}`);
      },
    }),
  ),
);

const roleCases = scopedOperations.map((operation) =>
  contractCase({
    noun,
    name: `${operation} in another account of the user is decided by the role there`,
    needs: ["auth", "destructive"],
    async run(target, check) {
      for (const role of homeRoles) {
        const who = { userId: users[role], accountId: accounts.foreign };
        const { status } = await answerTo(target, { who, operation, input: foreignInput(operation) });
        const there = foreignMembers[role].role;
        const permitted = admittedBy(operation).includes(there);
        const refused = status === statusOf("insufficient_permissions");
        check.equal(refused, !permitted, `whether the ${role} of the home account is refused as ${there}`);
      }
    },
  }),
);

/** What every read shows in an account. */
async function everything(target: Target, who: Caller, inputOf: (operation: OperationId) => Input) {
  const shown = [];
  for (const operation of reads) shown.push(await answerTo(target, { who, operation, input: inputOf(operation) }));
  return shown;
}

const effectCases = operationIds.map((operation) =>
  contractCase({
    noun,
    name: `${operation} changes nothing in another account of the user`,
    needs: ["auth", "stateful", "destructive"],
    async run(target, check) {
      const there = { userId: users.agent, accountId: accounts.foreign };
      const before = await everything(target, there, foreignInput);
      await invoke(await connect(target), operation, validInput(operation));
      check.equal(await everything(target, there, foreignInput), before, "what the reads in the other account show");
    },
  }),
);

/** Accounts see and change nothing of one another, although their users, recipients and names are the same. */
export const isolationCases: readonly ContractCase[] = [
  ...referenceCases,
  ...headerCases,
  ...roleCases,
  ...effectCases,
  contractCase({
    noun,
    name: "the rate limit counts the requests of each credential, not those of the user or the account",
    needs: ["auth", "policies", "clock"],
    async run(target, check) {
      const first = [await connect(target), await connect(target, { keyOf: accounts.home })];
      // A token that is issued later is another credential.
      await target.clock.advance({ by: 1000 });
      const others = [await connect(target), await connect(target, { keyOf: accounts.home })];
      await target.policies.set({ rateLimit: { requests: 1, windowSecs: 3600 } });
      for (const client of [...first, ...others, await connect(target, homeUser("admin"))]) await client.roles.list();
      for (const client of [...first, ...others]) await check.rejected(client.roles.list(), "rate_limit_exceeded");
    },
  }),
  contractCase({
    noun,
    name: "the rate limit counts the requests of a credential over all accounts",
    needs: ["auth", "policies"],
    async run(target, check) {
      const home = await connect(target);
      const foreign = await connect(target, { userId: users.owner, accountId: accounts.foreign });
      await target.policies.set({ rateLimit: { requests: 1, windowSecs: 3600 } });
      await home.roles.list();
      await check.rejected(foreign.roles.list(), "rate_limit_exceeded");
    },
  }),
  contractCase({
    noun,
    name: "a rotation leaves the secrets of other destinations",
    needs: ["webhooks", "clock", "stateful", "destructive"],
    async run(target, check) {
      await (await connect(target)).destinations.rotateSecret(destinations.app);
      await target.deliveries.trigger({ destinationId: destinations.foreignApp });
      const delivery = target.deliveries.received().at(-1);
      const signatures = delivery?.headers.get(headerNames.signature)?.match(/,v1=/g);
      check.equal(signatures?.length, 1, "signatures");
      const event = await verifyWebhook(
        { body: delivery?.body ?? "", headers: delivery?.headers ?? new Headers() },
        { secret: foreignSecret, now: () => target.clock.now() },
      );
      check.equal(event.destinationId, destinations.foreignApp, "destinationId");
    },
  }),
  contractCase({
    noun,
    name: "a call that a member answers or misses changes nothing for the user in another account",
    needs: ["transfers", "clock", "stateful", "destructive"],
    async run(target, check) {
      const foreign = await connect(target, { keyOf: accounts.foreign });
      const read = async () => {
        const { status, busy } = await foreign.members.getAvailability(foreignMembers.agent.id);
        return { status, busy };
      };
      const people = { destinationId: destinations.people };
      await target.transfers.start({ ...people, script: [{ memberId: members.agent, answerAfterSecs: 1 }] });
      await target.clock.advance({ by: 1000 });
      check.equal(await read(), { status: "available", busy: false }, "during a call");
      await target.clock.advance({ by: minuteMs });
      for (let missed = 0; missed < 3; missed++) {
        await target.transfers.start(people);
        await target.clock.advance({ by: minuteMs / 2 });
      }
      check.equal(await read(), { status: "available", busy: false }, "after three missed calls");
    },
  }),
  contractCase({
    noun,
    name: "removing a member's hours leaves the user's hours in another account",
    needs: ["transfers", "clock", "stateful", "destructive"],
    async run(target, check) {
      await (await connect(target)).members.deleteHours(members.agent);
      const id = await target.transfers.start({ destinationId: destinations.foreignPeople });
      const { rings } = await target.transfers.read(id);
      const ring = rings.find(({ memberId }) => memberId === foreignMembers.agent.id);
      check.equal(ring?.outcome, "not_rung", "outcome of the member without hours on any day");
    },
  }),
];
