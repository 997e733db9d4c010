// The response of a receiver, as a delivery records it.
import type { DeliveryResponse } from "../generated/models.gen.ts";
import { forLog, redactedHeaders, redactedText, replacement, secretsIn, withoutTexts } from "../utils/redact.ts";

/** The most bytes of a body that a delivery records. */
const mostBytes = 16_384;

/** The most characters of a body in an event. */
const mostCharacters = 200;

/**
 * Reads a response as far as a delivery records it, until `ended` resolves at the latest. Replaces credentials, and the given
 * secrets wherever the receiver repeats them.
 */
export async function recordedResponse(
  response: Response,
  ended: Promise<undefined>,
  secrets: readonly string[],
): Promise<DeliveryResponse> {
  const { status, headers } = response;
  const { bytes, truncated } = await readStart(response, ended);
  const contentType = headers.get("content-type") ?? undefined;
  const text = textOf(bytes, contentType, truncated);
  const body = text === undefined ? undefined : redactedText(withoutSecrets(text, secrets, truncated));
  const shown = withoutTexts(secrets, redactedHeaders(headers)) as Record<string, string>;
  return {
    status,
    headers: shown,
    ...(shown["content-type"] !== undefined && { contentType: shown["content-type"] }),
    ...(body !== undefined && { body }),
    bodyBytes: bytes.byteLength,
    truncated,
  };
}

/** The texts of a delivery's address that a receiver could repeat and that may be secret: its query and password. */
export function secretsOfAddress(url: string): string[] {
  const { password, search, searchParams } = new URL(url);
  return [...secretsIn([search.slice(1), password], true), ...secretsIn(Object.fromEntries(searchParams))];
}

/** A response in one line for an event: its first line, or markup and JSON without their line breaks. */
export function responseLine({ body, contentType, bodyBytes }: DeliveryResponse): string | undefined {
  if (body === undefined) return bodyBytes === 0 ? undefined : `${contentType ?? "unknown type"}, ${bodyBytes} bytes`;
  const text = body.trim();
  const line = /^[<{[]/.test(text) ? text.replace(/\s+/g, " ") : (text.split(/\r?\n|\r/, 1)[0] ?? "");
  // Before it is shortened, which could leave half of a phone number.
  const shown = forLog(line.slice(0, 2 * mostCharacters));
  return shown.length <= mostCharacters ? shown : `${shown.slice(0, mostCharacters - 1)}…`;
}

/** The start of a body, and whether it went on or broke off. */
async function readStart(
  { body }: Response,
  ended: Promise<undefined>,
): Promise<{ readonly bytes: Uint8Array; readonly truncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let [length, isWhole] = [0, body === null];
  try {
    const reader = body?.getReader();
    // Chunks without bytes count too, so that no stream is read forever.
    while (reader !== undefined && !isWhole && length <= mostBytes && chunks.length <= mostBytes) {
      const read = await Promise.race([reader.read(), ended]);
      if (read === undefined) break;
      if (read.done) isWhole = true;
      else {
        chunks.push(read.value);
        length += read.value.byteLength;
      }
    }
    // Not awaited: under MSW 2 this never settles.
    reader?.cancel().catch(() => {});
  } catch {
    // The connection broke off, or the body was read before. The status is the answer all the same.
  }
  const bytes = new Uint8Array(Math.min(length, mostBytes));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, bytes.byteLength - at), at);
    at = Math.min(at + chunk.byteLength, bytes.byteLength);
  }
  return { bytes, truncated: !isWhole || length > mostBytes };
}

const textTypes = /^(?:$|text\/|application\/(?:[^;]+\+)?(?:json|xml|yaml|javascript|x-www-form-urlencoded)\b)/i;

/** The text of a body; undefined if it is empty or not text. */
function textOf(bytes: Uint8Array, contentType = "", truncated: boolean): string | undefined {
  if (bytes.byteLength === 0 || !textTypes.test(contentType.trim())) return undefined;
  try {
    // `stream` leaves out a last character that was cut.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: truncated });
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The least characters of a secret that is cut off at the end. */
const shortestPart = 4;

/** Replaces secrets in a text, also one that goes on after the end. */
function withoutSecrets(text: string, secrets: readonly string[], truncated: boolean): string {
  const shown = String(withoutTexts(secrets, text));
  if (!truncated) return shown;
  for (const secret of secrets)
    for (let length = secret.length - 1; length >= shortestPart; length -= 1)
      if (shown.endsWith(secret.slice(0, length))) return shown.slice(0, -length) + replacement;
  return shown;
}
