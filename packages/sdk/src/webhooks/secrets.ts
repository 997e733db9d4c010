import { inTime } from "./in-time.ts";
import { secretsOf, type VerifyOptions } from "./signature.ts";

/** The destination's signing secret. During a rotation, the new and the previous one. */
export type WebhookSecrets = VerifyOptions["secret"];

/** Reads the secrets of a webhook handler. Called for each webhook, so keep slow answers for a while. */
export type SecretSource = () => WebhookSecrets | Promise<WebhookSecrets>;

/** The platform gives a delivery up after 10 seconds. */
const longestReadMs = 2000;

/** Reads the secrets for one webhook. With `ifNone`, only if there are none of last time. */
export type SecretsReader = (when?: "ifNone") => Promise<readonly string[]>;

/** Returns what reads the secrets. If the source fails, it reports the error and returns those of last time. */
export function secretsReader(secret: WebhookSecrets | SecretSource, report: (error: unknown) => void): SecretsReader {
  // Not before the first webhook: images are built, and modules loaded, without secrets.
  if (typeof secret !== "function") return async () => secretsOf(secret);
  let last: readonly string[] | undefined;
  return async (when) => {
    if (last && when === "ifNone") return last;
    try {
      last = secretsOf(await inTime(async () => secret(), longestReadMs, "The function for secret", "secrets_failed"));
      return last;
    } catch (error) {
      if (!last) throw error;
      // The last secrets remain valid for a while after a rotation.
      report(error);
      return last;
    }
  };
}
