// Judges the vectors of signatures with a client: that of the sources, or the built one.
import type { verifyWebhook, WebhookVerificationError } from "../src/webhooks.ts";

/** What a vector needs of the SDK. */
export interface Verifier {
  readonly verifyWebhook: typeof verifyWebhook;
  readonly WebhookVerificationError: typeof WebhookVerificationError;
}

/** A case of the vectors `signatures`. */
export interface Signed {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly now: number;
  readonly toleranceSecs?: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly expects: string;
}

/** Verifies a webhook, and returns `valid` or the code of the error. Runs in Node 20 too. */
export async function judge({ verifyWebhook, WebhookVerificationError }: Verifier, vector: Signed): Promise<unknown> {
  const { secrets, now, toleranceSecs = 300, bodyBase64, body = Buffer.from(bodyBase64 ?? "", "base64") } = vector;
  const headers: Record<string, string[]> = {};
  for (const [name, value] of vector.headers) headers[name] = [...(headers[name] ?? []), value];
  const options = { secret: secrets, toleranceMs: toleranceSecs * 1000, clock: { now: () => now * 1000 } };
  try {
    await verifyWebhook({ body, headers }, options);
    return "valid";
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.code : error;
  }
}
