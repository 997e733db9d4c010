import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import {
  type AskElsewhere,
  clearTimeout,
  type ForeignAnswer,
  type RequestHeaders,
  redactedHeaders,
  replacement,
  setTimeout,
} from "@call-transfer/backend/unstable";
import { sendOnce, TargetError, whetherProcessed } from "./send-once.ts";

/** Where to forward requests to, and how. */
interface Forwarding {
  /** The base URL of the other server. */
  readonly target: URL;
  /** Whether headers with credentials are forwarded. */
  readonly credentials: boolean;
  /** Milliseconds that the head of an answer may take, and then its body. */
  readonly timeoutMs: number;
  /** Ends what is in flight. */
  readonly signal: AbortSignal;
}

/** The most bytes of an answer, also after decompression. */
const mostBytes = 8 * 2 ** 20;

/** Creates what forwards a request once to another server, and returns its answer. It keeps an answer of up to 8 MiB. */
export function createForward({ target, credentials, timeoutMs, signal }: Forwarding): AskElsewhere {
  const base = target.href.replace(/\/+$/, "");
  // A request that comes back has gone around in a circle, perhaps through another server.
  const own = `call-transfer-mock-${randomBytes(4).toString("hex")}`;
  return async ({ method, headers, bodyBytes: body }, { pathname, search }) => {
    if (headers.get("via")?.includes(own))
      return failed(508, "target_loops", `${base} sent the request back to this server. Check --fallback-url.`);
    const kept = [...sentHeaders(rawOf(headers, credentials), target.host, body, method), "Via", `1.1 ${own}`];
    const path = target.pathname.replace(/\/+$/, "") + pathname + search;
    try {
      const answer = await sendOnce(base, { method, path, headers: kept, body }, { timeoutMs, signal });
      return await answerOf(answer, base, timeoutMs);
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      return failed(error.status, error.code, error.message);
    }
  };
}

/** The headers to forward, names and values alternating. */
function rawOf(headers: RequestHeaders, credentials: boolean): string[] {
  const isSecret = (name: string): boolean => redactedHeaders([[name, ""]])[name] === replacement;
  return [...headers].filter(([name]) => credentials || !isSecret(name.toLowerCase())).flat();
}

async function answerOf(answer: IncomingMessage, target: string, timeoutMs: number): Promise<ForeignAnswer> {
  const { statusCode: status = 0, headers } = answer;
  const bytes = await bodyOf(answer, timeoutMs);
  if (bytes === "too large") {
    const most = `${mostBytes / 2 ** 20} MiB`;
    return failed(502, "target_too_large", `The answer of ${target} is larger than ${most}. ${whetherProcessed}`);
  }
  if (bytes === "broken" || status < 200 || status > 599) {
    const what = bytes === "broken" ? "broke its answer off, or took too long" : `answered with the status ${status}`;
    return failed(502, "target_closed", `${target} ${what}. ${whetherProcessed}`);
  }
  // The server itself tells pages whether they may read the answer.
  const pairs = withoutNames(answer.rawHeaders, ofConnection).filter(([name]) => !/^access-control-/i.test(name));
  const hasBody = ![204, 205, 304].includes(status) && bytes.byteLength > 0;
  const response = new Response(hasBody ? bytes : null, { status, headers: pairs });
  if (hasBody) response.headers.set("content-length", String(bytes.byteLength));
  return { response, text: textOf(bytes, headers), detail: `Forwarded to ${target}.` };
}

async function bodyOf(
  answer: IncomingMessage,
  timeoutMs: number,
): Promise<Buffer<ArrayBuffer> | "too large" | "broken"> {
  const parts: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => answer.destroy(), timeoutMs);
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      length += part.byteLength;
      if (length > mostBytes) return "too large";
      parts.push(part);
    }
    return answer.complete ? Buffer.concat(parts) : "broken";
  } catch {
    return "broken";
  } finally {
    clearTimeout(timer);
  }
}

/** The body for the request log: JSON, also if it is compressed, or a text. */
function textOf(bytes: Buffer, headers: IncomingMessage["headers"]): string | undefined {
  const { "content-encoding": encoding, "content-type": type = "" } = headers;
  try {
    const value: unknown = JSON.parse(utf8.decode(decompressed(bytes, encoding)));
    if (!isDeeper(value, mostLevels)) return JSON.stringify(value);
  } catch {
    // No JSON, or in a form that is not read.
  }
  return encoding === undefined && type.startsWith("text/") ? bytes.toString() : undefined;
}

/** The most levels of a body in the request log. What walks through more of them exceeds the stack. */
const mostLevels = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const limit = { maxOutputLength: mostBytes };
const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, limit),
  "x-gzip": (bytes) => gunzipSync(bytes, limit),
  deflate: (bytes) => inflateSync(bytes, limit),
  br: (bytes) => brotliDecompressSync(bytes, limit),
};

/** Decompresses a body. Throws for an encoding that is not known, and for bytes that do not have it. */
function decompressed(bytes: Uint8Array, encoding = "identity"): Uint8Array {
  // The encoding that was applied last stands last.
  const names = encoding
    .toLowerCase()
    .split(/\s*,\s*/)
    .filter(Boolean)
    .toReversed();
  return names.reduce((plain, name) => {
    const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    if (decode === undefined) throw new TypeError(`The content encoding ${name} is not known.`);
    return decode(plain);
  }, bytes);
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

/** Headers that are for this server, which also answers the browser's questions about origins. */
const forThisServer = [
  ...["host", "content-length", "expect", "x-sandbox", "origin"],
  ...["sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "sec-fetch-user"],
];

/** The headers to send: those of the client, without its own connection's, for another host. */
function sentHeaders(raw: readonly string[], host: string, body: Uint8Array | undefined, method: string): string[] {
  const kept = withoutNames(raw, [...ofConnection, ...forThisServer]).flat();
  // Without a length, Node would send an absent body in chunks.
  const hasLength = body !== undefined || !["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"].includes(method);
  return ["Host", host, ...kept, ...(hasLength ? ["Content-Length", String(body?.byteLength ?? 0)] : [])];
}

/** The pairs of a list of names and values, without these names and those that a Connection header lists. */
function withoutNames(raw: readonly string[], names: readonly string[]): [string, string][] {
  const pairs = raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ""]] : [],
  );
  const named = pairs.flatMap(([name, value]) => (name.toLowerCase() === "connection" ? value.split(",") : []));
  const dropped = new Set([...names, ...named.map((name) => name.trim().toLowerCase())]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase()));
}
