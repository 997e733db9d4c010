// The HMAC of a webhook (§6).
import { signature } from "../generated/signature.gen.ts";
import { joined } from "./bytes.ts";

const encoder = new TextEncoder();

export const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

const algorithm = { name: "HMAC", hash: "SHA-256" };
const maxKeys = 16;
/** The keys of the secrets that were used last. Importing a key takes as long as signing with it. */
const keys = new Map<string, CryptoKey>();

async function keyOf(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  // Not the promise is kept: on Workers, a request must not wait for one of another request.
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  for (const oldest of keys.keys()) if (keys.size >= maxKeys) keys.delete(oldest);
  keys.set(secret, key);
  return key;
}

/** Signs a body with its time. */
export async function hmac(secret: string, timestamp: string, body: Uint8Array): Promise<Uint8Array> {
  const signed = joined([encoder.encode(timestamp + signature.separator), body]);
  return new Uint8Array(await crypto.subtle.sign(algorithm, await keyOf(secret), signed));
}

/** Compares in constant time. */
export const equal = (a: Uint8Array, b: Uint8Array): boolean =>
  a.reduce((difference, byte, at) => difference | (byte ^ (b[at] ?? 0)), a.length ^ b.length) === 0;
