import { createHash, timingSafeEqual } from "node:crypto";

/** What a control token must be. It goes into a header. */
export const controlTokenForm = "must have 16 to 256 characters: letters, digits and . _ ~ + / = -";

/** Whether a text can be a control token. */
export function isControlToken(token: unknown): boolean {
  return typeof token === "string" && /^[\w.~+/=-]{16,256}$/.test(token);
}

/** Whether a credential has the token, in a time that does not depend on where it differs. */
export function hasToken(credential: string, token: string | undefined): boolean {
  if (token === undefined) return true;
  const [given, expected] = [credential, `Bearer ${token}`].map((text) => createHash("sha256").update(text).digest());
  return given !== undefined && expected !== undefined && timingSafeEqual(given, expected);
}
