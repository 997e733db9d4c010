import { readFile } from "node:fs/promises";
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestListener,
  ServerResponse,
} from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { SandboxRegistry } from "@call-transfer/backend";
import {
  bodyLimit,
  clearTimeout,
  endOfTurn,
  errorResponse,
  type IncomingRequest,
  setTimeout,
} from "@call-transfer/backend/unstable";
import { program } from "../net/program.ts";
import { corsHeaders, isOfOtherSite, preflightHeaders, type Refusal } from "../web/admission.ts";
import { inspectorPage, isForInspector, type PageAnswer, type PageRequest, rootAnswer } from "../web/inspector-page.ts";
import { admit, type GateRules } from "./gate.ts";
import type { RecordRefusal } from "./refusals.ts";
import { applyTransportFault, write, writePlain } from "./write-response.ts";

/** How long an oversized body is still read, so that its sender can read the error response. */
const lingerMs = 250;

/** What every request of a listener shares. */
interface ListenerContext {
  readonly rules: GateRules;
  readonly handle: SandboxRegistry["handle"];
  readonly recordRefusal: RecordRefusal;
  /** Aborts when the server closes, and ends streamed responses. */
  readonly closing: AbortSignal;
  /** Whether another server answers what this one does not know, its root included. */
  readonly isForwarding: boolean;
  /** Throws if changes cannot be stored. */
  readonly checkReady?: (() => void) | undefined;
}

interface ServeContext extends ListenerContext {
  /** Waits for the end of the current turn of the event loop. */
  readonly endOfTurn: () => Promise<void>;
}

/** Connects a request handler to `node:http`, behind the gate. */
export function createListener(context: ListenerContext): RequestListener {
  const serveContext: ServeContext = { ...context, endOfTurn: createTurns() };
  return (incoming, outgoing) => {
    incoming.on("error", ignore);
    serve(incoming, outgoing, serveContext).catch(() => {
      // The response does not show the cause.
      if (outgoing.headersSent) outgoing.destroy();
      else void write(outgoing, errorResponse("internal_error", "Internal server error."), undefined, context.closing);
    });
  };
}

function ignore(): void {}

function sendPage(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body }: PageAnswer): void {
  incoming.resume();
  outgoing.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  outgoing.end(incoming.method === "HEAD" ? undefined : body);
}

/** Creates a listener that rejects requests with an unknown `Expect` header. */
export function createExpectationListener(recordRefusal: RecordRefusal): RequestListener {
  const refusal: Refusal = { code: "bad_request", detail: "The value of the Expect header is not supported." };
  return (incoming, outgoing) => void reject(incoming, outgoing, refusal, recordRefusal);
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { rules, handle, recordRefusal, closing, isForwarding, checkReady, endOfTurn }: ServeContext,
): Promise<void> {
  const { method = "", url: target = "", headers, rawHeaders, socket } = incoming;
  const health = healthOf(incoming, checkReady);
  if (health !== undefined) return sendHealth(method, outgoing, health);
  const admitted = admit({ method, target, headers, rawHeaders, localAddress: socket.localAddress }, rules);
  if ("code" in admitted) return reject(incoming, outgoing, admitted, recordRefusal);
  if (admitted.isPreflight) {
    outgoing
      .writeHead(
        204,
        preflightHeaders(admitted, (name) => new IncomingHeaders(headers).get(name)),
      )
      .end();
    return;
  }
  const pageRequest = { method, pathname: admitted.url.pathname, accept: headers.accept };
  if (isForInspector(pageRequest)) return sendPage(incoming, outgoing, await inspectorAnswer(pageRequest));
  const root = isForwarding ? undefined : rootAnswer(pageRequest);
  if (root !== undefined)
    return sendPage(incoming, outgoing, { ...root, headers: { ...root.headers, ...corsHeaders(admitted) } });
  const maxBytes = bodyLimit(method, admitted.url.pathname);
  const body = await readBody(incoming, maxBytes);
  if (body === "broken") return;
  const request: IncomingRequest = {
    method,
    url: admitted.url.href,
    headers: new IncomingHeaders(incoming.headers),
    body: null,
    ...(body === "too large" ? { bodyBytes: new Uint8Array(maxBytes + 1) } : body !== undefined && { bodyBytes: body }),
  };
  const address = socket.remoteAddress;
  const handled = await handle(request, address === undefined ? {} : { address }, admitted.url);
  if (handled.transport !== undefined)
    return applyTransportFault(handled.transport, outgoing, handled.response, closing);
  // The server has closed its idle connections. One that became idle now would keep it open.
  if (closing.aborted || body === "too large") outgoing.setHeader("Connection", "close");
  if (body === "too large" && handled.plain !== undefined) {
    const { status, headers: own, text } = handled.plain;
    return sendEarly(incoming, outgoing, status, { ...own, ...corsHeaders(admitted) }, text);
  }
  if (handled.plain === undefined) return write(outgoing, handled.response, admitted, closing);
  await endOfTurn();
  writePlain(outgoing, handled.plain, admitted);
}

/**
 * Creates a function that waits for the end of the current turn of the event loop. Responses sent together wake a
 * waiting client once; waking it for each response would take as long as the rest of the work.
 */
function createTurns(): () => Promise<void> {
  let turn: Promise<void> | undefined;
  return () => {
    turn ??= endOfTurn().then(() => {
      turn = undefined;
    });
    return turn;
  };
}

/** Reads the body, up to `maxBytes`; undefined without a body. */
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
    incoming.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // Without effect after the end.
    incoming.on("close", () => resolve("broken"));
  });
}

/**
 * Sends a response before the body was read, and reads on for a moment: closing a connection with unread bytes could discard
 * the response.
 */
function sendEarly(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  text: string | undefined,
): void {
  const length = text === undefined ? {} : { "content-length": Buffer.byteLength(text) };
  outgoing.writeHead(status, { ...headers, ...length, connection: "close" });
  if (incoming.method === "HEAD") return void outgoing.end();
  if (text === undefined) outgoing.flushHeaders();
  else outgoing.write(text);
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, lingerMs);
  incoming.once("end", end).once("close", end).resume();
}

/** The headers of `node:http`, without the cost of creating `Headers`. */
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

/** Responds at once to a request that did not pass the gate. */
async function reject(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { code, detail, isOfPage = false }: Refusal,
  recordRefusal: RecordRefusal,
): Promise<void> {
  const response = errorResponse(code, detail);
  const { method = "", url: target = "" } = incoming;
  const headers = new IncomingHeaders(incoming.headers);
  const requestId = response.headers.get("x-request-id") ?? undefined;
  recordRefusal({ method, target, headers, status: response.status, code, detail, requestId, isOfPage });
  const text = await response.text();
  const own = {
    ...Object.fromEntries(response.headers),
    // A page that may not use the server shows nothing of it in a frame either.
    ...(isOfPage && { "x-frame-options": "DENY" }),
  };
  sendEarly(incoming, outgoing, response.status, own, text);
}

/** Whether the server answers, or, when it was asked for that, whether it also stores what requests change. */
type Health = "ok" | "not ready";

/**
 * Answers a request that asks if the server runs (`/health`), or if it takes changes (`/health/ready`), under any host name and
 * without a token, as load balancers do. So the answer does not say why. Undefined for any other request.
 */
function healthOf(
  { method, url: target = "", headers }: IncomingMessage,
  checkReady: () => void = () => {},
): Health | undefined {
  // Every request comes by here.
  if (!target.startsWith("/health")) return undefined;
  const [, ready] = /^\/health(\/ready)?(?:\?|$)/.exec(target) ?? [undefined, false];
  if (ready === false || (method !== "GET" && method !== "HEAD")) return undefined;
  if (isOfOtherSite((name) => headers[name]?.toString())) return undefined;
  if (ready === undefined) return "ok";
  try {
    checkReady();
    return "ok";
  } catch {
    return "not ready";
  }
}

/** Sends the answer: 200, or 503 for a server that is not ready. */
function sendHealth(method: string, outgoing: ServerResponse, status: Health): void {
  const text = JSON.stringify({ status });
  const headers = { "content-type": "application/json", "content-length": text.length, "cache-control": "no-store" };
  outgoing.writeHead(status === "ok" ? 200 : 503, headers).end(method === "HEAD" ? undefined : text);
}

const advice = "In a clone of the repository, run npm run build. Otherwise install @call-transfer/mock-server again.";

/** Answers a request for the inspector from the files of its build, which are read each time. */
export function inspectorAnswer(request: PageRequest, folder: () => string = builtInspector): Promise<PageAnswer> {
  return inspectorPage(request, { read: (name) => read(folder, name), advice, program });
}

/** Where the package keeps the build, for its sources and for every file of its own build. */
function builtInspector(): string {
  const description = createRequire(import.meta.url).resolve("@call-transfer/mock-server/package.json");
  return join(dirname(description), "dist/inspector");
}

/** Reads a file; undefined if there is none. */
async function read(folder: () => string, name: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(join(folder(), name));
  } catch {
    return undefined;
  }
}
