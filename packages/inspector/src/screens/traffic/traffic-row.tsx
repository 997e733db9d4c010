import type { TrafficEntry } from "../../data/records/traffic-entry.ts";
import { milliseconds } from "../../data/values/format.ts";
import { Status, Time, type Tone, toneOfStatus } from "../../parts/data.tsx";
import { Icon } from "../../parts/icon.tsx";

/** What the columns of {@link TrafficRow} show. */
export function TrafficHead() {
  return (
    <div class="traffic-row">
      <span class="traffic-time">Time</span>
      <span>Method</span>
      <span class="traffic-state">Status</span>
      <span>What, and why</span>
      <span class="traffic-marks" />
      <span class="traffic-caller">Caller</span>
      <span class="traffic-duration">Took</span>
    </div>
  );
}

/** A row of the traffic. */
export function TrafficRow({ entry }: { readonly entry: TrafficEntry }) {
  const { kind, at, method, name, address, code, reason, durationMs, caller, fault, marks } = entry;
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
      <span class="traffic-state">
        <Status tone={toneOf(entry.status)}>
          {/* The code beside it says why there is none. */}
          {entry.status === 0 && code !== "" ? <span aria-hidden="true">none</span> : (entry.status ?? "…") || "none"}
        </Status>
      </span>
      <span class="traffic-what" dir="auto">
        {name !== "" && <strong>{name}</strong>}{" "}
        {code !== "" && <span class={`traffic-code tone-${toneOf(entry.status)}`}>{code}</span>}{" "}
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
          <span key={mark} class={`tag tone-${mark === "unmatched" ? "warn" : "idle"}`}>
            {mark}
          </span>
        ))}
      </span>
      <span class="traffic-caller" dir="auto">
        {caller}
      </span>
      <span class="traffic-duration number">{durationMs === undefined ? "" : milliseconds(durationMs)}</span>
    </div>
  );
}

/** The status of a response with its error code. */
export function TrafficStatus({ status, code }: Pick<TrafficEntry, "status" | "code">) {
  return (
    <Status tone={toneOf(status)}>
      <span class="traffic-status" dir="auto">
        {status ? `${status} ` : ""}
        {code}
      </span>
    </Status>
  );
}

const toneOf = (status: number | undefined): Tone =>
  status === undefined ? "info" : status === 0 ? "bad" : toneOfStatus(status);
