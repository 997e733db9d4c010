/** Shorter text than this is no credential, and would be found inside ordinary words such as `token_expired`. */
const shortestSecret = 8;

/** Replaces secrets in text that leaves the client, also where a server echoes them. */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= shortestSecret) clean = clean.replaceAll(secret, "[redacted]");
  return clean;
}
