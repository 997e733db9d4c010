/** What a control token must be. It goes into a header. */
export const controlTokenForm = "must have 16 to 256 characters: letters, digits and . _ ~ + / = -";

/** Whether a text can be a control token. */
export function isControlToken(token: unknown): boolean {
  return typeof token === "string" && /^[\w.~+/=-]{16,256}$/.test(token);
}
