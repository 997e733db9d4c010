import { webhookSignature } from "@call-transfer/spec";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { SignatureParts } from "../generated/models.gen.ts";
import type { DestinationRecord } from "../model/records.ts";

type Secrets = Partial<Pick<DestinationRecord, "signingSecret" | "previousSecret">>;

/**
 * Signs a body sent at `at` (milliseconds) with one signature per secret (§6, A-31), with the parts in reverse order if
 * `isReversed`. Returns the header, and the same taken apart.
 */
export function sign(
  body: string,
  secrets: readonly string[],
  at: number,
  { signingSecret, previousSecret }: Secrets,
  isReversed: boolean,
): { readonly header: string; readonly parts: SignatureParts } {
  const t = Math.floor(at / 1000);
  const signed = utf8ToBytes(`${t}${webhookSignature.separator}${body}`);
  const v1 = secrets.map((secret): SignatureParts["v1"][number] => ({
    value: bytesToHex(hmac(sha256, utf8ToBytes(secret), signed)),
    secret: secret === signingSecret ? "current" : secret === previousSecret ? "previous" : "other",
  }));
  const header = [`t=${t}`, ...v1.map(({ value }) => `${webhookSignature.scheme}=${value}`)];
  return isReversed
    ? { header: header.toReversed().join(","), parts: { t, v1: v1.toReversed() } }
    : { header: header.join(","), parts: { t, v1 } };
}
