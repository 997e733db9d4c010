import type { Session } from "../session/session.ts";

/**
 * A command of the mock server's program, such as `transfer 'Night shift'`, for the sandbox that is shown. Undefined for a
 * backend in the page, which no program reaches.
 */
export function shellCommand(
  { source, sandbox }: Pick<Session, "source" | "sandbox">,
  words: string,
): string | undefined {
  if (!source.isServer) return undefined;
  const place = sandbox.value === "default" ? "" : ` --sandbox ${sandbox.value}`;
  return `npx @call-transfer/mock-server ${words} --url ${source.address}${place}`;
}

/** A text as one word of a shell. */
export const shellText = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
