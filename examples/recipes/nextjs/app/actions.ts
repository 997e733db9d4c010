"use server";

import { isApiError, OutcomeUnknownError, RateLimitError, RequestError } from "@call-transfer/sdk";
import { callTo, callTransfer } from "./call-transfer";

/** Places a call to the number in the form. Returns the message to show. */
export async function placeCall(_shown: string, form: FormData): Promise<string> {
  try {
    const placing = callTransfer().calls.create(callTo(String(form.get("toNumber"))), { totalTimeoutMs: 20_000 });
    const { data, requestId } = await placing.withResponse();
    console.log(`call ${data.type} (request ${requestId})`);
    if (data.type === "queued") return `Waiting at position ${data.position}.`;
    return data.type === "initiated" ? "Calling." : "Accepted.";
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    console.error(error.message);
    if (error instanceof OutcomeUnknownError) {
      const { explanation } = await error.reconcile();
      return `The call may have been placed, so do not repeat it yet. ${explanation}`;
    }
    if (error instanceof RateLimitError) return `Try again in ${error.retryAfterSecs ?? 60} seconds.`;
    if (isApiError(error, "validation_failed")) {
      return error.errors.map(({ field, code }) => `${field}: ${code}`).join(", ");
    }
    // Every other error of a placement means that no call was placed.
    return "The call could not be placed.";
  }
}
