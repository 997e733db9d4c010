import { type OperationId, operations } from "@call-transfer/spec";
import { operationIds, pagedItems } from "../document/document.ts";
import { admittedBy, isAccountScoped, statusOf } from "../document/expected.ts";
import { type Field, fieldName, fieldsOf, typeOf } from "../document/fields.ts";
import { valueAt } from "../document/json.ts";
import { headers as headerNames } from "../facts/limits.ts";
import { accounts, foreignMembers, hourMs, iso, users } from "../fixtures/names.ts";
import { world } from "../fixtures/world.ts";
import { type ContractCase, casesFor } from "../suite/case.ts";
import type { Check } from "../suite/check.ts";
import { connect, homeUser, type Input, identityOf, invoke, sendRaw, validInput } from "../suite/client.ts";
import { foreignInput, inputWith, referencesOf, referred, unknownId } from "../suite/field-values.ts";
import type { Caller, Target } from "../suite/target.ts";

const test = casesFor("isolation", ["authentication", "state", "validation", "policies", "clock"]);
const asOwner = { who: homeUser("owner") };
const homeRoles = ["owner", "admin", "member", "agent"] as const;
const scopedOperations = operationIds.filter(isAccountScoped);
const reads = operationIds.filter((id) => operations[id].method === "GET");

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
  const named = account === undefined ? {} : { [headerNames.account]: account };
  const headers = { ...(await identityOf(target, who)), ...named };
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
    test(`${operation} answers another account's ${fieldName(field)} as an unknown one`, async (target, check) => {
      const input = validInput(operation);
      const { foreign } = referred(field);
      for (const who of [...homeRoles.map((role) => homeUser(role)), { keyAccountId: accounts.home }])
        await answersAlike(target, check, { who, operation, input }, field, foreign);
    }),
    test(`${operation} under another account's header answers the home account's ${fieldName(field)} as an unknown one`, async (target, check) => {
      const home = String(valueAt(validInput(operation)[field.where], field.steps));
      for (const role of homeRoles) {
        const who = { userId: users[role], accountId: accounts.foreign };
        await answersAlike(target, check, { who, operation, input: foreignInput(operation) }, field, [home]);
      }
    }),
  ]),
);

/** UUIDs are the same in either letter case. Only an id with letters can be sent in another letter case. */
const letterCaseCases = operationIds.flatMap((operation) => {
  const takes = (what: string, sent: () => Sent) =>
    test(`${operation} takes ${what} in upper case for the same one`, async (target, check) => {
      const { status, body } = await answerTo(target, sent());
      check.isTrue(status < 400, `it is taken, got ${status} ${body}`);
    });
  const input = validInput(operation);
  const account = accounts.home.toUpperCase();
  return [
    ...(scopedOperations.includes(operation)
      ? [takes("the account's id", () => ({ who: homeUser("owner"), operation, input, account }))]
      : []),
    ...referencesOf(operation).flatMap((field) => {
      const value = String(valueAt(input[field.where], field.steps)).toUpperCase();
      if (value === value.toLowerCase()) return [];
      return [takes(fieldName(field), () => ({ ...asOwner, operation, input: inputWith(input, field, value) }))];
    }),
  ];
});

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
  Object.entries({ "a JWT": homeUser("admin"), "a key": { keyAccountId: accounts.home } }).map(([what, who]) =>
    test(`${operation} with ${what} answers every account without the caller with the same refusal`, async (target, check) => {
      const call = invoke(await connect(target, { ...who, accountId: unknownId }), operation, validInput(operation));
      await check.rejectedWithStatus(
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
    }),
  ),
);

const roleCases = scopedOperations.map((operation) =>
  test(`${operation} in another account of the user is decided by the role there`, async (target, check) => {
    for (const role of homeRoles) {
      const who = { userId: users[role], accountId: accounts.foreign };
      const { status } = await answerTo(target, { who, operation, input: foreignInput(operation) });
      const there = foreignMembers[role].role;
      const permitted = admittedBy(operation).includes(there);
      const refused = status === statusOf("insufficient_permissions");
      check.equal(refused, !permitted, `whether the ${role} of the home account is refused as ${there}`);
    }
  }),
);

/** What every read shows in an account. */
async function everything(target: Target, who: Caller, inputOf: (operation: OperationId) => Input) {
  const shown = [];
  for (const operation of reads) shown.push(await answerTo(target, { who, operation, input: inputOf(operation) }));
  return shown;
}

/** A record of the world that a list shows. */
type Listed = Readonly<Record<string, unknown>> & { readonly id: string };

/** Values of a list's filter: those of the records, or values that divide a list of the world. */
function filterValues({ operation, steps, schema }: Field, records: readonly Listed[]): unknown[] {
  const [name = ""] = steps;
  const shown = [...new Set(records.flatMap((record) => (name in record ? [record[name]] : [])))];
  if (shown.length > 0) return shown;
  if (typeOf(schema) === "integer") return [1, 7, 20];
  if (schema.format === "date-time") return [iso(-48 * hourMs), iso(-hourMs), iso(-15_000)];
  throw new Error(`Add values for the filter ${name} of ${operation}.`);
}

const filterCases = operationIds.flatMap((operation) => {
  const items = pagedItems(operation);
  if (items === undefined) return [];
  const records = (Reflect.get(world, items) ?? []) as readonly (Listed & { readonly accountId: string })[];
  const filters = fieldsOf(operation).filter(({ where }) => where === "query");
  return filters.map((field) =>
    test(`${operation} lists nothing of another account, whatever the ${fieldName(field)}`, async (target, check) => {
      const [name = ""] = field.steps;
      for (const [who, input] of [
        [homeUser("owner"), validInput(operation)],
        [{ userId: users.agent, accountId: accounts.foreign }, foreignInput(operation)],
      ] as const) {
        const own = records.filter(({ accountId }) => accountId === who.accountId);
        const client = await connect(target, who);
        for (const value of filterValues(field, records)) {
          const page = await invoke(client, operation, inputWith(input, field, value));
          const shown = valueAt(page, [items]) as readonly Listed[];
          const others = shown.filter(({ id }) => !own.some((record) => record.id === id));
          check.equal(others, [], `items of other accounts for ${value}`);
          const matching = own.filter((record) => !(name in record) || record[name] === value);
          const total = Number(valueAt(page, ["meta", "total"]));
          check.isTrue(total <= matching.length, `total for ${value}: at most ${matching.length}, got ${total}`);
        }
      }
    }),
  );
});

const effectCases = operationIds.map((operation) =>
  test(`${operation} changes nothing in another account of the user`, async (target, check) => {
    const there = { userId: users.agent, accountId: accounts.foreign };
    const before = await everything(target, there, foreignInput);
    await invoke(await connect(target), operation, validInput(operation));
    check.equal(await everything(target, there, foreignInput), before, "what the reads in the other account show");
  }),
);

/** Accounts see and change nothing of one another, although their users, recipients and names are the same. */
export const isolationCases: readonly ContractCase[] = [
  ...referenceCases,
  ...letterCaseCases,
  ...headerCases,
  ...roleCases,
  ...filterCases,
  ...effectCases,
  test("the rate limit counts the requests of each credential, not those of the user or the account", async (target, check) => {
    const first = [await connect(target), await connect(target, { keyAccountId: accounts.home })];
    // A token that is issued later is another credential.
    await target.clock.advance({ by: 1000 });
    const others = [await connect(target), await connect(target, { keyAccountId: accounts.home })];
    await target.policies.set({ rateLimit: { requests: 1, windowSecs: 3600 } });
    for (const client of [...first, ...others, await connect(target, homeUser("admin"))]) await client.roles.list();
    for (const client of [...first, ...others]) await check.rejected(client.roles.list(), "rate_limit_exceeded");
  }),
  test("the rate limit counts the requests of a credential over all accounts", async (target, check) => {
    const home = await connect(target);
    const foreign = await connect(target, { userId: users.owner, accountId: accounts.foreign });
    await target.policies.set({ rateLimit: { requests: 1, windowSecs: 3600 } });
    await home.roles.list();
    await check.rejected(foreign.roles.list(), "rate_limit_exceeded");
  }),
];
