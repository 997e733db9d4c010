import type { TrafficEntry } from "../../data/records/traffic-entry.ts";
import { milliseconds } from "../../data/values/format.ts";
import { Status, Time, type Tone, toneOfStatus } from "../../parts/data.tsx";
import { Icon } from "../../parts/icon.tsx";

/** A row of the traffic. */
export function TrafficRow({ entry }: { readonly entry: TrafficEntry }) {
  const { kind, at, method, name, address, reason, durationMs, caller, fault, marks } = entry;
  return (
    <div class="traffic-row">
      <Time at={at} withMilliseconds />
      <span class={`traffic-method traffic-${kind}`}>
        {kind === "webhook" ? (
          <>
            <Icon name="webhooks" /> hook
          </>
        ) : (
          method
        )}
      </span>
      <span class="traffic-what" dir="auto">
        {name !== "" && <strong>{name}</strong>}{" "}
        {reason !== "" && (
          <span class="traffic-reason" title={reason}>
            {reason}
          </span>
        )}{" "}
        <span class="traffic-address">{address}</span>
      </span>
      <span class="traffic-marks">
        {fault !== undefined && <span class="tag tone-warn">{fault}</span>}
        {marks.map((mark) => (
          <span key={mark} class={`tag tone-${mark === "unmatched" || mark === "deviation" ? "warn" : "idle"}`}>
            {mark}
          </span>
        ))}
      </span>
      <TrafficStatus status={entry.status} code={entry.code} />
      <span class="traffic-caller" dir="auto">
        {caller}
      </span>
      <span class="traffic-duration number">{durationMs === undefined ? "" : milliseconds(durationMs)}</span>
    </div>
  );
}

/** The status of a response with its error code. */
export function TrafficStatus({ status, code }: Pick<TrafficEntry, "status" | "code">) {
  const tone: Tone = status === undefined ? "info" : status === 0 ? "bad" : toneOfStatus(status);
  return (
    <Status tone={tone}>
      <span class="traffic-status" dir="auto">
        {status ? `${status} ` : ""}
        {code}
      </span>
    </Status>
  );
}
