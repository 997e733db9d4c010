import { createHash, timingSafeEqual } from "node:crypto";

/** Whether a credential has the token, in a time that does not depend on where it differs. */
export function hasToken(credential: string, token: string | undefined): boolean {
  if (token === undefined) return true;
  const [given, expected] = [credential, `Bearer ${token}`].map((text) => createHash("sha256").update(text).digest());
  return given !== undefined && expected !== undefined && timingSafeEqual(given, expected);
}
