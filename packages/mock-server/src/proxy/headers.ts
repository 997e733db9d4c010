/** Headers that belong to one connection (RFC 9110, 7.6.1). */
const ofConnection = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Headers that are for the proxy itself, which also answers the browser's questions about origins. */
const forProxy = [
  "host",
  "content-length",
  "expect",
  "x-sandbox",
  "origin",
  "sec-fetch-site",
  "sec-fetch-mode",
  "sec-fetch-dest",
  "sec-fetch-user",
];

/** The headers to send to the target: those of the client, without its own connection's, for another host. */
export function sentHeaders(
  raw: readonly string[],
  host: string,
  body: Uint8Array | undefined,
  method: string,
): string[] {
  const kept = withoutNames(raw, [...ofConnection, ...forProxy, ...namedByConnection(raw)]);
  // Without a length, Node would send an absent body in chunks.
  const hasLength = body !== undefined || !["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"].includes(method);
  return ["Host", host, ...kept, ...(hasLength ? ["Content-Length", String(body?.byteLength ?? 0)] : [])];
}

/** The headers to send to the client: those of the target, with the proxy's own answer about the client's origin. */
export function answeredHeaders(raw: readonly string[], cors: Readonly<Record<string, string>>): string[] {
  const replaced = Object.keys(cors).filter((name) => name !== "Vary");
  const kept = withoutNames(raw, [
    ...ofConnection,
    ...namedByConnection(raw),
    ...replaced.map((name) => name.toLowerCase()),
  ]);
  return [...kept, ...Object.entries(cors).flat()];
}

/** The first header of a name, in lower case. */
export function headerOf(raw: readonly string[], name: string): string | undefined {
  const index = raw.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === name);
  return index === -1 ? undefined : raw[index + 1];
}

/** The pairs of a list of names and values. */
export function pairsOf(raw: readonly string[]): (readonly [string, string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
}

/** The names that a Connection header lists, which belong to the connection too. */
function namedByConnection(raw: readonly string[]): string[] {
  return pairsOf(raw)
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((part) => part.trim().toLowerCase()));
}

function withoutNames(raw: readonly string[], names: readonly string[]): string[] {
  const dropped = new Set(names);
  return pairsOf(raw)
    .filter(([name]) => !dropped.has(name.toLowerCase()))
    .flat();
}
