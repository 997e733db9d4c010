import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/** Signs and verifies the access tokens of a backend. */
export interface Tokens {
  /** The signing secret; changing it invalidates all tokens issued before. */
  secret: Uint8Array;
  /** Signs a JWT for a user; `expiresAt` is in seconds since the epoch. */
  sign(userId: string, expiresAt: number): string;
  /** Returns the claims of a token, expired or not; undefined unless this backend signed it. */
  verify(token: string): Claims | undefined;
}

interface Claims {
  readonly userId: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

const header = encoded(utf8ToBytes(JSON.stringify({ alg: "HS256", typ: "JWT" })));
const maxCachedTokens = 1000;

/** Creates the tokens of a backend. Verified tokens are cached, because their signature does not change. */
export function createTokens(startSecret: Uint8Array): Tokens {
  const cache = new Map<string, Claims>();
  let secret = startSecret;
  const signatureOf = (signed: string): string => encoded(hmac(sha256, secret, utf8ToBytes(signed)));
  return {
    get secret() {
      return secret;
    },
    set secret(next) {
      secret = next;
      cache.clear();
    },
    sign(userId, expiresAt) {
      const signed = `${header}.${encoded(utf8ToBytes(JSON.stringify({ sub: userId, exp: expiresAt })))}`;
      return `${signed}.${signatureOf(signed)}`;
    },
    verify(token) {
      const known = cache.get(token);
      if (known !== undefined) return known;
      const [head, payload = "", signature, ...rest] = token.split(".");
      // Only texts that are equal pass as one token: base64 has several texts for the same bytes.
      if (head !== header || signature !== signatureOf(`${head}.${payload}`) || rest.length > 0) return undefined;
      const claims = claimsOf(token);
      if (claims === undefined) return undefined;
      if (cache.size >= maxCachedTokens) cache.clear();
      cache.set(token, claims);
      return claims;
    },
  };
}

/** Reads the claims of a token without a check of its signature; undefined if they are not those of an access token. */
export function claimsOf(token: string): Claims | undefined {
  try {
    const { sub, exp }: { sub?: unknown; exp?: unknown } = JSON.parse(decoded(token.split(".")[1] ?? ""));
    return typeof sub === "string" && typeof exp === "number" ? { userId: sub, expiresAt: exp } : undefined;
  } catch {
    return undefined;
  }
}

/** Encodes bytes as base64url without padding. */
function encoded(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Decodes base64url into UTF-8 text. */
function decoded(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
}
