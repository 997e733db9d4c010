// The headers of a response as an adapter sends it.

/** The server sets these itself. */
const ofConnection = ["connection", "content-length", "keep-alive", "transfer-encoding"];

/**
 * The headers of a response whose body is sent as bytes. A response of `fetch` may have been compressed: its headers say
 * so, and give the compressed length, but its body is decoded.
 */
export function sentHeaders({ headers, url }: Response): Headers {
  const sent = new Headers(headers);
  for (const name of ofConnection) sent.delete(name);
  if (url !== "") sent.delete("content-encoding");
  return sent;
}
