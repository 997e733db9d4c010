// An HTTP/1.1 server on raw TCP, for faults that HTTP libraries cannot produce.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** A complete request. */
export interface Received {
  readonly method: string;
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The number of earlier requests on the same connection. */
  readonly before: number;
}

/** How the server treats a complete request. */
export interface Behaviour {
  /** The complete response; nothing by default. */
  readonly answer?: Uint8Array;
  /** The number of bytes to send; all by default. */
  readonly cut?: number;
  /** What happens to the connection; it stays usable by default. */
  readonly afterwards?: "keep" | "stall" | "end" | "reset";
}

/** Chooses the behaviour for a complete request. */
export type Script = (request: Received) => Behaviour;

/** A running server. */
export interface FaultServer {
  readonly url: string;
  /** Connections opened so far. */
  readonly connections: number;
  /** Complete requests, in order. */
  readonly requests: readonly Received[];
  /** How often a request arrived completely. The key is the `x-request-key` header, or method and target without it. */
  executionsOf(key: string): number;
  close(): Promise<void>;
}

/** The bytes of a response with a `Content-Length`. */
export function answerOf(status: number, body: string | Uint8Array, headers: Record<string, string> = {}): Uint8Array {
  const payload = Buffer.from(body);
  const fields = { "content-type": "application/json", "content-length": String(payload.length), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n`), payload]);
}

/** A complete response on a connection that stays open. */
export const answers = (status: number, body: unknown, headers?: Record<string, string>): Behaviour => ({
  answer: answerOf(status, typeof body === "string" ? body : JSON.stringify(body), headers),
});

export const faults = {
  processedThenReset: { afterwards: "reset" },
  processedThenClosed: { afterwards: "end" },
  htmlBadGateway: { answer: answerOf(502, "<html><body>Bad gateway</body></html>", { "content-type": "text/html" }) },
  brokenJson: answers(200, '{"roles": [{'),
  truncatedChunked: {
    answer: Buffer.from(
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{"roles": [',
    ),
    afterwards: "end",
  },
} as const satisfies Record<string, Behaviour>;

/** Sends the first bytes of a response, then nothing more. */
export const stallsAfter = (cut: number, answer: Uint8Array): Behaviour => ({ answer, cut, afterwards: "stall" });

/** Sends the first bytes of a response, then closes the connection. */
export const endsAfter = (cut: number, answer: Uint8Array): Behaviour => ({ answer, cut, afterwards: "end" });

export const redirectsTo = (location: string): Behaviour => answers(307, "", { location });

/** A success with a compressed body of the given decoded size. */
export const gzipBomb = (bytes: number): Behaviour => ({
  answer: answerOf(200, gzipSync(Buffer.alloc(bytes, " ")), { "content-encoding": "gzip" }),
});

const endOfHead = "\r\n\r\n";

/** The first request in the bytes and its length; undefined while it is incomplete. */
function parse(bytes: Buffer, before: number): { request: Received; length: number } | undefined {
  const headEnd = bytes.indexOf(endOfHead);
  if (headEnd < 0) return undefined;
  const [start = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const [method = "", target = ""] = start.split(" ");
  const fields = lines.map((line) => /^([^:]+):\s*(.*)$/.exec(line)).filter((match) => match !== null);
  const headers = Object.fromEntries(fields.map(([, name = "", value = ""]) => [name.toLowerCase(), value]));
  const bodyStart = headEnd + endOfHead.length;
  const chunked = headers["transfer-encoding"] === "chunked";
  // A chunked body stays encoded.
  const lastChunk = bytes.indexOf("\r\n0\r\n\r\n", bodyStart - 2);
  if (chunked && lastChunk < 0) return undefined;
  const length = chunked ? lastChunk + 7 : bodyStart + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return undefined;
  const body = bytes.subarray(bodyStart, length).toString("utf8");
  return { request: { method, target, headers, body, before }, length };
}

function act(socket: Socket, { answer = Buffer.alloc(0), cut, afterwards }: Behaviour): void {
  const bytes = answer.subarray(0, cut);
  if (bytes.length > 0) socket.write(bytes);
  if (afterwards === "end") socket.end();
  if (afterwards === "reset") socket.resetAndDestroy();
}

const keyOf = ({ method, target, headers }: Received): string => headers["x-request-key"] ?? `${method} ${target}`;

/** Starts a server on a free loopback port. */
export async function startFaultServer(behaviour: Behaviour | Script = answers(200, {})): Promise<FaultServer> {
  let connections = 0;
  const open = new Set<Socket>();
  const requests: Received[] = [];
  const executions = new Map<string, number>();

  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    // Resets are expected.
    socket.on("error", () => {});
    let pending = Buffer.alloc(0);
    let before = 0;
    socket.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (let parsed = parse(pending, before); parsed; parsed = parse(pending, before)) {
        const { request, length } = parsed;
        pending = pending.subarray(length);
        before += 1;
        requests.push(request);
        executions.set(keyOf(request), (executions.get(keyOf(request)) ?? 0) + 1);
        act(socket, typeof behaviour === "function" ? behaviour(request) : behaviour);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    requests,
    executionsOf: (key) => executions.get(key) ?? 0,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
