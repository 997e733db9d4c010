// Figures that need real connections.
import { setTimeout as delay } from "node:timers/promises";
import { CallTransfer, TimeoutError } from "@call-transfer/sdk";
import {
  answerOf,
  answers,
  type Behaviour,
  type FaultServer,
  faults,
  stallsAfter,
  startFaultServer,
} from "./fault-server.ts";
import type { Figure } from "./figure.ts";

const clientOf = (baseUrl: string, timeoutMs: number) =>
  new CallTransfer({ baseUrl, apiKey: "svc_live_resilience", timeoutMs, maxRetries: 0 });

/** Starts a server for the duration of a function. */
async function withServer<T>(behaviour: Behaviour, use: (server: FaultServer) => Promise<T>): Promise<T> {
  const server = await startFaultServer(behaviour);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

const timeoutMs = 250;
const allowedLatenessMs = 50;
const atOnce = 8;

/** Milliseconds between a plain timer of the same length and the timeout of a request whose response stalls. */
const latenessAfter = (cut: number, answer: Uint8Array): Promise<number> =>
  withServer(stallsAfter(cut, answer), async ({ url }) => {
    const request = clientOf(url, timeoutMs).roles.list().result();
    const timer = delay(timeoutMs).then(() => performance.now());
    const { error } = await request;
    const settled = performance.now();
    if (!(error instanceof TimeoutError)) throw new Error(`Expected a TimeoutError after ${cut} bytes, not ${error}`);
    return settled - (await timer);
  });

const chunked = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nd\r\n{"roles": []}\r\n0\r\n\r\n`,
);

export const stalls: Figure = {
  name: "responses that stall after every byte",
  target: `each request settles within ${allowedLatenessMs} ms after its timeout`,
  async measure() {
    const bodies = [
      answerOf(200, JSON.stringify({ roles: [] })),
      answerOf(500, JSON.stringify({ code: "internal_error" })),
      chunked,
    ];
    const cases = bodies.flatMap((answer) => Array.from({ length: answer.length }, (_, cut) => ({ cut, answer })));
    let latest = 0;
    for (let n = 0; n < cases.length; n += atOnce) {
      const batch = cases.slice(n, n + atOnce).map(({ cut, answer }) => latenessAfter(cut, answer));
      latest = Math.max(latest, ...(await Promise.all(batch)));
    }
    const figure = `${cases.length} positions, at most ${latest.toFixed(0)} ms after the timeout`;
    return { figure, ok: latest <= allowedLatenessMs };
  },
};

export const errorConnections: Figure = {
  name: "connections for 100 error responses in a row",
  target: "at most 2 for empty, short and almost 64 KiB large bodies",
  async measure() {
    const counts: number[] = [];
    for (const length of [0, 200, 64 * 1024 - 1]) {
      const opened = await withServer(answers(500, "x".repeat(length)), async (server) => {
        const client = clientOf(server.url, 5000);
        for (let n = 0; n < 100; n++) await client.roles.list().result();
        return server.connections;
      });
      counts.push(opened);
    }
    return { figure: counts.join(", "), ok: Math.max(...counts) <= 2 };
  },
};

export const lostAnswer: Figure = {
  name: "executions of a placement whose response is lost",
  target: "1 for each of 100 placements",
  measure: () =>
    withServer(faults.processedThenReset, async (server) => {
      const client = new CallTransfer({ baseUrl: server.url, apiKey: "svc_live_resilience" });
      const call = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550200001" };
      const executions: number[] = [];
      for (let n = 0; n < 100; n++) {
        const key = String(n);
        await client.calls.create(call, { headers: { "x-request-key": key } }).result();
        executions.push(server.executionsOf(key));
      }
      const [least, most] = [Math.min(...executions), Math.max(...executions)];
      return { figure: least === most ? `${most}` : `${least} to ${most}`, ok: least === 1 && most === 1 };
    }),
};

export const abortedBackoff: Figure = {
  name: "an abort during a backoff of a minute",
  target: "settles within 50 ms",
  async measure() {
    // The shortest of several readings, since other processes only make a reading longer.
    let ms = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 5; n += 1) ms = Math.min(ms, await abortedBackoffMs());
    return { figure: `${ms.toFixed(1)} ms`, ok: ms <= 50 };
  },
};

const abortedBackoffMs = (): Promise<number> =>
  withServer(answers(429, { code: "rate_limit_exceeded" }, { "retry-after": "60" }), async ({ url }) => {
    const controller = new AbortController();
    let aborted = 0;
    const onRetry = () => {
      setTimeout(() => {
        aborted = performance.now();
        controller.abort();
      }, 100);
    };
    const client = new CallTransfer({ baseUrl: url, apiKey: "svc_live_resilience", onRetry });
    await client.roles.list({ signal: controller.signal }).result();
    return performance.now() - aborted;
  });
