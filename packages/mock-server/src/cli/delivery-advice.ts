import { signature } from "@call-transfer/spec";
import type { components } from "./control-types.gen.ts";
import { program } from "./program.ts";

type Delivery = components["schemas"]["Delivery"];

/** Why an offer was not taken at a real time in milliseconds, and what to do about it; undefined for one that was. */
export function adviceOn({ accepted, status, error, at }: Delivery, realTime: number): string | undefined {
  if (accepted) return undefined;
  if (status === undefined)
    return `The offer did not arrive: ${error}. Start the app's server, or name where it listens: ${program} --forward-webhooks URL`;
  const declined = `The app's server declined the offer with status ${status}. Its log says why;`;
  const ahead = Date.parse(at) - realTime;
  if (Math.abs(ahead) <= signature.toleranceSecs * 1000)
    return `${declined} if that is the signature, compare the signing secrets.`;
  return (
    `${declined} if that is the signature, its time is wrong: the sandbox's clock says ${at}, ` +
    `${inWords(Math.abs(ahead))} ${ahead > 0 ? "ahead of" : "behind"} the real time, and receivers accept ` +
    `${signature.toleranceSecs} seconds. Let the clock follow the real time: start without --now and --clock frozen, and ` +
    `undo steps with ${program} reset. Or give the receiver the sandbox's time, in verifyWebhook as the option now.`
  );
}

/** A duration in the largest unit of which there are two. */
function inWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const hours = Math.round(minutes / 60);
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return minutes >= 120 ? `${hours} hours` : `${minutes} minutes`;
}
