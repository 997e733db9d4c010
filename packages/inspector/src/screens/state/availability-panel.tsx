import type { Schema } from "@call-transfer/backend/control-client";
import { useSession } from "../../data/session/context.ts";
import { duration, timeOfDay } from "../../data/values/format.ts";
import { Facts, Relative, Status, Time, type Tone } from "../../parts/data.tsx";
import { EditPanel } from "./edit-panel.tsx";
import { localTime, shortDay, timeOf } from "./week.ts";

/** A member's availability now, as the control plane finds it with the rules of a transfer. */
export type Availability = Schema<"Availability">;

const tones: Readonly<Record<string, Tone>> = { available: "ok", away: "warn", offline: "idle" };

/** The status in force now. */
export function AvailabilityStatus({ status, busy }: Pick<Availability, "status" | "busy">) {
  if (busy && status === "available") return <Status tone="warn">busy</Status>;
  return <Status tone={tones[status] ?? "idle"}>{status}</Status>;
}

/** What a row says about a member: until when, and why a transfer would not ring. */
export function availabilitySummary(availability: Availability, now: number): string {
  const { until, silentBecause, missedCalls } = availability;
  return [
    until === null ? undefined : `until ${timeOfDay(until)}, ${duration(Date.parse(until) - now)} left`,
    silentBecause?.replace(/^the member is /, ""),
    missedCalls === 0 ? undefined : `${missedCalls} missed`,
  ]
    .filter((text) => text !== undefined && text !== availability.status && text !== "busy")
    .join(" · ");
}

/** A member's availability as people see it: whether it rings now and why not, until when, hours and missed calls. */
export function AvailabilityPanel({
  availability,
  edit,
}: {
  readonly availability: Availability;
  readonly edit: () => void;
}) {
  const { status, busy, source, reason, until, updatedAt, timeZone, insideHours } = availability;
  const { window, nextWindow, ringable, silentBecause } = availability;
  const local = localTime(useSession().clock.now.value, timeZone);
  return (
    <EditPanel title="Availability" edit={edit}>
      <Facts
        facts={{
          Status: (
            <>
              <AvailabilityStatus status={status} busy={busy} />
              {until !== null && (
                <span>
                  {" "}
                  until <Time at={until} />, <Relative at={until} />
                </span>
              )}
            </>
          ),
          "Set by":
            source === null ? undefined : reason === null ? source : `${source}: ${reason.replaceAll("_", " ")}`,
          Since: updatedAt === null ? undefined : <Relative at={updatedAt} />,
          Rings: ringable ? (
            <Status tone="ok">yes, a transfer would ring now</Status>
          ) : (
            <Status tone="warn">no, {silentBecause ?? "a transfer would not ring now"}</Status>
          ),
          Hours: hoursText(insideHours, window, nextWindow),
          "Local time": local && `${shortDay(local.day)} ${timeOf(local.minutes)} in ${timeZone}`,
        }}
      />
    </EditPanel>
  );
}

type HoursWindow = Schema<"HoursWindow">;

function hoursText(isInside: boolean, window: HoursWindow | undefined, next: HoursWindow | undefined): string {
  if (window !== undefined) return `inside, until ${window.to}`;
  if (isInside) return "always inside: no hours are set";
  return next === undefined ? "outside, and none follow" : `outside, next ${next.weekday} ${next.from}–${next.to}`;
}
