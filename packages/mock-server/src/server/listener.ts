import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Asked, bodyLimit, type PlainAnswer, refuse, type Sandboxes } from "@call-transfer/backend";
import { type Admission, admit, type GateRules } from "./gate.ts";
import { answerBadly } from "./transport-faults.ts";

/** How long a body that is too large is still read, so that its sender can read why it was refused. */
const lingerMs = 250;
const preflightHeaders = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
  "Access-Control-Allow-Headers": "Authorization, X-Account-Id, X-Sandbox, Content-Type",
  "Access-Control-Max-Age": "600",
};

/** Fits a handler of requests to `node:http`, behind the gate. `closing` ends the answers that go on. */
export function createListener(rules: GateRules, handle: Sandboxes["handle"], closing: AbortSignal): RequestListener {
  const endOfTurn = createTurns();
  return (incoming, outgoing) => {
    incoming.on("error", () => {});
    serve(incoming, outgoing, rules, handle, closing, endOfTurn).catch(() => {
      // Whatever went wrong belongs to this connection; the answer shows nothing of it.
      if (outgoing.headersSent) outgoing.destroy();
      else void write(outgoing, refuse("internal_error", "The server failed."), undefined, closing);
    });
  };
}

/** Refuses a request whose `Expect` header asks for what the server does not do. */
export function refuseExpectation(incoming: IncomingMessage, outgoing: ServerResponse): void {
  void turnAway(incoming, outgoing, refuse("bad_request", "The Expect header asks for something unknown."));
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  rules: GateRules,
  handle: Sandboxes["handle"],
  closing: AbortSignal,
  endOfTurn: () => Promise<void>,
): Promise<void> {
  const { method = "", url: target = "", headers, rawHeaders, socket } = incoming;
  const admitted = admit({ method, target, headers, rawHeaders, localAddress: socket.localAddress }, rules);
  if ("code" in admitted) return turnAway(incoming, outgoing, refuse(admitted.code, admitted.detail));
  if (admitted.isPreflight) {
    outgoing.writeHead(204, { ...corsHeaders(admitted), ...preflightHeaders }).end();
    return;
  }
  const maxBytes = bodyLimit(method, admitted.url.pathname);
  const body = await readBody(incoming, maxBytes);
  if (body === "broken") return;
  if (body === "too large") {
    const detail = `The body is larger than ${maxBytes / 2 ** 20} MiB.`;
    return turnAway(incoming, outgoing, refuse("bad_request", detail), admitted);
  }
  const request: Asked = {
    method,
    url: admitted.url.href,
    headers: new IncomingHeaders(incoming.headers),
    body: null,
    ...(body !== undefined && { received: body }),
  };
  const address = socket.remoteAddress;
  const handled = await handle(request, address === undefined ? {} : { address }, admitted.url);
  if (handled.transport !== undefined) return answerBadly(handled.transport, outgoing, handled.response, closing);
  // Idle connections are closed by now: one that became idle again would hold the server up.
  if (closing.aborted) outgoing.setHeader("Connection", "close");
  if (handled.plain === undefined) return write(outgoing, handled.response, admitted, closing);
  await endOfTurn();
  writePlain(outgoing, handled.plain, admitted);
}

/**
 * Waits for the end of this turn of the event loop. Answers that leave together wake a waiting client once: waking it for
 * each takes as long as all that is done for an answer.
 */
function createTurns(): () => Promise<void> {
  let turn: Promise<void> | undefined;
  return () => {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    });
    return turn;
  };
}

/** The body's bytes, counted as they come; undefined without a body. */
function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | undefined | "too large" | "broken"> {
  const { "content-length": length, "transfer-encoding": encoding } = incoming.headers;
  if (encoding === undefined && (length === undefined || length === "0")) return Promise.resolve(undefined);
  if (Number(length) > maxBytes) return Promise.resolve("too large");
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let read = 0;
    incoming.on("data", (chunk: Buffer) => {
      read += chunk.byteLength;
      if (read <= maxBytes) chunks.push(chunk);
      else resolve("too large");
    });
    incoming.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    incoming.once("close", () => resolve("broken"));
  });
}

/** Headers as `node:http` read them; making `Headers` of them takes longer than reading the few that matter. */
class IncomingHeaders {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const value = this.#headers[name];
    return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const name of Object.keys(this.#headers)) yield [name, this.get(name) ?? ""];
  }
}

/** Answers at once, then reads on for a moment: closing over unread bytes could take the answer back. */
async function turnAway(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  refusal: Response,
  admission?: Admission,
): Promise<void> {
  const text = await refusal.text();
  outgoing.writeHead(refusal.status, {
    ...Object.fromEntries(refusal.headers),
    ...corsHeaders(admission),
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  if (incoming.method === "HEAD") return void outgoing.end();
  outgoing.write(text);
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, lingerMs);
  incoming.once("end", end).once("close", end).resume();
}

function writePlain(outgoing: ServerResponse, { status, headers, text }: PlainAnswer, admission: Admission): void {
  const own: Record<string, string | number> = { ...headers };
  if (admission.origin !== undefined) Object.assign(own, corsHeaders(admission));
  if (text !== undefined) own["Content-Length"] = Buffer.byteLength(text);
  outgoing.writeHead(status, own).end(text);
}

async function write(
  outgoing: ServerResponse,
  response: Response,
  admission: Admission | undefined,
  closing: AbortSignal | undefined,
): Promise<void> {
  const headers: Record<string, string | number> = {
    ...Object.fromEntries(response.headers),
    ...corsHeaders(admission),
  };
  if (response.body === null) {
    outgoing.writeHead(response.status, headers).end();
    return;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  closing?.addEventListener("abort", leave);
  outgoing.once("close", leave);
  const { socket } = outgoing;
  try {
    await pump(reader, outgoing, response.status, headers);
    // The headers of an answer that went on promised to keep the connection, which would hold a closing server up.
    if (closing?.aborted) socket?.destroySoon();
  } finally {
    closing?.removeEventListener("abort", leave);
  }
}

/** Hands on a body as it comes; one that is there at once gets a length. */
async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
): Promise<void> {
  const ready: Uint8Array[] = [];
  let next = reader.read();
  const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
  for (let part = await Promise.race([next, turn]); part !== undefined; part = await Promise.race([next, turn])) {
    if (part.done) {
      const body = Buffer.concat(ready);
      outgoing.writeHead(status, { ...headers, "content-length": body.byteLength }).end(body);
      return;
    }
    ready.push(part.value);
    next = reader.read();
  }
  outgoing.writeHead(status, headers).flushHeaders();
  for (const chunk of ready) outgoing.write(chunk);
  for (let part = await next; !part.done; part = await next) {
    // A client that reads slowly makes the body wait, which knows how long it can.
    if (!outgoing.write(part.value) && !outgoing.destroyed) await drained(outgoing);
    next = reader.read();
  }
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      outgoing.off("drain", goOn).off("close", goOn);
      resolve();
    };
    outgoing.once("drain", goOn).once("close", goOn);
  });
}

function corsHeaders(admission: Admission | undefined): Record<string, string> {
  if (admission?.origin === undefined) return {};
  return {
    "Access-Control-Allow-Origin": admission.origin,
    "Access-Control-Expose-Headers": "X-Request-Id, Retry-After",
    Vary: "Origin",
  };
}
