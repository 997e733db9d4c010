// The answer to an event as a store keeps it.

/** A longer body is not stored. Copies get the answer without it. */
const maxStoredBodyBytes = 16 * 1024;

/** The statuses whose responses have no body. */
const bodiless = [204, 205, 304];

/**
 * Writes down a response: status, content type, and a body of up to 16 kB. The response can still be sent.
 *
 * @param owner Makes the text of each handling another one.
 */
export async function answerOf(response: Response, owner: string): Promise<string> {
  const contentType = response.headers.get("content-type") ?? undefined;
  const bytes = response.body === null ? undefined : await readUpTo(maxStoredBodyBytes, response.clone());
  const body = bytes && btoa(String.fromCharCode(...bytes));
  return JSON.stringify({ status: response.status, contentType, body, owner });
}

/** The body of a response; undefined if it is longer. */
async function readUpTo(maxBytes: number, { body }: Response): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(maxBytes);
  let size = 0;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (!ArrayBuffer.isView(part.value)) throw new TypeError("The body of the Response from onEvent must be bytes.");
    if (size + part.value.byteLength > maxBytes) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    bytes.set(part.value, size);
    size += part.value.byteLength;
  }
  return bytes.subarray(0, size);
}

/**
 * Makes the response again.
 *
 * @throws {TypeError} The text is not of `answerOf`.
 */
export function responseOf(answer: string): Response {
  try {
    const { status, contentType, body } = JSON.parse(answer);
    if (!Number.isInteger(status)) throw new TypeError("It has no status.");
    const bytes = body === undefined ? null : Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
    const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
    return new Response(bodiless.includes(status) ? null : bytes, { status, headers });
  } catch (error) {
    throw new TypeError("The event store returned an answer that no webhook handler stored.", { cause: error });
  }
}
