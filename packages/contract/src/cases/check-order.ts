import { type ErrorCode, type OperationId, operations } from "@call-transfer/spec";
import { operationIds, requestSchema } from "../document/document.ts";
import { admittedBy, isAccountScoped } from "../document/expected.ts";
import { limits } from "../facts/limits.ts";
import { accounts, telephony, users, uuid } from "../fixtures/names.ts";
import { type ContractCase, casesFor } from "../suite/case.ts";
import { codeOf, connect, type Input, identityOf, invoke, sendRaw, validInput } from "../suite/client.ts";
import type { Caller, Target, TargetWith } from "../suite/target.ts";

const test = casesFor("check order", ["authentication", "validation", "policies", "state"]);

/** A valid request to which flaws are added. */
interface RequestPlan {
  readonly who: Caller;
  readonly headers: Readonly<Record<string, string>>;
  readonly input: Input;
  /** Text that replaces the JSON of the input's body. */
  readonly text?: string;
  /** Steps to run before the request. */
  readonly before: readonly ((target: TargetWith<"policies">) => Promise<void>)[];
}

/** A mistake in a request, and the error code for it alone. */
interface Flaw {
  readonly name: string;
  readonly code: ErrorCode;
  /** Set when only a key, or only a JWT, can have the flaw. */
  readonly only?: "key" | "token" | undefined;
  readonly inBody?: true;
  readonly applyTo: Change;
}

const asOwner: Caller = { userId: users.owner, accountId: accounts.home };
const ownerKey = { keyAccountId: accounts.home };

type Change = (plan: RequestPlan) => RequestPlan;
const flaw = (name: string, code: ErrorCode, applyTo: Change, only?: Flaw["only"]): Flaw => ({
  name,
  code,
  only,
  applyTo,
});

const withWho =
  (change: object): Change =>
  (plan) => ({ ...plan, who: { ...plan.who, ...change } as Caller });
const withInput =
  (change: (input: Input) => Partial<Input>): Change =>
  (plan) => ({ ...plan, input: { ...plan.input, ...change(plan.input) } });
const withIds = (id: string): Change =>
  withInput(({ path }) => ({ path: Object.fromEntries(Object.keys(path).map((name) => [name, id])) }));
/** A flaw in the JSON body, which malformed JSON hides. */
const bodyFlaw = (name: string, code: ErrorCode, change: object): Flaw => ({
  ...flaw(
    name,
    code,
    withInput(({ body }) => ({ body: { ...(body as object), ...change } })),
  ),
  inBody: true,
});

/** Credentials are checked first, so all later flaws need a valid one. */
const credential = flaw("an unknown credential", "api_key_invalid", (plan) => ({
  ...plan,
  headers: { ...plan.headers, Authorization: `Bearer ${limits.apiKeyPrefix}unknown` },
}));
const scope = flaw("a key without the required scope", "api_key_insufficient_scope", withWho({ scopes: [] }), "key");
const address = flaw(
  "a key from another address",
  "api_key_ip_restricted",
  withWho({ allowedIps: ["203.0.113.7"] }),
  "key",
);
const accountHeader = flaw(
  "a missing account header",
  "account_header_missing",
  withWho({ accountId: undefined }),
  "token",
);
const membership = flaw("another account", "account_access_denied", withWho({ accountId: accounts.outside }));
const role = flaw("a role without permission", "insufficient_permissions", (plan) =>
  withWho("keyAccountId" in plan.who ? { role: "agent" } : { userId: users.agent })(plan),
);
const rateLimit = flaw("an exhausted rate limit", "rate_limit_exceeded", (plan) => ({
  ...plan,
  before: [...plan.before, (target) => target.policies.set({ rateLimit: { requests: 0, windowSecs: 60 } })],
}));
const malformedId = flaw("a malformed id", "invalid_id_format", withIds("not-an-id"));
const unknownId = flaw("an unknown id", "resource_not_found", withIds(uuid(999)));
const malformedJson = flaw("malformed JSON", "invalid_json", (plan) => ({ ...plan, text: "{" }));

async function takeName(target: Target): Promise<void> {
  const group = "createDestinationGroup";
  await invoke(await connect(target), group, validInput(group));
}

/** Flaws that only one operation can have. */
const ownFlaws: Readonly<Partial<Record<OperationId, readonly Flaw[]>>> = {
  // Before all other steps, so that none of them prevents it.
  createDestinationGroup: [
    flaw("a taken name", "resource_already_exists", (plan) => ({ ...plan, before: [takeName, ...plan.before] })),
  ],
  createCall: [bodyFlaw("an unpublished flow", "flow_not_published", { flowId: telephony.unpublishedFlow })],
};

/** A query parameter that should be a number and is not. */
function malformedQueryOf(parameters: Readonly<Record<string, string>>): Flaw[] {
  const [name] = Object.entries(parameters).find(([, type]) => type === "integer") ?? [];
  if (name === undefined) return [];
  return [
    flaw(
      "a malformed query",
      "validation_failed",
      withInput(() => ({ query: { [name]: "many" } })),
    ),
  ];
}

/** A body without one of its required fields. */
function invalidField(operation: OperationId): Flaw[] {
  const field = requestSchema(operation)?.required?.at(-1);
  return field === undefined ? [] : [bodyFlaw("a missing field", "validation_failed", { [field]: undefined })];
}

/** The flaws that an operation can have, in the order in which they must be reported. */
function chainOf(operation: OperationId): Flaw[] {
  const { pathParameters, queryParameters, hasBody } = operations[operation];
  return [
    credential,
    address,
    scope,
    ...(isAccountScoped(operation) ? [accountHeader, membership] : []),
    ...(admittedBy(operation).includes("agent") ? [] : [role]),
    rateLimit,
    ...(pathParameters.length > 0 ? [malformedId] : []),
    ...malformedQueryOf(queryParameters),
    ...(hasBody ? [malformedJson, ...invalidField(operation)] : []),
    ...(pathParameters.length > 0 ? [unknownId] : []),
    ...(ownFlaws[operation] ?? []),
  ];
}

/** Pairs of flaws without a defined order, or that one request cannot have at once. */
const exclusive: readonly (readonly [Flaw, Flaw])[] = [
  [address, scope],
  [accountHeader, membership],
  [malformedId, unknownId],
];

function canCombine(first: Flaw, second: Flaw): boolean {
  const kinds = new Set([first.only, second.only].filter((kind) => kind !== undefined));
  const isHidden = first === malformedJson && second.inBody;
  return kinds.size < 2 && !isHidden && !exclusive.some(([left, right]) => left === first && right === second);
}

function pairCase(operation: OperationId, first: Flaw, second: Flaw): ContractCase {
  const who = [first.only, second.only].includes("key") ? ownerKey : asOwner;
  return test(`${operation}: ${first.name} is reported before ${second.name}`, async (target, check) => {
    const valid: RequestPlan = { who, headers: {}, input: validInput(operation), before: [] };
    const { who: caller, headers, input, text, before } = second.applyTo(first.applyTo(valid));
    const identity = await identityOf(target, caller);
    for (const prepare of before) await prepare(target);
    const init = { headers: { ...identity, ...headers }, ...(text === undefined ? {} : { body: text }) };
    const response = await sendRaw(target, operation, init, input);
    check.equal(await codeOf(response), first.code, "code");
  });
}

function pairsOf(operation: OperationId): ContractCase[] {
  const chain = chainOf(operation);
  return chain.flatMap((first, index) =>
    chain
      .slice(index + 1)
      .filter((second) => canCombine(first, second))
      .map((second) => pairCase(operation, first, second)),
  );
}

/** Two flaws in one request: the earlier check reports its error. */
export const checkOrderCases: readonly ContractCase[] = operationIds.flatMap(pairsOf);
