import type * as z from "zod";
import type { ApiKeyOptions } from "../data/credentials.ts";
import type { zCollection } from "../generated/schemas.gen.ts";
import { claimsOf } from "../http/authenticate.ts";
import type { MemberRecord } from "../model/records.ts";
import { accountTimeZone, availabilityAt, isWithinHours, reasonNotToDisturb } from "../rules/members.ts";
import { InputError } from "../utils/input-error.ts";
import type { BackendControls } from "./controls.ts";
import { type ControlHandlers, notFound, type SuccessBody } from "./exchange.ts";
import { redactedRecord, refuseRedacted } from "./redacted.ts";

// An address of a network that is reserved for documentation, so no request comes from it.
const documentationAddress = "192.0.2.1";

export const recordHandlers = {
  listRecords({ backend: { collections }, params, query }) {
    const name = nameOf(params);
    const found = query?.id === undefined ? collections.list(name) : [collections.get(name, query.id) ?? []].flat();
    return { records: found.map((record) => redactedRecord(query, name, record)) };
  },
  createRecord({ backend, params, query, body }) {
    refuseRedacted(body);
    return redactedRecord(query, nameOf(params), backend.collections.create(nameOf(params), body));
  },
  updateRecord({ backend, params, query, body }) {
    refuseRedacted(body);
    const record = backend.collections.update(nameOf(params), params.id, body);
    return record === undefined
      ? notFound(`record ${params.id} in ${params.collection}`)
      : redactedRecord(query, nameOf(params), record);
  },
  deleteRecord: ({ backend, params }) =>
    backend.collections.delete(nameOf(params), params.id)
      ? undefined
      : notFound(`record ${params.id} in ${params.collection}`),
  async createAccessToken({ backend: { credentials, state }, body: { userId, role, accountId, ...options } }) {
    const account = accountId ?? state.accounts.keys().next().value;
    if (accountId !== undefined && !state.accounts.has(accountId))
      throw new InputError("accountId", `there is no account ${accountId}`);
    if (userId === undefined && role === undefined) throw new InputError("role", "is required unless userId is given");
    const member = [...state.members.values()].find(
      (candidate) =>
        candidate.accountId === account &&
        (userId ?? candidate.userId) === candidate.userId &&
        (role ?? candidate.role) === candidate.role,
    );
    const holder = userId ?? member?.userId;
    if (holder === undefined || (role !== undefined && member === undefined))
      throw new InputError(
        "role",
        userId === undefined
          ? `no member of the account has the role ${role}`
          : `user ${userId} does not have the role ${role} in the account`,
      );
    const accessToken = await credentials.createAccessToken({ userId: holder, ...options });
    return {
      accessToken,
      userId: holder,
      expiresAt: new Date((claimsOf(accessToken)?.expiresAt ?? 0) * 1000).toISOString(),
      ...(member !== undefined && { accountId: member.accountId }),
    };
  },
  createApiKey({ backend, body: { state, ...options } }) {
    return backend.credentials.createApiKey({ ...options, ...restrictionsOf(state) });
  },
  async listAvailability({ backend, query }) {
    await backend.clock.runDue();
    const members = [...backend.state.members.values()].filter(
      ({ accountId }) => (query?.accountId ?? accountId) === accountId,
    );
    return { members: members.map((member) => describeMember(member, backend)) };
  },
} satisfies Partial<ControlHandlers>;

/** Narrows the name, which the path schema has validated. */
function nameOf({ collection }: { readonly collection: string }): z.output<ReturnType<typeof zCollection>> {
  return collection as z.output<ReturnType<typeof zCollection>>;
}

function restrictionsOf(
  state: ApiKeyOptions["state"] | "ip_restricted" | "insufficient_scope",
): Pick<ApiKeyOptions, "state" | "allowedIps" | "scopes"> {
  if (state === "ip_restricted") return { allowedIps: [documentationAddress] };
  if (state === "insufficient_scope") return { scopes: [] };
  return { state };
}

/** Describes whether a transfer would ring a member now, and why not. */
function describeMember(
  member: MemberRecord,
  { state, clock }: BackendControls,
): SuccessBody<"listAvailability">["members"][number] {
  const { userId, accountId, role, hours, missedCalls } = member;
  const now = clock.now();
  const { status, busy, source = null, reason = null, until = null, updatedAt = null } = availabilityAt(member, now);
  const silentBecause = reasonNotToDisturb(member, state, now);
  return {
    ...{ memberId: member.id, userId, name: state.users.get(userId)?.name ?? "", accountId, role },
    ...{ status, busy, source, reason, until, updatedAt },
    insideHours: isWithinHours(hours, now, accountTimeZone(member, state)),
    missedCalls,
    ringable: silentBecause === undefined,
    ...(silentBecause !== undefined && { silentBecause }),
  };
}
