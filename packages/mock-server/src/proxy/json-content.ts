import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

/** What a body says: a JSON value, why it is not JSON, or why it was not read. */
export type Content = { readonly value: unknown } | { readonly problem: string } | { readonly unread: string };

/** The most bytes of a body that are checked, also after decompression. */
export const mostCheckedBytes = 8 * 2 ** 20;

const limit = { maxOutputLength: mostCheckedBytes };
const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gunzipSync(bytes, limit),
  "x-gzip": (bytes) => gunzipSync(bytes, limit),
  deflate: (bytes) => inflateSync(bytes, limit),
  br: (bytes) => brotliDecompressSync(bytes, limit),
};
const utf8 = new TextDecoder("utf-8", { fatal: true });

export function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? "");
}

/** Reads a body as JSON. The bytes stay as they are: a compressed body is decompressed for this only. */
export function jsonContent(bytes: Uint8Array, encoding: string | undefined): Content {
  const text = decoded(bytes, encoding);
  if (typeof text !== "string") return text;
  if (text === "") return { problem: "is empty" };
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, mostLevels) ? { unread: "the body is nested too deeply to check" } : { value };
  } catch {
    return { problem: "is not valid JSON" };
  }
}

/** The most levels of a checked body. What walks through more of them exceeds the stack. */
const mostLevels = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

function decoded(bytes: Uint8Array, encoding = ""): string | Exclude<Content, { value: unknown }> {
  let plain = bytes;
  // The encoding that was applied last stands last.
  for (const name of encoding
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .reverse()) {
    if (name === "" || name === "identity") continue;
    const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    if (decode === undefined) return { unread: `the content encoding ${name} is not checked` };
    try {
      plain = decode(plain);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ERR_BUFFER_TOO_LARGE") return { unread: "the body is too large to check" };
      return { problem: `is not valid ${name}` };
    }
  }
  try {
    return utf8.decode(plain);
  } catch {
    return { problem: "is not UTF-8" };
  }
}
