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

/** Whether a text is an http or https URL that paths can be added to. */
export function isPublicUrl(text: string): boolean {
  return isHttp(text) && !/[?#]/.test(text);
}

/** Puts an IPv6 address in brackets, as URLs need it. */
export function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** Removes the brackets of an IPv6 address, as sockets need it. */
export function unbracketed(address: string): string {
  return address.replace(/^\[(.*)\]$/, "$1");
}

/** Whether an address stands for all addresses of the machine. */
export function isWildcardAddress(host: string): boolean {
  return ["0.0.0.0", "::"].includes(unbracketed(host));
}

/** Whether the host of a URL, or an address to listen at, is this machine's own. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(bracketed(unbracketed(host)));
}

/** The shell command of this program: npm in its repository, npx elsewhere, which works with and without an install. */
export const program = import.meta.url.endsWith(".ts") ? "npm -s start --" : "npx @call-transfer/mock-server";
