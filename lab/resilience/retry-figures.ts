// Figures of retries, budget and signals, with a fetch that responds at once.
import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { CallTransfer, type Clock } from "@call-transfer/sdk";
import type { Figure } from "./figure.ts";

const apiKey = "svc_live_resilience";
const baseUrl = "https://api.example.com";
const start = Date.parse("2026-03-02T12:00:00Z");

const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

/** A wait that the server asks for, in a header, in the body, or in both. */
interface Hint {
  readonly header?: string;
  readonly meta?: unknown;
  /** Seconds to wait; undefined if the value is invalid. */
  readonly secs: number | undefined;
}

function hints(): Hint[] {
  const digits = Array.from({ length: 200 }, (_, secs) => ({ header: String(secs), secs }));
  const dates = Array.from({ length: 150 }, (_, index) => {
    const secs = index - 30;
    return { header: new Date(start + secs * 1000).toUTCString(), secs: Math.max(0, secs) };
  });
  const metas = Array.from({ length: 150 }, (_, index) => ({ meta: index / 2, secs: index / 2 }));
  const both = Array.from({ length: 20 }, (_, secs) => ({ meta: secs, header: "10", secs: Math.max(secs, 10) }));
  const spellings = Array.from({ length: 20 }, (_, secs) => {
    const [name, day, month, year, time] = new Date(start + secs * 1000).toUTCString().split(" ");
    return [
      { header: `00${secs}`, secs },
      { header: `+${secs}`, secs },
      { header: `${secs}.5`, secs: secs + 0.5 },
      { header: `1, ${secs}`, secs: Math.max(1, secs) },
      { header: `${name} ${day}-${month}-26 ${time} GMT`.toLowerCase(), secs },
      { header: `Mon ${month} ${day} ${time} ${year}`, secs },
      { header: new Date(start + secs * 1000).toISOString(), secs },
      { meta: String(secs), secs },
    ];
  });
  const large = [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
  const unreadableHeaders = ["", "-1", "1:5", "soon", "5s", "NaN", "12:00:30", "Mon, 02 Mar 2026"];
  return [
    ...digits,
    ...dates,
    ...metas,
    ...both,
    ...spellings.flat(),
    ...large.flatMap((secs) => [
      { header: String(secs), secs },
      { meta: secs, secs },
    ]),
    ...unreadableHeaders.map((header) => ({ header, secs: undefined })),
    ...[-1, "soon", null, {}, [], true].map((meta) => ({ meta, secs: undefined })),
    { header: "9".repeat(400), secs: Number.POSITIVE_INFINITY },
    { header: "1e3", secs: 1000 },
  ];
}

const jitters = [0, 0.5, 0.999];

/** Milliseconds between a 429 with this hint and the retry; undefined without a retry. */
async function waitAfter(hint: Hint, jitter: number): Promise<number | undefined> {
  let announced: number | undefined;
  let waited: number | undefined;
  const clock: Clock = {
    now: () => start,
    setTimeout(callback, delayMs) {
      if (announced === undefined) return undefined;
      waited = delayMs;
      return setImmediate(callback);
    },
    clearTimeout: () => {},
  };
  const answers = [
    answer(429, { code: "rate_limit_exceeded", meta: { retryAfterSecs: hint.meta } }, headersOf(hint)),
    answer(200, { roles: [] }),
  ];
  const client = new CallTransfer({
    baseUrl,
    apiKey,
    clock,
    random: () => jitter,
    fetch: async () => answers.shift() ?? answer(500, {}),
    onRetry: ({ attempt }) => {
      announced = attempt.delayMs;
    },
  });
  await client.roles.list().result();
  return waited;
}

const headersOf = ({ header }: Hint): Record<string, string> => (header === undefined ? {} : { "retry-after": header });

export const retryAfter: Figure = {
  name: "Retry-After values and hints in bodies",
  target: "500 or more values; no wait is shorter than the backoff or a valid hint; no hint above 60 s is followed",
  async measure() {
    const all = hints();
    const longestMs = 60_000;
    let broken = 0;
    for (const hint of all) {
      for (const jitter of jitters) {
        const waited = await waitAfter(hint, jitter);
        const hintMs = (hint.secs ?? 0) * 1000;
        const isRight =
          hintMs > longestMs
            ? waited === undefined
            : waited !== undefined && waited >= Math.max(500 * (0.5 + jitter / 2), hintMs);
        if (!isRight) broken += 1;
      }
    }
    return { figure: `${all.length} values, ${broken} wrong waits`, ok: all.length >= 500 && broken === 0 };
  },
};

export const budget: Figure = {
  name: "load during a long outage",
  target: "at most 1.1 times the load of first attempts alone",
  async measure() {
    const requests = 10_000;
    let sent = 0;
    const clock: Clock = {
      now: () => start,
      setTimeout: (callback, delayMs) => (delayMs < 10_000 ? setImmediate(callback) : undefined),
      clearTimeout: () => {},
    };
    const fetch = async () => {
      sent += 1;
      return answer(503, { code: "service_unavailable" });
    };
    const client = new CallTransfer({ baseUrl, apiKey, fetch, clock });
    for (let n = 0; n < requests; n++) await client.roles.list().result();
    const load = sent / requests;
    return { figure: `${load.toFixed(3)} times over ${requests.toLocaleString("en")} requests`, ok: load <= 1.1 };
  },
};

setFlagsFromString("--expose-gc");
// Created once, since every context uses memory.
const collect = runInNewContext("gc") as () => void;

/** The used heap after full collections, in bytes. Objects with finalizers need more than one collection. */
async function heapUsed(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    collect();
    await delay(50);
  }
  return process.memoryUsage().heapUsed;
}

export const oneSignal: Figure = {
  name: "100,000 calls on one signal",
  target: "0 listeners left, less than 2 MB of heap growth",
  async measure() {
    const { signal } = new AbortController();
    const client = new CallTransfer({ baseUrl, apiKey, fetch: async () => answer(200, { roles: [] }) });
    const call = async (times: number) => {
      for (let n = 0; n < times; n++) await client.roles.list({ signal });
    };
    // Only the last round counts. The earlier ones remove garbage of the start.
    let grownMb = 0;
    for (let round = 1; round <= 4; round++) {
      const before = await heapUsed();
      await call(100_000);
      grownMb = ((await heapUsed()) - before) / 1e6;
    }
    const listeners = getEventListeners(signal, "abort").length;
    return { figure: `${listeners} listeners, ${grownMb.toFixed(2)} MB`, ok: listeners === 0 && grownMb < 2 };
  },
};
