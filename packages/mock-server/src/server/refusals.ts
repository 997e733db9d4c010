import type { Duplex } from "node:stream";
import type { Sandboxes } from "@call-transfer/backend";

type Recorded = Parameters<Sandboxes["record"]>[0];

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
}

/** Records a refused request in the journal. */
export type RecordRefusal = (refused: RefusedRequest) => void;

/** More in one second are refused without an entry, so that a flood does not displace the app's own requests at once. */
const maxPerSecond = 50;

/** Creates a function that records refused requests, a limited number each second. */
export function createRefusalRecord(record: Sandboxes["record"], now: () => number = Date.now): RecordRefusal {
  let [second, count] = [0, 0];
  return ({ method, target, headers, status, code, detail, requestId }) => {
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
      decidedBy: { step: "gate", detail },
      ...(code !== undefined && { code }),
      ...(requestId !== undefined && { requestId }),
    });
  };
}

/** An error of Node's HTTP parser, or of the connection. */
type ClientError = NodeJS.ErrnoException & { readonly reason?: string; readonly rawPacket?: Uint8Array };

interface Malformed {
  readonly status: number;
  readonly phrase: string;
  readonly detail: string;
}

/** Why a request could not be read; undefined if the connection broke. */
function malformed({ code = "", reason, rawPacket }: ClientError): Malformed | undefined {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return { status: 408, phrase: "Request Timeout", detail: "The request did not arrive completely in time." };
  if (code === "ERR_SSL_HTTP_REQUEST")
    return {
      status: 400,
      phrase: "Bad Request",
      detail: "The client sent plain HTTP, but this server expects TLS. Use https:// in place of http://.",
    };
  // The parser reports a client that leaves in the middle of a request like a mistake.
  if (!code.startsWith("HPE_") || code === "HPE_INVALID_EOF_STATE") return undefined;
  if (code === "HPE_HEADER_OVERFLOW")
    return { status: 431, phrase: "Request Header Fields Too Large", detail: "The headers are too large. Send less." };
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW")
    return { status: 413, phrase: "Payload Too Large", detail: "The chunk extensions are too large." };
  const isTls = rawPacket?.[0] === 0x16 && rawPacket[1] === 0x03;
  const detail = isTls
    ? "The client sent TLS, but this server expects plain HTTP. Use http:// in place of https://."
    : `The request is not valid HTTP: ${reason ?? code}.`;
  return { status: 400, phrase: "Bad Request", detail };
}

const noHeaders: Recorded["headers"] = { get: () => null, [Symbol.iterator]: () => [][Symbol.iterator]() };

/** Answers a request that cannot be read, as Node does by default, and records it. */
export function createMalformedListener(record: RecordRefusal): (error: ClientError, socket: Duplex) => void {
  return (error, socket) => {
    const found = malformed(error);
    // Browsers open connections in advance and send nothing.
    const isEmpty = Reflect.get(socket, "bytesRead") === 0 && error.code !== "ERR_SSL_HTTP_REQUEST";
    if (found !== undefined && !isEmpty)
      record({ method: "?", target: "/", headers: noHeaders, status: found.status, detail: found.detail });
    // Node keeps the response in progress here. A second one behind its head would be read as its body.
    const current: unknown = Reflect.get(socket, "_httpMessage");
    const hasBegun = Reflect.get(Object(current), "headersSent") === true;
    const { status, phrase } = found ?? { status: 400, phrase: "Bad Request" };
    if (socket.writable && !hasBegun) socket.write(`HTTP/1.1 ${status} ${phrase}\r\nConnection: close\r\n\r\n`);
    socket.destroy(error);
  };
}
