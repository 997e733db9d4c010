import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import {
  type AskElsewhere,
  type ForeignAnswer,
  type RequestHeaders,
  redactedHeaders,
  replacement,
} from "@call-transfer/backend/unstable";
import { answeredHeaders, pairsOf, sentHeaders } from "./headers.ts";
import { jsonContent, mostCheckedBytes } from "./json-content.ts";
import { sendOnce, TargetError, whetherProcessed } from "./send.ts";

/** Where to forward requests to, and how. */
export interface Forwarding {
  /** The base URL of the other server. */
  readonly target: URL;
  /** Whether headers with credentials are forwarded. */
  readonly credentials: boolean;
  /** Milliseconds that the head of an answer may take, and then its body. */
  readonly timeoutMs: number;
  /** Ends what is in flight. */
  readonly signal: AbortSignal;
}

/** Creates what forwards a request once to another server, and returns its answer. It keeps an answer of up to 8 MiB. */
export function createForward({ target, credentials, timeoutMs, signal }: Forwarding): AskElsewhere {
  const base = target.href.replace(/\/+$/, "");
  // A request that comes back has gone around in a circle, perhaps through another server.
  const own = `call-transfer-mock-${randomBytes(4).toString("hex")}`;
  return async ({ method, headers, bodyBytes: body }, { pathname, search }) => {
    if (headers.get("via")?.includes(own))
      return failed(508, "target_loops", `${base} sent the request back to this server. Check --unknown-to.`);
    const kept = [...sentHeaders(rawOf(headers, credentials), target.host, body, method), "Via", `1.1 ${own}`];
    const path = target.pathname.replace(/\/+$/, "") + pathname + search;
    const sending = { timeoutMs, signal, option: "--unknown-to" };
    try {
      const answer = await sendOnce(base, { method, path, headers: kept, body }, sending);
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
    const most = `${mostCheckedBytes / 2 ** 20} MiB`;
    return failed(502, "target_too_large", `The answer of ${target} is larger than ${most}. ${whetherProcessed}`);
  }
  if (bytes === "broken" || status < 200 || status > 599) {
    const what = bytes === "broken" ? "broke its answer off, or took too long" : `answered with the status ${status}`;
    return failed(502, "target_closed", `${target} ${what}. ${whetherProcessed}`);
  }
  // The server itself tells pages whether they may read the answer.
  const pairs = pairsOf(answeredHeaders(answer.rawHeaders, {})).filter(([name]) => !/^access-control-/i.test(name));
  const hasBody = ![204, 205, 304].includes(status) && bytes.byteLength > 0;
  const response = new Response(hasBody ? bytes : null, { status, headers: pairs.map(([...pair]) => pair) });
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
      if (length > mostCheckedBytes) return "too large";
      parts.push(part);
    }
    return answer.complete ? Buffer.concat(parts) : "broken";
  } catch {
    return "broken";
  } finally {
    clearTimeout(timer);
  }
}

/** The body for the journal: JSON, also if it is compressed, or a text. */
function textOf(bytes: Buffer, headers: IncomingMessage["headers"]): string | undefined {
  const { "content-encoding": encoding, "content-type": type = "" } = headers;
  const content = jsonContent(bytes, encoding);
  if ("value" in content) return JSON.stringify(content.value);
  return encoding === undefined && type.startsWith("text/") ? bytes.toString() : undefined;
}

/** Answers in the proxy's form, which no client can take for an answer of the API. */
function failed(status: number, code: string, message: string): ForeignAnswer {
  const text = JSON.stringify({ error: { code, message } });
  return {
    response: new Response(text, { status, headers: { "content-type": "application/json" } }),
    text,
    detail: message,
  };
}
