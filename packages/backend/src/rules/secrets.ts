import { limits } from "@call-transfer/spec";
import type { DestinationRecord } from "../model/records.ts";
import type { Random } from "../utils/random.ts";

/** A new signing secret: an opaque text. */
export function newSigningSecret(random: Random): string {
  return random.text(40);
}

/** A new API key in the form of §5.1. */
export function newApiKey(random: Random): string {
  return `${limits.apiKeyPrefix}${random.text(32)}`;
}

/** The secrets that sign at `now`: the current one first, then the previous one until it expires (§6.2, A-24). */
export function secretsAt(destination: DestinationRecord, now: number): string[] {
  const { signingSecret, previousSecret, previousSecretExpiresAt } = destination;
  const overlaps = previousSecretExpiresAt !== undefined && now < previousSecretExpiresAt;
  return [signingSecret, overlaps ? previousSecret : undefined].filter((secret) => secret !== undefined);
}
