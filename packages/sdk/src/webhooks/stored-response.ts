// The response to an event as a store keeps it. docs/webhook-stores.md describes the format, and
// packages/contract/vectors/stored-answers.json has examples.
import { fromBase64, readUpTo } from "./bytes.ts";
import { isRejection, unavailable } from "./errors.ts";

/** A reader must not handle an event whose stored response has a higher one. More fields need no new version. */
const version = 1;

/** A longer body is not stored. Duplicates get the response without it. */
const maxStoredBodyBytes = 16 * 1024;

/** The statuses whose responses have no body. */
const bodiless = [204, 205, 304];

/** Writes down a response, which can still be sent. The owner makes the text of each handling another one. */
export async function writeResponse(response: Response, owner: string): Promise<string> {
  const contentType = response.headers.get("content-type") ?? undefined;
  const { body: stream } = response.clone();
  const bytes = stream ? await readUpTo(maxStoredBodyBytes, stream, "the Response from onEvent") : undefined;
  const body = bytes && btoa(String.fromCharCode(...bytes));
  return JSON.stringify({ version, status: response.status, contentType, body, owner });
}

/**
 * Makes the response again.
 *
 * @throws {Rejection} A later version stored the text, so its event was handled.
 * @throws {TypeError} The text is not a stored response.
 */
export function readResponse(stored: string): Response {
  try {
    // Earlier versions wrote none.
    const { version: written = 0, status, contentType, body } = JSON.parse(stored);
    if (!Number.isInteger(written)) throw new TypeError("Its version is not a number.");
    if (written > version)
      throw unavailable(
        "stored_response_unreadable",
        undefined,
        "This version cannot read the stored response. Retry later.",
      );
    if (!Number.isInteger(status)) throw new TypeError("It has no status.");
    const bytes = body === undefined ? null : fromBase64(body);
    const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
    return new Response(bodiless.includes(status) ? null : bytes, { status, headers });
  } catch (error) {
    if (isRejection(error)) throw error;
    throw new TypeError("The event store returned a response that no webhook handler stored.", { cause: error });
  }
}
