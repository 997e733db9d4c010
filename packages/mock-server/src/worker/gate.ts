import { allowedOrigins } from "../net/origins.ts";
import { type Admission, admitOrigin, type Refusal } from "../web/admission.ts";
import type { Settings } from "./settings.ts";

/** Accepts or rejects a request by its origin and, for the control plane, by its token. */
export function admit(
  { method, headers }: Request,
  url: URL,
  { origins, controlToken }: Settings,
): Admission | Refusal {
  return admitOrigin(url, method, (name) => headers.get(name), {
    origins: allowedOrigins(origins),
    allow: (origin) => `Add ${origin} to CORS_ORIGINS in wrangler.jsonc.`,
    refuse(token) {
      if (controlToken === undefined)
        return "The control plane is off, because it has no token. Set one: npx wrangler secret put CONTROL_TOKEN";
      if (isSameText(token, controlToken)) return undefined;
      return `The control token is ${token === "" ? "missing" : "wrong"}. Send the Worker's secret CONTROL_TOKEN as Authorization: Bearer …`;
    },
  });
}

/** Beyond the standard, Cloudflare's runtime compares bytes in constant time. */
type WorkersCrypto = SubtleCrypto & { timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean };

/** Compares texts in a time that does not depend on where they differ. */
function isSameText(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
  const isSameLength = one.byteLength === other.byteLength;
  // A text of another length is not compared in less time.
  return (crypto.subtle as WorkersCrypto).timingSafeEqual(isSameLength ? one : other, other) && isSameLength;
}
