import type { Handlers } from "../http/checks/exchange.ts";
import type { AccountRecord, MemberRecord } from "../model/records.ts";
import type { State } from "../model/state.ts";
import { availabilityAt } from "../rules/members.ts";
import { problem } from "../utils/problem.ts";

export const memberHandlers = {
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
