import { InputError } from "@call-transfer/backend";
import type { MockServerOptions } from "./server.ts";

/** Ports are numbers of 16 bits. */
export const highestPort = 65_535;

/** Checks the options that are the server's own. Throws InputError that names the bad one. */
export function checkServerOptions(options: MockServerOptions): void {
  const { port, host, allowedHosts = [], corsOrigins = [], forwardWebhooks } = options;
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= highestPort))
    throw new InputError("port", `must be a whole number, 0 to ${highestPort}`);
  // An empty address would mean every address that the machine has.
  if (host !== undefined && (typeof host !== "string" || host === ""))
    throw new InputError("host", "must be an address, such as 127.0.0.1");
  eachText("allowedHosts", allowedHosts, (name) => name !== "", "must be a host name");
  eachText(
    "corsOrigins",
    corsOrigins,
    isOrigin,
    "must be an origin without a final slash, such as http://localhost:5173",
  );
  if (forwardWebhooks !== undefined && !isHttp(forwardWebhooks))
    throw new InputError(
      "forwardWebhooks",
      "must be an http or https URL without user and password, such as http://127.0.0.1:4011",
    );
}

function eachText(field: string, list: readonly string[], isGood: (text: string) => boolean, message: string): void {
  if (!Array.isArray(list)) throw new InputError(field, "must be a list");
  for (const [index, text] of list.entries())
    if (typeof text !== "string" || !isGood(text)) throw new InputError(`${field}[${index}]`, message);
}

/** Whether a text is an absolute address of http or https that `fetch` would take. */
export function isHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && !hasCredentials(url);
}

/** Whether a user or a password stands in an address. `fetch` refuses such a one with a message that repeats it. */
export function hasCredentials(url: URL): boolean {
  return url.username !== "" || url.password !== "";
}

/** Whether a text is the origin of a site, as browsers write it. */
export function isOrigin(text: string): boolean {
  return isHttp(text) && new URL(text).origin === text;
}
