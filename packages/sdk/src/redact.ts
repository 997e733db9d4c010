/** Replaces secrets in text that leaves the client, also where a server echoes them. */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = text;
  for (const secret of secrets) if (secret) clean = clean.replaceAll(secret, "[redacted]");
  return clean;
}
