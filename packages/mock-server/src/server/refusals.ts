import type { Duplex } from "node:stream";
import type { SandboxRegistry } from "@call-transfer/backend";
import { clearTimeout, errorResponse, realNow, setTimeout } from "@call-transfer/backend/unstable";

type Recorded = Parameters<SandboxRegistry["record"]>[0];

/** A refused request and its response. */
export interface RefusedRequest {
  readonly method: string;
  /** The request target as it came over the wire. */
  readonly target: string;
  readonly headers: Recorded["headers"];
  readonly status: number;
  readonly code?: string | undefined;
  /** Why, and what to change. */
  readonly detail: string;
  readonly requestId?: string | undefined;
  /** Whether a page sent it that may not use the server. */
  readonly isOfPage?: boolean;
}

/** Records a refused request: in the request log if it is malformed, and as an event. */
export type RecordRefusal = (refused: RefusedRequest) => void;

/** More in one second are refused without an entry, so that a flood does not displace the app's own requests at once. */
const maxPerSecond = 50;

/** For how many reasons pages are announced that may not use the server. They can come from any number of origins. */
const maxPages = 20;

/**
 * Creates a function that records refused requests, a limited number each second. Those of pages that may not use the server
 * are announced once for each reason, since any page could send any number of them, unless `announcesEach` is set.
 */
export function createRefusalRecord(
  record: SandboxRegistry["record"],
  now: () => number = realNow,
  announcesEach = false,
): RecordRefusal {
  let [second, count] = [0, 0];
  const pages = new Set<string>();
  return ({ method, target, headers, status, code, detail, requestId, isOfPage = false }) => {
    if (isOfPage && !announcesEach) {
      if (pages.has(detail) || pages.size === maxPages) return;
      pages.add(detail);
    }
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, count] = [current, 0];
    count += 1;
    if (count > maxPerSecond) return;
    const address = URL.canParse(target, "http://localhost") ? target : "/";
    record({
      method,
      url: new URL(address, "http://localhost"),
      headers,
      status,
      durationMs: 0,
      decidedBy: { step: "server", detail },
      ...(code !== undefined && { code }),
      ...(requestId !== undefined && { requestId }),
    });
  };
}

/** An error of Node's HTTP parser, or of the connection. */
type ClientError = NodeJS.ErrnoException & { readonly reason?: string; readonly rawPacket?: Uint8Array };

/** How long a connection is still read after its answer, in milliseconds: unread bytes could discard the answer. */
const lingerMs = 250;

/** Why a request could not be read; undefined if the client has gone. */
function malformed({ code = "", reason, rawPacket }: ClientError): string | undefined {
  if (code === "ERR_SSL_HTTP_REQUEST")
    return "The client sent plain HTTP, but this server expects TLS. Use https:// in place of http://.";
  // The parser reports a client that leaves in the middle of a request like a mistake.
  if (!code.startsWith("HPE_") || code === "HPE_INVALID_EOF_STATE") return undefined;
  if (code === "HPE_HEADER_OVERFLOW") return "The headers are too large. Send less.";
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") return "The chunk extensions are too large.";
  if (rawPacket?.[0] === 0x16 && rawPacket[1] === 0x03)
    return "The client sent TLS, but this server expects plain HTTP. Use http:// in place of https://.";
  if (rawPacket !== undefined && Buffer.from(rawPacket).toString("latin1", 0, 14) === "PRI * HTTP/2.0")
    return "The client sent HTTP/2, but this server speaks HTTP/1.1.";
  return `The request is not valid HTTP: ${reason ?? code}.`;
}

const noHeaders: Recorded["headers"] = { get: () => null, [Symbol.iterator]: () => [][Symbol.iterator]() };

/** Answers a request that cannot be read with an error of the API, records it, and closes its connection. */
export function createMalformedListener(record: RecordRefusal): (error: ClientError, socket: Duplex) => void {
  // The parser reports every further byte too.
  const answered = new WeakSet<Duplex>();
  return (error, socket) => {
    if (answered.has(socket)) return;
    answered.add(socket);
    answer(error, socket, record).catch(() => socket.destroy(error));
  };
}

async function answer(error: ClientError, socket: Duplex, record: RecordRefusal): Promise<void> {
  const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const detail = isLate ? "The request did not arrive completely in time." : malformed(error);
  const refusal = errorResponse("bad_request", detail ?? "The connection ended in the middle of the request.");
  const requestId = refusal.headers.get("x-request-id") ?? "";
  // No code has the status 408, which tells clients to try again.
  const [status, phrase, body] = isLate ? [408, "Request Timeout", ""] : [400, "Bad Request", await refusal.text()];
  // Browsers open connections in advance and send nothing.
  const isEmpty = Reflect.get(socket, "bytesRead") === 0 && error.code !== "ERR_SSL_HTTP_REQUEST";
  if (detail !== undefined && !isEmpty) {
    const code = isLate ? {} : { code: "bad_request" };
    record({ method: "?", target: "/", headers: noHeaders, status, detail, requestId, ...code });
  }
  // Node keeps the response in progress here. A second one behind its head would be read as its body.
  const current: unknown = Reflect.get(socket, "_httpMessage");
  const hasBegun = Reflect.get(Object(current), "headersSent") === true;
  if (!socket.writable || hasBegun) return void socket.destroy(error);
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    `X-Request-Id: ${requestId}`,
    ...(body === "" ? [] : ["Content-Type: application/json"]),
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  const timer = setTimeout(() => socket.destroy(error), lingerMs);
  socket.once("close", () => clearTimeout(timer));
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
