const algorithm = { name: "HMAC", hash: "SHA-256" };

/** The HMAC-SHA256 of a text, in hexadecimal. Browsers have it for HTTPS and this machine only. */
export async function hmacOf(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign(algorithm, key, encoder.encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
