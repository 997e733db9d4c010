// The HMAC of a webhook (§6).
import { signature } from "../generated/signature.gen.ts";
import { joined } from "./bytes.ts";

const encoder = new TextEncoder();
export function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

const algorithm = { name: "HMAC", hash: "SHA-256" };
const maxKeys = 16;
/** The keys of the secrets that were used last. Importing a key takes as long as signing with it. */
const keys = new Map<string, CryptoKey>();

async function keyOf(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  // Not the promise is kept: on Workers, a request must not wait for one of another request.
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const [oldest] = keys.keys();
  if (oldest !== undefined && keys.size >= maxKeys) keys.delete(oldest);
  keys.set(secret, key);
  return key;
}

/** Signs a body with its time. */
export async function hmac(secret: string, timestamp: string, body: Uint8Array): Promise<Uint8Array> {
  const signed = joined([encoder.encode(timestamp + signature.separator), body]);
  return new Uint8Array(await crypto.subtle.sign(algorithm, await keyOf(secret), signed));
}

/** Compares in constant time. */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
