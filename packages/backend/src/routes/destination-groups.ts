import type { DestinationGroupMember, FieldError } from "@call-transfer/spec";
import type { Handlers } from "../http/checks/exchange.ts";
import type { GroupRecord } from "../model/records.ts";
import type { WorldState } from "../model/state.ts";
import { problem } from "../utils/problem.ts";

export const destinationGroupHandlers = {
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
  state: WorldState,
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
