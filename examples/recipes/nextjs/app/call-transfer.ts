import { CallTransfer } from "@call-transfer/sdk";

let client: CallTransfer | undefined;

/**
 * The client of this process. It is created at the first request, because `next build` loads this file too, where the
 * environment of your server is not set.
 */
export function callTransfer(): CallTransfer {
  client ??= new CallTransfer();
  return client;
}

/** A call of your own flow and number to a number that your visitor chose. */
export function callTo(toNumber: string) {
  const { FLOW_ID, FROM_NUMBER } = process.env;
  if (!FLOW_ID || !FROM_NUMBER) throw new Error("Set FLOW_ID and FROM_NUMBER.");
  return { flowId: FLOW_ID, fromNumber: FROM_NUMBER, toNumber };
}
