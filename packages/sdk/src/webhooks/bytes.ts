// Bytes of bodies, and their HMAC (§6).
import { signature } from "../generated/signature.gen.ts";
import { orElse } from "../utils/guards.ts";

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

/** What this uses of `node:crypto`. */
interface Hmac {
  update(data: string | Uint8Array): Hmac;
  digest(encoding: "hex"): string;
}
interface NodeCrypto {
  createHmac(algorithm: "sha256", key: string): Hmac;
}

/** Node's own signs at once, where Web Crypto waits for another thread. Asked for in a way that bundlers do not follow. */
const nodeCrypto = (): NodeCrypto | undefined =>
  (globalThis as { process?: { getBuiltinModule?(name: string): NodeCrypto | undefined } }).process?.getBuiltinModule?.(
    "node:crypto",
  );

const encoder = new TextEncoder();
const algorithm = { name: "HMAC", hash: "SHA-256" };

/** Signs a body with its time. */
export async function hmac(secret: string, timestamp: string, body: string | Uint8Array): Promise<string> {
  const before = timestamp + signature.separator;
  const isText = typeof body === "string";
  // Some runtimes, such as Next.js' Edge, define what Node has, and let it throw.
  const hex = orElse(() => {
    const keyed = nodeCrypto()?.createHmac("sha256", secret);
    return (isText ? keyed?.update(before + body) : keyed?.update(before).update(body))?.digest("hex");
  }, undefined);
  if (typeof hex === "string" && hex.length === 64) return hex;
  const signed = isText ? encoder.encode(before + body) : joined([encoder.encode(before), body]);
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign(algorithm, key, signed)));
}

/** Compares in constant time. */
export function equal(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
