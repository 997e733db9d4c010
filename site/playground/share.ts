import { partsOf } from "./parts.ts";

/** The longest program that a link may hold, in characters. */
const longest = 100_000;

/** A program as a part of an address; undefined if it is too long for a link. */
export async function encode(source: string): Promise<string | undefined> {
  if (source.length > longest) return undefined;
  const stream = new Blob([source]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The program of a part of an address; undefined if it holds none. */
export async function decode(text: string): Promise<string | undefined> {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    let source = "";
    // A short text may expand to a very long one, so the reading ends in time.
    for await (const part of partsOf(stream.pipeThrough(new TextDecoderStream()))) {
      source += part;
      if (source.length > longest) return undefined;
    }
    return source;
  } catch {
    return undefined;
  }
}
