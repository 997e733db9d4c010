// A server that forwards what it does not have to another one.
import { randomBytes } from "node:crypto";
import { lookup } from "node:dns/promises";
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { InputError } from "@call-transfer/backend";
import {
  type AskElsewhere,
  type ForeignAnswer,
  type RequestHeaders,
  redactedHeaders,
  replacement,
} from "@call-transfer/backend/unstable";
import { isOwnSocket } from "../net/networks.ts";
import { unbracketed } from "../net/urls.ts";
import { http, loadHttps } from "./node-builtins.ts";
import { type MockServer, startMockServer } from "./server.ts";
import { type MockServerOptions, readTarget } from "./server-options.ts";

/** Where a mock server forwards what it does not have. */
export interface FallbackOptions {
  /** The base URL of the server that gets each request that nothing else matches. */
  readonly fallbackUrl: string;
  /** Whether it gets headers with credentials, such as Authorization and Cookie; false by default. */
  readonly forwardCredentials?: boolean;
}

/** Milliseconds for an answer with its body. */
const answerTimeoutMs = 60_000;

/** Starts a mock server that forwards what it does not have. Rejects as `startMockServer` does, also for a URL of its own. */
export async function startForwardingServer(
  { fallbackUrl, forwardCredentials: credentials = false }: FallbackOptions,
  options: MockServerOptions,
): Promise<MockServer> {
  const target = readTarget(fallbackUrl);
  const ended = new AbortController();
  const elsewhere = createForward({ target, credentials, timeoutMs: answerTimeoutMs, signal: ended.signal });
  const server = await startMockServer({ ...options, elsewhere });
  const close = async (): Promise<void> => {
    await server.close();
    ended.abort();
  };
  if (!(await isItself(target, options.host ?? "127.0.0.1", server.port))) return { ...server, close };
  await close();
  throw new InputError("fallbackUrl", "is the mock server itself. Name another server");
}

/** Whether a target is the server's own socket. A name that does not resolve now may do so later. */
async function isItself(target: URL, host: string, port: number): Promise<boolean> {
  const targetPort = Number(target.port) || (target.protocol === "https:" ? 443 : 80);
  const [bound = [], addresses = []] = await Promise.all(
    [host, target.hostname].map((name) => lookup(unbracketed(name), { all: true }).catch(() => [])),
  );
  return bound.some((own) => addresses.some(({ address }) => isOwnSocket({ ...own, port }, address, targetPort)));
}

/** Where to forward requests to, and how. */
interface Forwarding {
  /** The base URL of the other server. */
  readonly target: URL;
  /** Whether headers with credentials are forwarded. */
  readonly credentials: boolean;
  /** Milliseconds that an answer with its body may take. */
  readonly timeoutMs: number;
  /** Ends what is in flight. */
  readonly signal: AbortSignal;
}

/** The most bytes of an answer. */
const mostBytes = 8 * 2 ** 20;

/** What to do after a request that was sent and has no whole answer. */
const whetherProcessed = "It may have processed the request, which is not sent again. Look there before you repeat it.";

/** Creates what forwards a request once to another server, and returns its answer. It keeps an answer of up to 8 MiB. */
export function createForward({ target, credentials, timeoutMs, signal }: Forwarding): AskElsewhere {
  const base = target.href.replace(/\/+$/, "");
  // A request that comes back has gone around in a circle, perhaps through another server.
  const own = `call-transfer-mock-${randomBytes(4).toString("hex")}`;
  return async ({ method, headers, bodyBytes: body }, { pathname, search }) => {
    if (headers.get("via")?.includes(own))
      return failed(508, "target_loops", `${base} sent the request back to this server. Check --fallback-url.`);
    const timeout = AbortSignal.timeout(timeoutMs);
    // Without a length, Node would send an absent body in chunks.
    const hasLength = body !== undefined || !["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"].includes(method);
    const sent = [
      ...["Host", target.host, ...sentHeaders(headers, credentials).flat(), "Via", `1.1 ${own}`],
      ...["Accept-Encoding", "identity", ...(hasLength ? ["Content-Length", String(body?.byteLength ?? 0)] : [])],
    ];
    const path = target.pathname.replace(/\/+$/, "") + pathname + search;
    const options = { method, path, headers: sent, signal: AbortSignal.any([signal, timeout]) };
    const connection = { isOpen: false };
    try {
      return await answerOf(await send(base, options, body, connection), base);
    } catch (error) {
      // Not of the connection, but of the request or of the answer.
      if (error instanceof TypeError || error instanceof RangeError) throw error;
      if (!timeout.aborted) return unanswered(base, error as NodeJS.ErrnoException, connection.isOpen);
      return failed(504, "target_timeout", `${base} did not answer within ${timeoutMs / 1000} s. ${whetherProcessed}`);
    }
  };
}

/**
 * Sends a request once, over a connection of its own: a second attempt could place a call twice. Notes when the connection opens,
 * since the request may be processed from then on.
 */
function send(
  target: string,
  options: RequestOptions,
  body: Uint8Array | undefined,
  connection: { isOpen: boolean },
): Promise<IncomingMessage> {
  const isSecure = target.startsWith("https:");
  const { request: start, Agent } = isSecure ? loadHttps() : http;
  // Node's own connections go through a proxy of the environment if this is set; those without an agent would not.
  const agent = process.env.NODE_USE_ENV_PROXY === "1" ? new Agent({ proxyEnv: process.env }) : false;
  return new Promise((resolve, reject) => {
    const outgoing = start(target, { ...options, agent });
    outgoing.once("response", resolve).on("error", reject);
    outgoing.once("socket", (socket) =>
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        connection.isOpen = true;
      }),
    );
    // An upgrade was not asked for.
    outgoing.once("upgrade", (_, socket) => socket.destroy());
    outgoing.once("close", () => reject(new Error("no answer")));
    outgoing.end(body);
  });
}

async function answerOf(answer: IncomingMessage, target: string): Promise<ForeignAnswer> {
  const { statusCode: status = 0, rawHeaders, headers } = answer;
  const bytes = await readBody(answer);
  if (bytes === "too large") {
    const most = `${mostBytes / 2 ** 20} MiB`;
    return failed(502, "target_too_large", `The answer of ${target} is larger than ${most}. ${whetherProcessed}`);
  }
  if (status < 200 || status > 599)
    return failed(502, "target_closed", `${target} answered with the status ${status}. ${whetherProcessed}`);
  const raw = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""]] : [],
  );
  // The server itself tells pages whether they may read the answer.
  const pairs = withoutNames(raw, ofConnection).filter(([name]) => !/^access-control-/i.test(name));
  const hasBody = ![204, 205, 304].includes(status) && bytes.byteLength > 0;
  const response = new Response(hasBody ? bytes : null, { status, headers: pairs });
  if (hasBody) response.headers.set("content-length", String(bytes.byteLength));
  return { response, text: textOf(bytes, headers), detail: `Forwarded to ${target}.` };
}

async function readBody(answer: AsyncIterable<Buffer>): Promise<Buffer<ArrayBuffer> | "too large"> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer) {
    length += part.byteLength;
    if (length > mostBytes) return "too large";
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The body for the request log: JSON, or a text. A target may encode its answer although it was asked not to. */
function textOf(bytes: Buffer, headers: IncomingHttpHeaders): string | undefined {
  if ((headers["content-encoding"] ?? "identity") !== "identity") return undefined;
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    if (!isDeeper(value, mostLevels)) return JSON.stringify(value);
  } catch {
    // No JSON, or in a form that is not read.
  }
  return headers["content-type"]?.startsWith("text/") ? bytes.toString() : undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The most levels of a body in the request log. What walks through more of them exceeds the stack. */
const mostLevels = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

const untrusted = /CERT|SIGNATURE|SIGNED|ERR_TLS|EPROTO|ERR_SSL/;

/** What to answer to a request without a whole answer. */
function unanswered(target: string, { code, message }: NodeJS.ErrnoException, wasOpen: boolean): ForeignAnswer {
  const reason = code ?? message;
  if (wasOpen) return failed(502, "target_closed", `${target} closed the connection (${reason}). ${whetherProcessed}`);
  const advice = untrusted.test(reason)
    ? "Its certificate is not trusted. Set NODE_EXTRA_CA_CERTS to the file with the certificate authority."
    : "Check the address of --fallback-url, and that the API runs there.";
  return failed(502, "target_unreachable", `${target} cannot be reached (${reason}). ${advice}`);
}

/** Answers in a form that no client can take for an answer of the API. */
function failed(status: number, code: string, message: string): ForeignAnswer {
  const text = JSON.stringify({ error: { code, message } });
  return {
    response: new Response(text, { status, headers: { "content-type": "application/json" } }),
    text,
    detail: message,
  };
}

/** Headers that belong to one connection (RFC 9110, 7.6.1). */
const ofConnection = [
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
];

/** Headers that are for this server, which also answers the browser's questions about origins, and reads the answer's body. */
const forThisServer = [
  ...["host", "content-length", "accept-encoding", "expect", "x-sandbox", "origin"],
  ...["sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "sec-fetch-user"],
];

/** The headers to send: those of the client, without its own connection's, and with credentials only if asked to. */
function sentHeaders(headers: RequestHeaders, credentials: boolean): [string, string][] {
  const isSecret = (name: string): boolean => redactedHeaders([[name, ""]])[name] === replacement;
  const kept = withoutNames([...headers], [...ofConnection, ...forThisServer]);
  return kept.filter(([name]) => credentials || !isSecret(name.toLowerCase()));
}

/** The pairs of names and values, without these names and those that a Connection header lists. */
function withoutNames(pairs: readonly [string, string][], names: readonly string[]): [string, string][] {
  const named = pairs.flatMap(([name, value]) => (name.toLowerCase() === "connection" ? value.split(",") : []));
  const dropped = new Set([...names, ...named.map((name) => name.trim().toLowerCase())]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase()));
}
