import { isObject } from "../document/json.ts";

/** Maximum length of a line. */
const longestText = 600;

const cut = (text: string): string =>
  text.length > longestText ? `${text.slice(0, longestText)}… (${text.length} characters)` : text;

const bearer = (headers: Headers): string | undefined => /^\w+ (.+)$/.exec(headers.get("Authorization") ?? "")?.[1];

/** Removes signing secrets and the request's credential from a text. */
function redacted(text: string, credential: string | undefined): string {
  const withoutSecrets = text.replaceAll(/("signingSecret"\s*:\s*)"(?:[^"\\]|\\.)*"/g, '$1"[redacted]"');
  return credential ? withoutSecrets.replaceAll(credential, "[redacted]") : withoutSecrets;
}

/** Formats a value from a server; only the kind of lists and objects, which may have no string form. */
export function describeValue(value: unknown): string {
  if (!isObject(value)) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}

/** The message of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Escapes control characters except line breaks. */
export const printable = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\n]/gu, (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, "0")}`);

/** A request as text: method, path, caller and body. */
export function requestLine(request: Request, body: string): string {
  const { pathname, search } = new URL(request.url);
  const credential = bearer(request.headers);
  const account = request.headers.get("X-Account-Id");
  const caller = [
    credential === undefined ? "no credential" : "with a credential",
    ...(account === null ? [] : [`account ${account}`]),
  ].join(", ");
  const text = `${request.method} ${pathname}${search} (${caller})${body === "" ? "" : ` ${body}`}`;
  return cut(redacted(text, credential));
}

/** A response as text: status, request id and body. */
export function responseLine(request: Request, response: Response, body: string): string {
  const id = response.headers.get("X-Request-Id");
  const text = `→ ${response.status}${id === null ? "" : ` (X-Request-Id ${id})`}${body === "" ? "" : ` ${body}`}`;
  return cut(redacted(text, bearer(request.headers)));
}
