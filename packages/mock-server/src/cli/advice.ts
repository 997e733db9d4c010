import { formatDuration, type Schema } from "@call-transfer/backend/control-client";
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

/** Fields and words of faults that wait for the clock. */
const waits = /"slow_body"|"reorder"|"(?:latencyMs|delaySecs|afterSecs|intervalSecs)":(?!0[,}])/;

/** Warns of faults that wait for a frozen clock, which looks like a server that hangs. */
export function waitingWarning(
  mode: string,
  faults: readonly { readonly do: unknown }[],
  hint: Hint,
): string | undefined {
  if (mode !== "frozen" || !waits.test(JSON.stringify(faults.map((fault) => fault.do)))) return undefined;
  return `The clock is frozen, so what a fault delays hangs until the clock moves: ${hint("clock advance next")}, or start with --clock running.`;
}
