import { webhookSignature } from "@call-transfer/spec";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { SignatureParts } from "../generated/models.gen.ts";
import type { DestinationRecord } from "../model/records/records.ts";

/** The value of the signature header (§6, A-31) for a body sent at `at` (milliseconds), with one signature per secret. */
export function signatureHeader(body: string, secrets: readonly string[], at: number): string {
  const timestamp = Math.floor(at / 1000);
  const signed = utf8ToBytes(`${timestamp}${webhookSignature.separator}${body}`);
  const parts = secrets.map(
    (secret) => `${webhookSignature.scheme}=${bytesToHex(hmac(sha256, utf8ToBytes(secret), signed))}`,
  );
  return [`t=${timestamp}`, ...parts].join(",");
}

/** Signs a body, with the parts in reverse order if `isReversed`. Returns the header, and the same taken apart. */
export function sign(
  body: string,
  secrets: readonly string[],
  at: number,
  destination: DestinationRecord,
  isReversed: boolean,
): { readonly header: string; readonly parts: SignatureParts } {
  const usual = signatureHeader(body, secrets, at);
  const header = isReversed ? usual.split(",").toReversed().join(",") : usual;
  return { header, parts: signatureParts(header, isReversed ? secrets.toReversed() : secrets, destination) };
}

/** Takes a signature header apart. `secrets` made its signatures, in their order. */
function signatureParts(
  header: string,
  secrets: readonly string[],
  { signingSecret, previousSecret }: Pick<DestinationRecord, "signingSecret" | "previousSecret">,
): SignatureParts {
  const parts = header.split(",").map((part) => part.split("="));
  const values = parts.flatMap(([name, value = ""]) => (name === webhookSignature.scheme ? [value] : []));
  const nameOf = (secret: string | undefined): SignatureParts["v1"][number]["secret"] =>
    secret === signingSecret ? "current" : secret === previousSecret ? "previous" : "other";
  return {
    t: Number(parts.find(([name]) => name === "t")?.[1]),
    v1: values.map((value, index) => ({ value, secret: nameOf(secrets[index]) })),
  };
}
