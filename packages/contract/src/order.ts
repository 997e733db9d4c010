import { type ErrorCode, limits, type OperationId } from "@call-transfer/spec";
import { type ContractCase, contractCase } from "./case.ts";
import { connect, type Input, invoke, sendRaw, validInput } from "./client.ts";
import type { Target, TargetWith, Who } from "./target.ts";
import { accounts, members, users } from "./world.ts";

/** A request under construction: one valid request into which faults are put. */
interface Plan {
  readonly who: Who;
  readonly headers: Readonly<Record<string, string>>;
  readonly input: Input;
  /** Text that replaces the JSON of the input's body. */
  readonly text?: string;
  /** What has to happen before the request. */
  readonly before: readonly ((target: TargetWith<"policies">) => Promise<void>)[];
}

/** Something wrong with a request, and the code it answers when nothing else is wrong. */
interface Fault {
  readonly name: string;
  readonly code: ErrorCode;
  /** Whether it can only be told of a key, or only of a JWT. */
  readonly only?: "key" | "token";
  put(plan: Plan): Plan;
}

const asOwner: Who = { userId: users.owner, accountId: accounts.home };
const ownerKey = { keyOf: accounts.home };

const withWho = (plan: Plan, change: object): Plan => ({ ...plan, who: { ...plan.who, ...change } as Who });
const withBody = (plan: Plan, change: object): Plan => ({
  ...plan,
  input: { ...plan.input, body: { ...(plan.input.body as object), ...change } },
});
const withId = (plan: Plan, memberId: string): Plan => ({ ...plan, input: { ...plan.input, path: { memberId } } });

/** Credentials come first, so every fault after them needs one that works. */
const credential: Fault[] = [
  {
    name: "an unknown credential",
    code: "api_key_invalid",
    put: (plan) => ({ ...plan, headers: { ...plan.headers, Authorization: `Bearer ${limits.apiKeyPrefix}unknown` } }),
  },
];
const scope: Fault = {
  name: "a key without the scope",
  code: "api_key_insufficient_scope",
  only: "key",
  put: (plan) => withWho(plan, { scopes: [] }),
};
const address: Fault = {
  name: "a key from another address",
  code: "api_key_ip_restricted",
  only: "key",
  put: (plan) => withWho(plan, { allowedIps: ["203.0.113.7"] }),
};
const accountHeader: Fault = {
  name: "no account header",
  code: "account_header_missing",
  only: "token",
  put: (plan) => withWho(plan, { accountId: undefined }),
};
const membership: Fault = {
  name: "another account",
  code: "account_access_denied",
  put: (plan) => withWho(plan, { accountId: accounts.foreign }),
};
const role: Fault = {
  name: "a role that may not",
  code: "insufficient_permissions",
  put: (plan) => withWho(plan, "keyOf" in plan.who ? { role: "agent" } : { userId: users.agent }),
};
const rateLimit: Fault = {
  name: "a used-up rate limit",
  code: "rate_limit_exceeded",
  put: (plan) => ({
    ...plan,
    before: [...plan.before, (target) => target.policies.set({ rateLimit: { requests: 0, windowSecs: 60 } })],
  }),
};

async function takeName(target: Target): Promise<void> {
  const group = "createDestinationGroup";
  await invoke(await connect(target), group, validInput(group));
}

/** The faults of one operation, in the order in which they are to be answered. */
const chains: Readonly<Partial<Record<OperationId, readonly Fault[]>>> = {
  createDestinationGroup: [
    ...credential,
    scope,
    accountHeader,
    membership,
    role,
    rateLimit,
    { name: "broken JSON", code: "invalid_json", put: (plan) => ({ ...plan, text: "{" }) },
    { name: "an invalid field", code: "validation_failed", put: (plan) => withBody(plan, { totalTimeoutSecs: 0 }) },
    {
      name: "a taken name",
      code: "resource_already_exists",
      put: (plan) => ({
        ...plan,
        // First of all, while nothing else stands in the way.
        before: [takeName, ...plan.before],
      }),
    },
  ],
  deleteMemberHours: [
    ...credential,
    address,
    accountHeader,
    membership,
    role,
    rateLimit,
    { name: "a malformed id", code: "invalid_id_format", put: (plan) => withId(plan, "not-an-id") },
    { name: "an unknown member", code: "resource_not_found", put: (plan) => withId(plan, members.foreign) },
  ],
};

/** Faults of one kind take each other's place in the request, so they cannot meet. */
const exclusive: readonly (readonly [string, string])[] = [
  ["broken JSON", "an invalid field"],
  ["broken JSON", "a taken name"],
  ["a malformed id", "an unknown member"],
  ["no account header", "another account"],
];

function canMeet(first: Fault, second: Fault): boolean {
  const kinds = new Set([first.only, second.only].filter((kind) => kind !== undefined));
  return kinds.size < 2 && !exclusive.some(([left, right]) => left === first.name && right === second.name);
}

function pairCase(operation: OperationId, first: Fault, second: Fault): ContractCase {
  const who = [first.only, second.only].includes("key") ? ownerKey : asOwner;
  return contractCase({
    noun: "order of checks",
    name: `${operation}: ${first.name} is answered before ${second.name}`,
    needs: ["auth", "validates", "policies", "stateful"],
    async run(target, check) {
      const valid: Plan = { who, headers: {}, input: validInput(operation), before: [] };
      const { who: caller, headers, input, text, before } = second.put(first.put(valid));
      const { apiKey, accessToken, accountId } = await target.as(caller);
      for (const prepare of before) await prepare(target);
      const init: RequestInit = {
        headers: {
          Authorization: `Bearer ${apiKey ?? accessToken}`,
          ...(accountId === undefined ? {} : { "X-Account-Id": accountId }),
          ...headers,
        },
        ...(text === undefined ? {} : { body: text }),
      };
      const response = await sendRaw(target, operation, init, input);
      check.equal(Reflect.get((await response.json()) as object, "code"), first.code, "code");
    },
  });
}

function pairsOf(operation: OperationId, chain: readonly Fault[]): ContractCase[] {
  return chain.flatMap((first, index) =>
    chain
      .slice(index + 1)
      .filter((second) => canMeet(first, second))
      .map((second) => pairCase(operation, first, second)),
  );
}

/** Two faults in one request: the check that stands earlier answers. */
export const orderCases: readonly ContractCase[] = Object.entries(chains).flatMap(([operation, chain]) =>
  pairsOf(operation as OperationId, chain),
);
