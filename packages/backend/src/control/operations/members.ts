import { localTime } from "../../model/hours.ts";
import type { MemberRecord } from "../../model/records.ts";
import { hoursAround, isWithinHours } from "../../rules/hours.ts";
import { availabilityAt } from "../../rules/members.ts";
import { accountTimeZone, reasonNotToDisturb } from "../../rules/transfers.ts";
import type { BackendControls } from "../parts/controls.ts";
import type { ControlHandlers } from "../parts/exchange.ts";
import type { SuccessBody } from "../parts/reply.ts";

export const memberHandlers = {
  async listAvailability({ backend, query }) {
    await backend.clock.runDue();
    const members = [...backend.state.members.values()].filter(
      ({ accountId }) => (query?.accountId ?? accountId) === accountId,
    );
    return { members: members.map((member) => describeMember(member, backend)) };
  },
} satisfies Partial<ControlHandlers>;

/** Describes whether a transfer would ring a member now, and why not. */
function describeMember(
  member: MemberRecord,
  { state, clock }: BackendControls,
): SuccessBody<"listAvailability">["members"][number] {
  const { userId, accountId, role, hours, missedCalls } = member;
  const now = clock.now();
  const timeZone = hours?.timeZone ?? accountTimeZone(member, state);
  const { status, busy, source = null, reason = null, until = null, updatedAt = null } = availabilityAt(member, now);
  const silentBecause = reasonNotToDisturb(member, state, now);
  return {
    ...{ memberId: member.id, userId, name: state.users.get(userId)?.name ?? "", accountId, role },
    ...{ status, busy, source, reason, until, updatedAt },
    timeZone,
    localTime: localTime(now, timeZone),
    insideHours: isWithinHours(hours, now, timeZone),
    ...hoursAround(hours, now, timeZone),
    missedCalls,
    ringable: silentBecause === undefined,
    ...(silentBecause !== undefined && { silentBecause }),
  };
}
