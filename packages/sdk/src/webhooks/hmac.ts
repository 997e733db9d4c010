// The HMAC of a webhook (§6), in hexadecimal digits.
import { signature } from "../generated/signature.gen.ts";
import { orElse } from "../utils/guards.ts";
import { joined, toHex } from "./bytes.ts";

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
  return toHex(new Uint8Array(await crypto.subtle.sign(algorithm, await keyOf(secret), signed)));
}

/** Compares in constant time. */
export function equal(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
