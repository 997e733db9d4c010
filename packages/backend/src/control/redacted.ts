import { limits } from "@call-transfer/spec";
import type { SeedRecord } from "../data/collections.ts";
import type { Delivery } from "../generated/models.gen.ts";
import type { CollectionName } from "../model/records.ts";
import { withoutAddress } from "../platform/delivery.ts";
import { InputError } from "../utils/input-error.ts";
import { redacted, redactedAddress, redactedHeaders, redactedText, replacement } from "../utils/redact.ts";
import { isObject } from "../utils/values.ts";

/** The query of an operation that can leave secrets out. */
export type RedactQuery = { readonly redact?: boolean | undefined } | undefined;

/** Copies a record without secrets if the query asks for it. Hints tell the secrets apart. */
export function redactedRecord(query: RedactQuery, name: CollectionName, record: SeedRecord): SeedRecord {
  if (!query?.redact) return record;
  const { signingSecret, key, config } = record;
  const shown = redacted(record);
  if (name === "destinations" && typeof signingSecret === "string")
    shown.signingSecretHint = signingSecret.slice(-limits.signingSecretHintLength);
  if (name === "destinations" && isObject(config) && "url" in config)
    shown.config = { ...redacted({ ...config }), url: redactedAddress(config.url) };
  if (name === "apiKeys" && typeof key === "string") shown.keyHint = key.slice(-4);
  return shown;
}

/** Throws InputError if a change would write what stands for a secret in its place. */
export function refuseRedacted(record: SeedRecord): void {
  for (const [field, value] of Object.entries(record))
    if (JSON.stringify(value ?? null).includes(replacement))
      throw new InputError(field, `contains ${replacement}. Leave the field out, so that it stays as it is`);
}

/** Copies a delivery without its signatures, the credentials in its body, and the query of its address. */
export function redactedDelivery(query: RedactQuery, delivery: Delivery): Delivery {
  if (!query?.redact) return delivery;
  const { url, headers, body, signature, faultAction } = delivery;
  return {
    ...withoutAddress(delivery, url),
    ...redactedMessage({ headers, body }),
    url: String(redactedAddress(url)),
    ...(faultAction && (redacted({ faultAction }) as Pick<Delivery, "faultAction">)),
    ...(signature && { signature: { ...signature, v1: signature.v1.map((one) => ({ ...one, value: replacement })) } }),
  };
}

/** Copies headers and a body without credentials. */
export function redactedMessage({ headers, body }: Pick<Delivery, "headers" | "body">) {
  return { headers: redactedHeaders(Object.entries(headers)), body: redactedText(body) };
}
