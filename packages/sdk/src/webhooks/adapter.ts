// What the adapters share: the request that they make of an event or a message, and the headers that they send.

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

/** Makes a request. An error in its chunks reaches the handler, which reports it to `onError`. */
export function requestOf(method: string | undefined, headers: Headers, chunks: AsyncGenerator<Uint8Array>): Request {
  const url = "https://webhook.invalid/";
  // Some methods are not allowed in a Request. The handler refuses all but POST anyway.
  if (method !== "POST") return new Request(url, { headers });
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await chunks.return(undefined)),
  });
  return new Request(url, { method, headers, body, duplex: "half" } as RequestInit);
}
