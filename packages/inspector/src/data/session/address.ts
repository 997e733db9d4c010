import type { Session } from "./session.ts";

/** The address of a path of the API in the current sandbox, for programs outside the page. */
export function addressOf({ source, sandbox }: Pick<Session, "source" | "sandbox">, path: string): string {
  const prefix = sandbox.value === "default" ? "" : `/_sandbox/${encodeURIComponent(sandbox.value)}`;
  return `${source.address}${prefix}${path}`;
}
