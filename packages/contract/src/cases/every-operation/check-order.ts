import { type ErrorCode, type OperationId, operations } from "@call-transfer/spec";
import { operationIds, requestSchema } from "../../document/document.ts";
import { admittedBy, isAccountScoped } from "../../document/expected.ts";
import { limits } from "../../facts/limits.ts";
import { type ContractCase, casesFor } from "../../suite/case.ts";
import { codeOf, connect, type Input, identityOf, invoke, sendRaw, validInput } from "../../suite/client.ts";
import type { Caller, Target, TargetWith } from "../../suite/target.ts";
import { accounts, telephony, users, uuid } from "../../world/names.ts";

const test = casesFor("check order", ["auth", "validates", "policies", "stateful"]);

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
  readonly only?: "key" | "token";
  /** Whether the flaw is in the JSON body, which malformed JSON hides. */
  readonly inBody?: true;
  applyTo(plan: RequestPlan): RequestPlan;
}

const asOwner: Caller = { userId: users.owner, accountId: accounts.home };
const ownerKey = { keyOf: accounts.home };

const withWho = (plan: RequestPlan, change: object): RequestPlan => ({
  ...plan,
  who: { ...plan.who, ...change } as Caller,
});
const withBody = (plan: RequestPlan, change: object): RequestPlan => ({
  ...plan,
  input: { ...plan.input, body: { ...(plan.input.body as object), ...change } },
});
/** Credentials are checked first, so all later flaws need a valid one. */
const credential: Flaw = {
  name: "an unknown credential",
  code: "api_key_invalid",
  applyTo: (plan) => ({ ...plan, headers: { ...plan.headers, Authorization: `Bearer ${limits.apiKeyPrefix}unknown` } }),
};
const scope: Flaw = {
  name: "a key without the required scope",
  code: "api_key_insufficient_scope",
  only: "key",
  applyTo: (plan) => withWho(plan, { scopes: [] }),
};
const address: Flaw = {
  name: "a key from another address",
  code: "api_key_ip_restricted",
  only: "key",
  applyTo: (plan) => withWho(plan, { allowedIps: ["203.0.113.7"] }),
};
const accountHeader: Flaw = {
  name: "a missing account header",
  code: "account_header_missing",
  only: "token",
  applyTo: (plan) => withWho(plan, { accountId: undefined }),
};
const membership: Flaw = {
  name: "another account",
  code: "account_access_denied",
  applyTo: (plan) => withWho(plan, { accountId: accounts.outside }),
};
const role: Flaw = {
  name: "a role without permission",
  code: "insufficient_permissions",
  applyTo: (plan) => withWho(plan, "keyOf" in plan.who ? { role: "agent" } : { userId: users.agent }),
};
const rateLimit: Flaw = {
  name: "an exhausted rate limit",
  code: "rate_limit_exceeded",
  applyTo: (plan) => ({
    ...plan,
    before: [...plan.before, (target) => target.policies.set({ rateLimit: { requests: 0, windowSecs: 60 } })],
  }),
};

async function takeName(target: Target): Promise<void> {
  const group = "createDestinationGroup";
  await invoke(await connect(target), group, validInput(group));
}

/** Flaws that only one operation can have. */
const ownFlaws: Readonly<Partial<Record<OperationId, readonly Flaw[]>>> = {
  createDestinationGroup: [
    {
      name: "a taken name",
      code: "resource_already_exists",
      // Before all other steps, so that none of them prevents it.
      applyTo: (plan) => ({ ...plan, before: [takeName, ...plan.before] }),
    },
  ],
  createCall: [
    {
      name: "an unpublished flow",
      code: "flow_not_published",
      inBody: true,
      applyTo: (plan) => withBody(plan, { flowId: telephony.unpublishedFlow }),
    },
  ],
};

const withIds = (plan: RequestPlan, id: string): RequestPlan => ({
  ...plan,
  input: { ...plan.input, path: Object.fromEntries(Object.keys(plan.input.path).map((name) => [name, id])) },
});
const malformedId: Flaw = {
  name: "a malformed id",
  code: "invalid_id_format",
  applyTo: (plan) => withIds(plan, "not-an-id"),
};
const unknownId: Flaw = {
  name: "an unknown id",
  code: "resource_not_found",
  applyTo: (plan) => withIds(plan, uuid(999)),
};
/** A query parameter that should be a number and is not. */
function malformedQueryOf(parameters: Readonly<Record<string, string>>): Flaw[] {
  const [name] = Object.entries(parameters).find(([, type]) => type === "integer") ?? [];
  if (name === undefined) return [];
  return [
    {
      name: "a malformed query",
      code: "validation_failed",
      applyTo: (plan) => ({ ...plan, input: { ...plan.input, query: { [name]: "many" } } }),
    },
  ];
}
const malformedJson: Flaw = {
  name: "malformed JSON",
  code: "invalid_json",
  applyTo: (plan) => ({ ...plan, text: "{" }),
};

/** A body without one of its required fields. */
function invalidField(operation: OperationId): Flaw[] {
  const field = requestSchema(operation)?.required?.at(-1);
  if (field === undefined) return [];
  return [
    {
      name: "a missing field",
      code: "validation_failed",
      inBody: true,
      applyTo: (plan) => withBody(plan, { [field]: undefined }),
    },
  ];
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
  return test(`${operation}: ${first.name} is reported before ${second.name}`, [], async (target, check) => {
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
