// Advice on what looks like a mistake of the app or of the server, and is none.
import type { Fault } from "@call-transfer/backend";
import { formatDuration, type Schema } from "@call-transfer/backend/control-client";
import type { FaultAction, WebhookFaultAction } from "@call-transfer/backend/unstable";
import { webhookSignature } from "@call-transfer/spec";
import { commandLine, type Hint } from "./output.ts";

type Answer = Pick<Schema<"Delivery">, "accepted" | "status" | "error" | "at" | "fault">;

/** Explains why an offer was not accepted and what to do; undefined when it was. `realTime` is in milliseconds. */
export function deliveryAdvice(
  { accepted, status, error, at, fault }: Answer,
  realTime: number,
  hint: Hint,
): string | undefined {
  if (accepted) return undefined;
  if (status === undefined) {
    const failed = `The offer was not delivered: ${error?.replace(/\.$/, "")}.`;
    if (!error?.includes("ECONNREFUSED")) return failed;
    return `${failed} Start the app's server, or restart the mock server with its address: ${commandLine("--forward-webhooks-to URL")}`;
  }
  const declined = `The app's server did not accept the offer: status ${status}. Its log says why.`;
  if (fault !== undefined) return `${declined} The fault ${fault} changed how the offer was sent.`;
  if (status === 404) return `${declined} Check the path of the address that offers are sent to.`;
  if (status >= 300 && status < 400) return `${declined} Redirects are not followed: use the final address.`;
  if (status === 409 || status >= 500) return declined;
  const ahead = Date.parse(at) - realTime;
  if (Math.abs(ahead) <= webhookSignature.toleranceSecs * 1000)
    return `${declined} If the signature is wrong, compare the signing secrets.`;
  return (
    `${declined} If the signature's timestamp is wrong: the sandbox's clock says ${at}, ` +
    `${formatDuration(Math.abs(ahead))} ${ahead > 0 ? "ahead of" : "behind"} the real time, and receivers accept ` +
    `${webhookSignature.toleranceSecs} seconds. Use the real time: start without --now and --clock frozen, and ` +
    `undo clock advances with ${hint("sandbox reset")}. Or pass the sandbox's time to the receiver: verifyWebhook and createWebhookHandler have the option "clock".`
  );
}

/** Warns about responses and deliveries that wait for a frozen clock, which looks like a server that hangs. */
export function waitingWarning(mode: string, faults: readonly Pick<Fault, "do">[], hint: Hint): string | undefined {
  if (mode !== "frozen") return undefined;
  const [first] = faults.flatMap(({ do: action }) => [action].flat()).flatMap((action) => waiting(action) ?? []);
  return (
    first &&
    `The clock is frozen, so ${first}. Advance it with ${hint("clock advance next")}, or start with --clock running.`
  );
}

/** What waits for the clock under a fault. */
function waiting(action: FaultAction | WebhookFaultAction | "pass"): string | undefined {
  if (action === "slow_body") return "requests with a slow body hang";
  if (action === "reorder") return "webhook deliveries to reorder wait";
  if (typeof action !== "object") return undefined;
  if ("latencyMs" in action && action.latencyMs > 0)
    return `requests with a latency of ${formatDuration(action.latencyMs)} hang`;
  if ("delaySecs" in action)
    return `webhook deliveries with a delay of ${formatDuration(action.delaySecs * 1000)} wait`;
  if ("retry" in action && action.retry.afterSecs > 0) return "retries of webhook deliveries wait";
  return "duplicate" in action && action.duplicate.intervalSecs ? "copies of webhook deliveries wait" : undefined;
}
