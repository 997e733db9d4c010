/** A failure of fetch as Node reports it. */
export const networkError = (code: string): TypeError =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
