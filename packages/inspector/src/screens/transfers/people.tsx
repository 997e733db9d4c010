import type { Schema } from "@call-transfer/backend/control-client";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { duration } from "../../data/values/format.ts";
import { Status } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";
import { LoadError, PartHeading } from "../../parts/screen.tsx";
import { availabilityWords } from "./layout.ts";
import { MissedCalls } from "./rings.tsx";

/** Whom a transfer would ring now: the members of an account, as they change. */
export function People({ accountId, limit }: { readonly accountId: string; readonly limit: number }) {
  const live = useLive<Schema<"AvailabilityList">>(
    (control) => control.GET("/_control/v1/members/availability", { params: { query: { accountId } } }),
    ({ type, method }) =>
      /^(?:transfer|member|availability|state|clock|policies|scenario)\./.test(type) ||
      (type === "request.completed" && method !== "GET"),
    accountId,
  );
  return (
    <section class="people" aria-label="Members now">
      <PartHeading>Members now</PartHeading>
      <LoadError error={live.error} />
      <ul class="people-list">
        {live.data?.members.map((member) => (
          <Person key={member.memberId} member={member} limit={limit} />
        ))}
      </ul>
    </section>
  );
}

function Person({ member, limit }: { readonly member: Schema<"Availability">; readonly limit: number }) {
  const { clock } = useSession();
  const { tone, text, detail } = availabilityWords(member);
  const left = member.until === null ? 0 : Date.parse(member.until) - clock.now.value;
  return (
    <li class="person">
      <Link class="person-name" to={["state", "members", member.memberId]}>
        <span dir="auto">{member.name}</span>
      </Link>
      <Status tone={tone}>{text}</Status>
      <span class="person-detail muted">
        {detail}
        {member.until !== null && left > 0 && `${detail === "" ? "" : ", "}${duration(left)} left`}
        {detail === "" && member.until === null && member.missedCalls > 0 && (
          <MissedCalls count={member.missedCalls} limit={limit} />
        )}
      </span>
    </li>
  );
}
