// Answers that do not come from the backend: those of proxies, and of a platform in trouble.
import { type ErrorCode, errorCodes } from "@call-transfer/spec";
import type { FaultName } from "./faults.ts";
import type { Random } from "./random.ts";

/** An answer, with the wait that a client must honour for it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Seconds that it asks to wait; undefined where it asks nothing that counts. */
  readonly hintSecs?: number | undefined;
}

const codesOf = (accepts: (code: ErrorCode) => boolean): readonly ErrorCode[] =>
  (Object.keys(errorCodes) as ErrorCode[]).filter(accepts);
const tooMany = codesOf((code) => errorCodes[code].status === 429);
const unavailable = codesOf((code) => errorCodes[code].status === 503);
const effectFree = unavailable.filter((code) => errorCodes[code].effectFree);
const withEffect = unavailable.filter((code) => !errorCodes[code].effectFree);

/** `meta.retryAfterSecs` or a header `Retry-After`, and the seconds of it that count. */
interface Hint {
  readonly meta?: unknown;
  readonly retryAfter?: string;
  readonly hintSecs: number | undefined;
}

const honoured: readonly Hint[] = [
  { meta: { retryAfterSecs: 0 }, hintSecs: 0 },
  { meta: { retryAfterSecs: 0.25 }, hintSecs: 0.25 },
  { meta: { retryAfterSecs: 3 }, hintSecs: 3 },
  { meta: { retryAfterSecs: 20 }, retryAfter: "1", hintSecs: 20 },
  { meta: { retryAfterSecs: 60 }, hintSecs: 60 },
];

const hostile: readonly Hint[] = [
  { meta: { retryAfterSecs: -5 }, hintSecs: undefined },
  { meta: { retryAfterSecs: "30" }, hintSecs: undefined },
  { meta: { retryAfterSecs: null }, retryAfter: "4", hintSecs: 4 },
  { meta: { retryAfterSecs: { seconds: 1 } }, hintSecs: undefined },
  { meta: { retryAfterSecs: -1 }, retryAfter: "-3", hintSecs: undefined },
  { meta: { retryAfterSecs: 61 }, hintSecs: 61 },
  { meta: { retryAfterSecs: 2 ** 31 }, hintSecs: 2 ** 31 },
  { meta: { retryAfterSecs: 1e308 }, hintSecs: 1e308 },
  { meta: "soon", retryAfter: "1e3", hintSecs: undefined },
  { meta: [], retryAfter: "2.5", hintSecs: undefined },
  { meta: null, retryAfter: "0x10", hintSecs: undefined },
  { retryAfter: "99999999999999999999", hintSecs: 1e20 },
  { retryAfter: "tomorrow", hintSecs: undefined },
  { retryAfter: "2026-03-02T12:00:05Z", hintSecs: undefined },
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
  const { meta, retryAfter, hintSecs } = hint;
  const body = { code, status, title, detail, ...(meta === undefined ? {} : { meta }) };
  const headers = { ...json, ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) };
  return { status, headers, text: JSON.stringify(body), hintSecs };
}

const none: Hint = { hintSecs: undefined };
const noneOr = (random: Random): Hint => (random.chance(0.3) ? random.pick(honoured) : none);

/** A `Retry-After` date, which counts from the answer's own `Date`. */
function dated(now: number, random: Random): Answer {
  const secs = random.below(40);
  const start = Math.floor(now / 1000) * 1000;
  const headers = { date: new Date(start).toUTCString(), "retry-after": new Date(start + secs * 1000).toUTCString() };
  return { ...page(429, ""), headers: { ...html, ...headers }, hintSecs: secs };
}

/**
 * The answer that a fault puts in the backend's place.
 *
 * @param echo What it repeats of the request: a credential, when a proxy shows all headers.
 */
export function madeAnswer(fault: FaultName, now: number, echo: string, random: Random): Answer {
  switch (fault) {
    case "status_408":
      return random.chance(0.5) ? page(408, echo) : { status: 408, headers: {}, text: "" };
    case "status_429_with_meta":
      return random.chance(0.2) ? dated(now, random) : apiError(429, random.pick(tooMany), random.pick(honoured), echo);
    case "status_429_without_meta":
      return random.chance(0.5) ? page(429, echo) : apiError(429, random.pick(tooMany), none, echo);
    case "status_429_hostile_meta":
      return apiError(429, random.pick(tooMany), random.pick(hostile), echo);
    case "status_500_after_apply":
      return apiError(500, "internal_error", noneOr(random), echo);
    case "effect_free_503":
      return apiError(503, random.pick(effectFree), noneOr(random), echo);
    case "proxy_503":
      return random.chance(0.5) ? page(503, echo) : apiError(503, random.pick(withEffect), noneOr(random), echo);
    case "cross_origin_redirect": {
      const location = "https://elsewhere.example.net/collect";
      return { ...page(random.pick([301, 302, 303, 307, 308]), echo), headers: { ...html, location } };
    }
    default:
      return page(random.pick([502, 504]), echo);
  }
}

/** What fetch throws, as Node tells it. */
export function failureOf(fault: FaultName, echo: string, random: Random): TypeError {
  const coded = (code: string) => Object.assign(new Error(`${code} ${echo}`), { code });
  const failed = (cause: Error) => new TypeError("fetch failed", { cause });
  switch (fault) {
    case "refused": {
      const both = new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")]);
      return failed(random.chance(0.3) ? both : coded("ECONNREFUSED"));
    }
    case "dns":
      return failed(coded(random.pick(["ENOTFOUND", "EAI_AGAIN"])));
    case "reset_before_send": {
      const mixed = new AggregateError([coded("ECONNREFUSED"), coded("ECONNRESET")]);
      return failed(random.chance(0.3) ? mixed : coded("ECONNRESET"));
    }
    case "reset_mid_request":
      return failed(coded(random.pick(["EPIPE", "UND_ERR_SOCKET"])));
    default:
      return failed(coded(random.pick(["ECONNRESET", "UND_ERR_SOCKET"])));
  }
}

/** Seconds that a `Retry-After` header asks for, in digits or as a date that counts from the answer's own. */
export function headerHint(headers: Headers): number | undefined {
  const asked = headers.get("retry-after");
  if (asked === null || /^\d+$/.test(asked)) return asked === null ? undefined : Number(asked);
  if (!asked.endsWith(" GMT")) return undefined;
  return (Date.parse(asked) - Date.parse(headers.get("date") ?? "")) / 1000;
}

/** The code of an error body; undefined where the body is none. */
export function codeOf(status: number, text: string): string | undefined {
  if (status < 400 || !text.startsWith("{")) return undefined;
  const { code }: { code?: unknown } = JSON.parse(text);
  return typeof code === "string" ? code : undefined;
}
