// Responses of proxies and of a failing platform, and the bodies of all responses.
import { type ErrorCode, errorCodes } from "@call-transfer/spec";
import type { FaultName } from "./faults.ts";
import type { Random } from "./scheduler.ts";

/** A response, with the wait that it asks the client for. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Seconds to wait according to body and header. Undefined if neither has a valid value. */
  readonly hintSecs?: number | undefined;
  /** Seconds to wait according to the header. */
  readonly headerSecs?: number | undefined;
}

const codesOf = (accepts: (code: ErrorCode) => boolean): readonly ErrorCode[] =>
  (Object.keys(errorCodes) as ErrorCode[]).filter(accepts);
const tooMany = codesOf((code) => errorCodes[code].status === 429);
const unavailable = codesOf((code) => errorCodes[code].status === 503);
const noEffect = unavailable.filter((code) => errorCodes[code].noEffect);
const withEffect = unavailable.filter((code) => !errorCodes[code].noEffect);

/** `meta.retryAfterSecs`, a `Retry-After` header, and the seconds in each if it is valid. */
interface Hint {
  readonly meta?: unknown;
  readonly metaSecs?: number;
  readonly retryAfter?: string;
  readonly headerSecs?: number;
}

const valid: readonly Hint[] = [
  { meta: { retryAfterSecs: 0 }, metaSecs: 0 },
  { meta: { retryAfterSecs: 0.25 }, metaSecs: 0.25 },
  { meta: { retryAfterSecs: 3 }, metaSecs: 3 },
  { meta: { retryAfterSecs: 20 }, metaSecs: 20, retryAfter: "1", headerSecs: 1 },
  { meta: { retryAfterSecs: 1 }, metaSecs: 1, retryAfter: "20", headerSecs: 20 },
  { meta: { retryAfterSecs: 0 }, metaSecs: 0, retryAfter: "7", headerSecs: 7 },
  { meta: { retryAfterSecs: 60 }, metaSecs: 60 },
  { retryAfter: "2, 9", headerSecs: 9 },
  { retryAfter: "+8.5", headerSecs: 8.5 },
];

const hostile: readonly Hint[] = [
  { meta: { retryAfterSecs: -5 } },
  { meta: { retryAfterSecs: "30" }, metaSecs: 30 },
  { meta: { retryAfterSecs: null }, retryAfter: "4", headerSecs: 4 },
  { meta: { retryAfterSecs: { seconds: 1 } } },
  { meta: { retryAfterSecs: -1 }, retryAfter: "-3" },
  { meta: { retryAfterSecs: 61 }, metaSecs: 61 },
  { meta: { retryAfterSecs: 2 ** 31 }, metaSecs: 2 ** 31 },
  { meta: { retryAfterSecs: 1e308 }, metaSecs: 1e308 },
  { meta: "soon", retryAfter: "5s" },
  { meta: [], retryAfter: "2.5", headerSecs: 2.5 },
  { meta: null, retryAfter: "," },
  { retryAfter: "99999999999999999999", headerSecs: 1e20 },
  { retryAfter: "tomorrow" },
  { retryAfter: "Mon, 02 Mar 2026" },
];

const html = { "content-type": "text/html; charset=utf-8" };
const json = { "content-type": "application/json" };

const page = (status: number, echo: string): Answer => ({
  status,
  headers: html,
  text: `<html><body><h1>${status}</h1><pre>${echo}</pre></body></html>`,
});

function apiError(status: number, code: ErrorCode, hint: Hint, echo: string): Answer {
  const { title, meaning } = errorCodes[code];
  const detail = echo === "" ? meaning : `${meaning} (${echo})`;
  const { meta, metaSecs, retryAfter, headerSecs } = hint;
  const hintSecs = metaSecs === undefined ? headerSecs : Math.max(metaSecs, headerSecs ?? 0);
  const body = { code, status, title, detail, ...(meta === undefined ? {} : { meta }) };
  const headers = { ...json, ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) };
  return { status, headers, text: JSON.stringify(body), hintSecs, headerSecs };
}

const sometimesHint = (random: Random): Hint => (random.chance(0.3) ? random.pick(valid) : {});

/** A response with a `Retry-After` date, which is relative to the `Date` of the response. */
function dated(now: number, random: Random): Answer {
  const secs = random.below(40);
  const start = Math.floor(now / 1000) * 1000;
  const [name, day, month, year, time] = new Date(start + secs * 1000).toUTCString().split(" ");
  const forms = [`${name} ${day} ${month} ${year} ${time} GMT`, `${name} ${day}-${month}-26 ${time} GMT`];
  const asctime = `${name?.slice(0, 3)} ${month} ${day} ${time} ${year}`;
  const headers = { date: new Date(start).toUTCString(), "retry-after": random.pick([...forms, asctime]) };
  return { ...page(429, ""), headers: { ...html, ...headers }, hintSecs: secs, headerSecs: secs };
}

/** The response that a fault sends instead of the backend. It repeats `echo`, for example the request's credential. */
export function madeAnswer(fault: FaultName, now: number, echo: string, random: Random): Answer {
  switch (fault) {
    case "status_408":
      return random.chance(0.5) ? page(408, echo) : { status: 408, headers: {}, text: "" };
    case "status_429_with_meta":
      return random.chance(0.2) ? dated(now, random) : apiError(429, random.pick(tooMany), random.pick(valid), echo);
    case "status_429_without_meta":
      return random.chance(0.5) ? page(429, echo) : apiError(429, random.pick(tooMany), {}, echo);
    case "status_429_hostile_meta":
      return apiError(429, random.pick(tooMany), random.pick(hostile), echo);
    case "status_500_after_apply":
      // A gateway may send an effect-free code with its own status. That does not prove that nothing happened.
      return random.chance(0.5)
        ? apiError(500, "internal_error", sometimesHint(random), echo)
        : apiError(random.pick([500, 502, 504]), random.pick(noEffect), sometimesHint(random), echo);
    case "effect_free_503":
      return apiError(503, random.pick(noEffect), sometimesHint(random), echo);
    case "proxy_503":
      return random.chance(0.5) ? page(503, echo) : apiError(503, random.pick(withEffect), sometimesHint(random), echo);
    case "cross_origin_redirect": {
      const location = "https://elsewhere.example.net/collect";
      return { ...page(random.pick([301, 302, 303, 307, 308]), echo), headers: { ...html, location } };
    }
    default:
      return page(random.pick([502, 504]), echo);
  }
}

/** The error that fetch throws. Node includes a system call and a cause, Bun neither. */
export function failureOf(fault: FaultName, echo: string, random: Random): Error {
  const coded = (code: string, syscall?: string) =>
    Object.assign(new Error(`${syscall ?? ""} ${code} ${echo}`), { code }, syscall !== undefined && { syscall });
  const failed = (cause: Error) => new TypeError("fetch failed", { cause });
  const refused = coded("ECONNREFUSED", "connect");
  const reset = coded("ECONNRESET", "read");
  switch (fault) {
    case "refused": {
      const unreachable = coded(random.pick(["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]), "connect");
      const both = new AggregateError([refused, unreachable]);
      return random.pick([failed(refused), failed(unreachable), failed(both), coded("ECONNREFUSED")]);
    }
    case "dns": {
      const unresolved = coded(random.pick(["ENOTFOUND", "EAI_AGAIN"]), "getaddrinfo");
      const expired = coded("CERT_HAS_EXPIRED");
      return random.pick([failed(unresolved), unresolved, failed(expired)]);
    }
    case "reset_before_send":
      return failed(random.chance(0.3) ? new AggregateError([refused, reset]) : reset);
    case "reset_mid_request":
      return failed(random.pick([coded("EPIPE", "write"), coded("UND_ERR_SOCKET")]));
    default:
      return random.pick([
        ...[failed(reset), failed(coded("UND_ERR_SOCKET")), failed(coded("ETIMEDOUT", "read"))],
        ...[failed(coded("ECONNREFUSED", "read")), failed(coded("EHOSTUNREACH", "read"))],
        ...[coded("ECONNRESET"), coded("ConnectionRefused"), coded("ETIMEDOUT")],
      ]);
  }
}

/** The code of an error body; undefined for other bodies. */
export function codeOf(status: number, text: string): string | undefined {
  if (status < 400 || !text.startsWith("{")) return undefined;
  const { code }: { code?: unknown } = JSON.parse(text);
  return typeof code === "string" ? code : undefined;
}

/** How the body of a response arrives. */
export interface BodyPlan {
  readonly chunks: readonly string[];
  /** What follows the last chunk: the end of the body, a lost connection, or nothing. */
  readonly finish: "close" | "break" | "stall";
  /** The error of a lost connection. */
  failure(): Error;
  /** Runs a task later, unless the exchange has ended by then. */
  after(task: () => void): void;
  /** Called before each chunk. */
  onChunk(): void;
  /** Called once: the body was complete, the connection was lost, or the reader cancelled. */
  onEnd(how: "closed" | "broken" | "cancelled"): void;
}

const encoder = new TextEncoder();

/** Creates a response whose body is one chunk. It is not a real `Response`, whose stream would double the time of a run. */
export function wholeAnswer(text: string, status: number, headers: HeadersInit) {
  let [isRead, isOver] = [false, text === ""];
  const end = async (): Promise<void> => {
    isOver = true;
  };
  const read = async (): Promise<ReadableStreamReadResult<Uint8Array>> => {
    if (isRead || isOver) {
      isOver = true;
      return { done: true, value: undefined };
    }
    isRead = true;
    return { done: false, value: encoder.encode(text) };
  };
  const body = text === "" ? null : { getReader: () => ({ read, cancel: end }), cancel: end };
  const response = { status, ok: status >= 200 && status < 300, headers: new Headers(headers), body };
  return { response: response as unknown as Response, isOpen: () => !isOver };
}

/** Opens a body that arrives in several chunks. */
export function openBody(plan: BodyPlan) {
  let over = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const end = (how: "closed" | "broken" | "cancelled"): void => {
    over = true;
    plan.onEnd(how);
  };
  const step = (index: number): void => {
    if (over) return;
    const chunk = plan.chunks[index];
    if (chunk !== undefined) {
      plan.onChunk();
      controller?.enqueue(encoder.encode(chunk));
      plan.after(() => step(index + 1));
    } else if (plan.finish === "close") {
      end("closed");
      controller?.close();
    } else if (plan.finish === "break") {
      end("broken");
      controller?.error(plan.failure());
    }
  };
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      plan.after(() => step(0));
    },
    cancel() {
      if (!over) end("cancelled");
    },
  });
  return {
    stream,
    /** Whether the client must still read or cancel it. */
    isOpen: () => !over,
    /** Ends the connection with an error. */
    breakOff(error: unknown): void {
      if (over) return;
      over = true;
      controller?.error(error);
    },
  };
}
