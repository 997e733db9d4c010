export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Decodes text of `btoa`, or base64 of a sender. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return bytes;
}

/** Bytes of a long body that are read and dropped. The rest is left alone. */
const maxDrainedBytes = 16 * 1024 * 1024;

/** Reads the rest of a body: some servers do not survive that it is cancelled, and some clients that it is left. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let size = 0;
  while (size < maxDrainedBytes) {
    const { done, value } = await reader.read();
    if (done) return;
    size += value.byteLength;
  }
}

/** Reads a body. Returns undefined, and drops the rest, if it is longer than `maxBytes`. `of` names its owner in errors. */
export async function readUpTo(maxBytes: number, body: ReadableStream<Uint8Array>, of: string) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (!ArrayBuffer.isView(part.value)) throw new TypeError(`The body of ${of} must be bytes.`);
    size += part.value.byteLength;
    if (size > maxBytes) {
      drain(reader).catch(() => {});
      return undefined;
    }
    chunks.push(part.value);
  }
  return joined(chunks);
}
