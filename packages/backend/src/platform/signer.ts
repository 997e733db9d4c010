import { webhookSignature } from "@call-transfer/spec";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** The value of the signature header (§6, A-31) for a body sent at `at` (milliseconds), with one signature per secret. */
export function signatureHeader(body: string, secrets: readonly string[], at: number): string {
  const timestamp = Math.floor(at / 1000);
  const signed = utf8ToBytes(`${timestamp}${webhookSignature.separator}${body}`);
  const parts = secrets.map(
    (secret) => `${webhookSignature.scheme}=${bytesToHex(hmac(sha256, utf8ToBytes(secret), signed))}`,
  );
  return [`t=${timestamp}`, ...parts].join(",");
}
