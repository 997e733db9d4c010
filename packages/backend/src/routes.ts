import { type DestinationGroupMember, type FieldError, limits, type TransferDestination } from "@call-transfer/spec";
import type { AnyHandler, Handlers } from "./http/exchange.ts";
import type { AccountRecord, CallRecord, DestinationRecord, GroupRecord, MemberRecord } from "./model/records.ts";
import type { IndexedState, State } from "./model/state.ts";
import { drainQueue, startCall } from "./platform/calls.ts";
import { newSigningSecret, secretsAt } from "./rules/accounts.ts";
import { decidePlacement, elapsedSecs, listedCalls } from "./rules/calls.ts";
import { availabilityAt } from "./rules/members.ts";
import { problem } from "./utils/problem.ts";

const accountHandlers = {
  /** Lists the accounts of the user's memberships, or the account of the key (§4.6, A-10). */
  listAccounts({ state, caller }) {
    const accessible = new Set<string>();
    if (caller.kind === "key") accessible.add(caller.key.accountId);
    else
      for (const member of state.members.values())
        if (member.userId === caller.userId) accessible.add(member.accountId);
    const accounts = [...state.accounts.values()].filter(({ id }) => accessible.has(id));
    return { status: 200, body: { accounts: accounts.map(({ id, name }) => ({ id, name })) } };
  },
} satisfies Handlers;

const callHandlers = {
  /** Places a call, or queues it at the concurrent-call limit (§4.6). */
  createCall(exchange) {
    const { state, clock, random, policies, account, body } = exchange;
    const now = clock.now();
    // Tests may free a line by changing the state itself. Waiting calls start before this one.
    drainQueue(exchange, account.id, now);
    const placement = decidePlacement(state, policies, account, body, now);
    if (placement.problem) return placement;
    const isQueued = placement.type === "queued";
    const call: CallRecord = {
      id: random.uuid(),
      accountId: account.id,
      direction: "outbound",
      status: isQueued ? "queued" : "in_progress",
      duration: 0,
      createdAt: now,
      startedAt: isQueued ? undefined : now,
      request: body,
    };
    state.calls.set(call.id, call);
    if (isQueued) return { status: 202, body: placement };
    startCall(exchange, call);
    return { status: 201, body: { type: placement.type, callId: call.id } };
  },
  /** Lists the account's calls by limit and offset (§4.6). */
  listCalls({ state, clock, policies, account, query }) {
    const now = clock.now();
    const calls = listedCalls(state, policies, account.id, query, now);
    const page = calls.slice(query.offset, query.offset + query.limit);
    return { status: 200, body: { calls: page.map((call) => shownCall(call, now)), meta: { total: calls.length } } };
  },
} satisfies Handlers;

function shownCall(call: CallRecord, now: number) {
  const { id, direction, status } = call;
  const duration = status === "in_progress" ? elapsedSecs(call, now) : call.duration;
  return { id, direction, duration, status, createdAt: new Date(call.createdAt).toISOString() };
}

const destinationGroupHandlers = {
  /** Creates a group (§4.2). Unknown, foreign and repeated destinations count as validation errors. */
  createDestinationGroup({ state, clock, random, account, body }) {
    const errors = memberErrors(state, account.id, body.members);
    if (errors.length > 0) return problem("validation_failed", { errors });
    if (state.groups.named(account.id, body.name) !== undefined)
      return problem("resource_already_exists", { detail: "The account has a destination group of this name." });
    const now = clock.iso();
    const group: GroupRecord = {
      accountId: account.id,
      id: random.uuid(),
      name: body.name,
      strategy: body.strategy,
      totalTimeoutSecs: body.totalTimeoutSecs,
      members: body.members.map(({ destinationId, ringTimeoutSecs }) => ({
        destinationId,
        ...(ringTimeoutSecs !== undefined && { ringTimeoutSecs }),
      })),
      createdAt: now,
      updatedAt: now,
    };
    state.groups.set(group.id, group);
    const { accountId: _, ...shown } = group;
    return { status: 201, body: shown };
  },
} satisfies Handlers;

function memberErrors(
  state: IndexedState,
  accountId: string,
  members: readonly Pick<DestinationGroupMember, "destinationId">[],
): FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, { destinationId }] of members.entries()) {
    const field = `members[${index}].destinationId`;
    if (state.destinations.get(destinationId)?.accountId !== accountId)
      errors.push({ field, code: "invalid_format", message: "must be the id of a destination of this account" });
    else if (seen.has(destinationId)) errors.push({ field, code: "already_in_use", message: "is in the list already" });
    seen.add(destinationId);
  }
  return errors;
}

const overlapMs = limits.previousSecretOverlapHours * 3_600_000;

const destinationHandlers = {
  /** Replaces an app destination's secret; the previous one signs for another day. A policy decides about an older one (§4.1, A-34). */
  rotateDestinationSecret({ state, clock, random, policies, expiries, account, params }) {
    const destination = state.destinations.get(params.id);
    if (destination?.accountId !== account.id) return problem("resource_not_found");
    if (destination.kind !== "app")
      return problem("bad_request", { detail: "Only a destination of kind app has a signing secret." });
    const [, previous] = secretsAt(destination, clock.now());
    if (policies.secondRotation === "reject" && previous !== undefined)
      return problem("conflict", { detail: overlapDetail(destination) });
    const rotated = {
      ...destination,
      previousSecret: destination.signingSecret,
      previousSecretExpiresAt: clock.now() + overlapMs,
      signingSecret: newSigningSecret(random),
      updatedAt: clock.iso(),
    };
    state.destinations.set(rotated.id, rotated);
    expiries.refresh();
    return { status: 200, body: { ...shownDestination(rotated), signingSecret: rotated.signingSecret } };
  },
} satisfies Handlers;

function overlapDetail({ previousSecretExpiresAt = 0 }: DestinationRecord): string {
  const until = new Date(previousSecretExpiresAt).toISOString();
  return `The previous secret signs until ${until}, and another rotation would end it. Rotate again after that.`;
}

/** A destination in an answer, without its secret (§2.1). */
function shownDestination(destination: DestinationRecord): TransferDestination {
  const { id, name, kind, enabled, config, createdAt, updatedAt, signingSecret, previousSecretExpiresAt } = destination;
  return {
    id,
    name,
    kind,
    enabled,
    config,
    createdAt,
    updatedAt,
    ...(signingSecret !== undefined && { signingSecretHint: signingSecret.slice(-limits.signingSecretHintLength) }),
    ...(previousSecretExpiresAt !== undefined && {
      previousSecretExpiresAt: new Date(previousSecretExpiresAt).toISOString(),
    }),
  };
}

const memberHandlers = {
  /** Removes a member's hours, if any (§4.3, A-26). */
  deleteMemberHours({ state, account, params }) {
    const member = findMember(state, account, params.memberId);
    if (member === undefined) return problem("resource_not_found");
    state.members.set(member.id, { ...member, hours: undefined });
    return { status: 204 };
  },
  /** Reads a member's current availability (§4.4). */
  getMemberAvailability({ state, clock, account, params }) {
    const member = findMember(state, account, params.memberId);
    if (member === undefined) return problem("resource_not_found");
    return { status: 200, body: availabilityAt(member, clock.now()) };
  },
} satisfies Handlers;

function findMember(state: State, account: AccountRecord, id: string): MemberRecord | undefined {
  const member = state.members.get(id);
  return member?.accountId === account.id ? member : undefined;
}

const roleHandlers = {
  /** Lists the built-in roles (§4.5). */
  listRoles: ({ state }) => ({ status: 200, body: { roles: [...state.roles.values()] } }),
} satisfies Handlers;

/** The handlers by operationId. An operation without one answers with the example of the API description. */
export const handlers = {
  ...accountHandlers,
  ...callHandlers,
  ...destinationGroupHandlers,
  ...destinationHandlers,
  ...memberHandlers,
  ...roleHandlers,
} satisfies Handlers as Readonly<Record<string, AnyHandler>>;
