import { type ControlClient, dataOf } from "@call-transfer/backend/control-client";

/** Reads the time of the sandbox's clock, in milliseconds. */
export async function readNow(control: ControlClient): Promise<number> {
  return Date.parse(dataOf(await control.GET("/_control/v1/clock")).now);
}
