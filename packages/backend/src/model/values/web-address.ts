/** Whether a value is an absolute http or https address. */
export function isWebAddress(value: unknown): value is string {
  return typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
