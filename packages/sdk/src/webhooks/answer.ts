// The answer to an event as a store keeps it. docs/webhook-stores.md describes the format, and
// packages/contract/vectors/stored-answers.json has examples.
import { fromBase64, readUpTo } from "./bytes.ts";
import { isRefusal, Refusal } from "./refusal.ts";

/** A reader must not handle an event whose answer has a higher one. More fields need no new version. */
const version = 1;

/** A longer body is not stored. Copies get the answer without it. */
const maxStoredBodyBytes = 16 * 1024;

/** The statuses whose responses have no body. */
const bodiless = [204, 205, 304];

/** Writes down a response, which can still be sent. The owner makes the text of each handling another one. */
export async function answerOf(response: Response, owner: string): Promise<string> {
  const contentType = response.headers.get("content-type") ?? undefined;
  const { body: stream } = response.clone();
  const bytes = stream ? await readUpTo(maxStoredBodyBytes, stream, "the Response from onEvent") : undefined;
  const body = bytes && btoa(String.fromCharCode(...bytes));
  return JSON.stringify({ version, status: response.status, contentType, body, owner });
}

/**
 * Makes the response again. A text of a later version is a `Refusal`, because its event was handled; one that is no answer is a
 * `TypeError`.
 */
export function responseOf(answer: string): Response {
  try {
    // Earlier versions wrote none.
    const { version: written = 0, status, contentType, body } = JSON.parse(answer);
    if (!Number.isInteger(written)) throw new TypeError("Its version is no number.");
    if (written > version) {
      const message = "The webhook was handled, and its answer cannot be read here. Send it again.";
      throw new Refusal(503, "answer_unreadable", message, { "retry-after": "1" });
    }
    if (!Number.isInteger(status)) throw new TypeError("It has no status.");
    const bytes = body === undefined ? null : fromBase64(body);
    const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
    return new Response(bodiless.includes(status) ? null : bytes, { status, headers });
  } catch (error) {
    if (isRefusal(error)) throw error;
    throw new TypeError("The event store returned an answer that no webhook handler stored.", { cause: error });
  }
}
