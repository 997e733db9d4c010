import { sandboxNameAdvice, sandboxNamePattern, sandboxNameRule } from "../utils/ids.ts";
import { suggestion } from "../utils/text.ts";
import type { RequestHeaders } from "./transport.ts";

/** The path prefix of the control plane, apart from the API's own paths. */
export const controlPrefix = "/_control/v1";

/** The path prefix that selects a sandbox; captures its name. */
export const sandboxPrefix = /^\/_sandbox\/([^/]*)(?=\/|$)/;

/** The sandbox that serves requests that name none. */
export const defaultSandbox = "default";

/** The sandbox that a request selects. */
export interface SandboxSelection {
  /** Its name, which may not be allowed or known. */
  readonly name: string;
  /** The path without the prefix `/_sandbox/<name>`. */
  readonly path: string;
  /** Why the request selects no sandbox: its parts name different ones. */
  readonly conflict?: string;
}

/** Whether a sandbox can have a name: 1 to 63 lower-case letters, digits and hyphens, no hyphen at the start. */
export function isSandboxName(name: string): boolean {
  return sandboxNamePattern.test(name);
}

/**
 * Reads which sandbox a request selects: by the path prefix `/_sandbox/<name>`, by the header `X-Sandbox`, or by its host
 * name, if that stands for the sandbox `inHost`; otherwise `default`.
 */
export function selectSandbox(
  pathname: string,
  headers: Pick<RequestHeaders, "get">,
  inHost?: string,
): SandboxSelection {
  const match = sandboxPrefix.exec(pathname);
  const inHeader = headers.get("x-sandbox") ?? undefined;
  // Most requests select none.
  if (match === null && inHeader === undefined && inHost === undefined) return { name: defaultSandbox, path: pathname };
  const path = pathname.slice(match?.[0].length) || "/";
  const named = [
    { by: "path", name: match?.[1] },
    { by: "header X-Sandbox", name: inHeader },
    { by: "host name", name: inHost },
  ].filter(({ name }) => name !== undefined);
  const [first, ...others] = named;
  const name = first?.name ?? defaultSandbox;
  const other = others.find((each) => each.name !== name);
  if (first === undefined || other === undefined) return { name, path };
  return { name, path, conflict: `The ${first.by} and the ${other.by} select different sandboxes. Send only one.` };
}

/** Says that there is no sandbox of a name, and how to create it. `expiry` is a sentence about the removal of sandboxes. */
export function unknownSandbox(name: string, names: readonly string[], expiry = ""): string {
  if (!sandboxNamePattern.test(name))
    return `There is no sandbox "${name}": a name ${sandboxNameRule}.${sandboxNameAdvice(name)}`;
  const advice = `Create it with: call-transfer-mock sandbox create ${name} (operation createSandbox).`;
  return `There is no sandbox "${name}".${suggestion(name, names)} ${[advice, expiry].join(" ").trimEnd()}`;
}
