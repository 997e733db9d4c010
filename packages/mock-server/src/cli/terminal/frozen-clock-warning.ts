import type { Backend, Fault } from "@call-transfer/backend";
import { formatDuration } from "@call-transfer/backend/control-client";
import type { FaultAction, WebhookFaultAction } from "@call-transfer/backend/unstable";
import type { Hint } from "./program.ts";

/** Warns about responses and deliveries that wait for a frozen clock, which looks like a server that hangs. */
export function frozenClockWarning(
  { clock, faults }: Pick<Backend, "clock" | "faults">,
  hint: Hint,
): string | undefined {
  return waitingWarning(clock.mode, faults.list(), hint);
}

/** The same about some faults, when the clock is in a mode. */
export function waitingWarning(mode: string, faults: readonly Pick<Fault, "do">[], hint: Hint): string | undefined {
  if (mode !== "frozen") return undefined;
  const [first] = faults.flatMap(({ do: action }) => [action].flat()).flatMap((action) => waiting(action) ?? []);
  return (
    first &&
    `The clock is frozen, so ${first}. Advance it with ${hint("clock advance next")}, or start with --clock flowing.`
  );
}

/** What waits for the clock under a fault. */
function waiting(action: FaultAction | WebhookFaultAction | "pass"): string | undefined {
  if (action === "slowBody") return "requests with a slow body hang";
  if (action === "reorder") return "webhook deliveries to reorder wait";
  if (typeof action !== "object") return undefined;
  if ("latency" in action && action.latency > 0)
    return `requests with a latency of ${formatDuration(action.latency)} hang`;
  if ("delaySecs" in action)
    return `webhook deliveries with a delay of ${formatDuration(action.delaySecs * 1000)} wait`;
  if ("retry" in action && action.retry.afterSecs > 0) return "retries of webhook deliveries wait";
  return "duplicate" in action && action.duplicate.gapSecs ? "copies of webhook deliveries wait" : undefined;
}
