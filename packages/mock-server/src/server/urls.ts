/** Whether a text is an absolute http or https URL that `fetch` accepts. */
export function isHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && !hasCredentials(url);
}

/** Whether a URL contains a user name or password. `fetch` rejects it with a message that repeats them. */
export function hasCredentials(url: URL): boolean {
  return url.username !== "" || url.password !== "";
}

/** Whether a text is an origin as browsers write it. */
export function isOrigin(text: string): boolean {
  return isHttp(text) && new URL(text).origin === text;
}
