// The answer to an event as a store keeps it.
import { fromBase64, readUpTo } from "./bytes.ts";

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
  return JSON.stringify({ status: response.status, contentType, body, owner });
}

/** Makes the response again. A text that is not of `answerOf` is a `TypeError`. */
export function responseOf(answer: string): Response {
  try {
    const { status, contentType, body } = JSON.parse(answer);
    if (!Number.isInteger(status)) throw new TypeError("It has no status.");
    const bytes = body === undefined ? null : fromBase64(body);
    const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
    return new Response(bodiless.includes(status) ? null : bytes, { status, headers });
  } catch (error) {
    throw new TypeError("The event store returned an answer that no webhook handler stored.", { cause: error });
  }
}
