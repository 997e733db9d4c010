import { loadCrypto } from "./node-builtins.ts";

/** Whether a request has the token, in a time that does not depend on where it differs. */
export function hasToken(sent: string, token: string | undefined): boolean {
  if (token === undefined) return true;
  const { createHash, timingSafeEqual } = loadCrypto();
  const [given, expected] = [sent, token].map((text) => createHash("sha256").update(text).digest());
  return given !== undefined && expected !== undefined && timingSafeEqual(given, expected);
}
