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

/** Origins whose pages may use a server. */
export interface AllowedOrigins {
  /** Whether an origin is allowed, as the header `Origin` has it. */
  has(origin: string): boolean;
  /** What to do about another one, a sentence; by default an option of the server. */
  readonly advice?: string;
}

/** Schemes of pages. Apps and extensions have schemes of their own, such as `capacitor` and `chrome-extension`. */
const form = /^([a-z][a-z0-9+.-]*):\/\/(\*\.)?([^\s/?#@,*\\]+)$/;
/** Schemes of URLs that no page has. */
const withoutPages = new Set(["ws", "wss", "ftp", "data", "blob", "about", "javascript"]);
/** Of apps on Android that open their pages from a file. */
const fileOrigin = "file://";

/** Whether a text is an origin as browsers write it, or a pattern for all names below a domain, such as `https://*.app.github.dev`. */
export function isOriginPattern(text: string): boolean {
  if (text === fileOrigin) return true;
  const [, scheme = "", wildcard = "", host = ""] = form.exec(text) ?? [];
  if (!/^https?$/.test(scheme)) return scheme !== "" && wildcard === "" && !withoutPages.has(scheme);
  const one = `${scheme}://${wildcard && "any."}${host}`;
  return isHttp(one) && new URL(one).origin === one && !(wildcard !== "" && /^[\d.:[\]]+$/.test(host));
}

/** Why a text is no origin or pattern, and what to write. */
export function originAdvice(text: string): string {
  if (text === "null")
    return "is no origin: pages from a file or in a sandboxed frame have none. Open the page from a server, and allow the origin of that";
  if (text.includes("*"))
    return "is no pattern of origins: * stands for the names below a domain of http or https, such as https://*.example.com";
  return `must be an origin without a path or trailing slash, such as ${nearest(text)}`;
}

function nearest(text: string): string {
  const [start = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+/.exec(text.toLowerCase()) ?? [];
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  return [origin, start].find((one) => one !== "null" && isOriginPattern(one)) ?? "http://localhost:5173";
}

/** The origins of a list of origins and patterns. Neither scheme nor name has a case. */
export function allowedOrigins(list: readonly string[]): AllowedOrigins {
  const all = list.map((text) => text.toLowerCase());
  const names = new Set(all.filter((text) => !text.includes("*")));
  const patterns = all.filter((text) => text.includes("*")).map((text) => text.split("*") as [string, string]);
  return {
    has(origin) {
      const one = origin.toLowerCase();
      if (names.has(one)) return true;
      return patterns.some(
        ([start, end]) =>
          one.startsWith(start) && one.endsWith(end) && /^[a-z0-9._-]+$/.test(one.slice(start.length, -end.length)),
      );
    },
  };
}

/** The pages of tests: those of this machine, and those without an origin, as a test's environment may have them. */
export const testOrigins: AllowedOrigins = {
  has: (origin) => origin === "null" || (isHttp(origin) && isLoopbackHost(new URL(origin).hostname)),
  advice: "Give the pages of the test an address of this machine, such as http://localhost:3000.",
};
