// Deadlines of a process that was suspended, such as a frozen Lambda or a closed laptop: it runs timers before it reads sockets.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Clock } from "../src/options/options.ts";
import { clientOf, json } from "./test-server.ts";

const count = 8;
const timeoutMs = 300;
const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const placed = { type: "initiated", callId: "c" };

/**
 * Places calls at once and prints how each ended. At a line, it starts the timers of the requests, which are all under way by
 * then, and suspends itself in the same turn.
 */
const program = (port: number) => `
import { writeSync } from "node:fs";
import { CallTransfer } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
const timers = new Set();
const clock = {
  now: Date.now,
  monotonicNow: () => performance.now(),
  setTimeout(run, ms) {
    const timer = { start: () => { timer.id = setTimeout(run, ms); } };
    if (timers.size < ${count}) timers.add(timer);
    // What is left for the answers. A busy machine needs longer than 50 ms to read them.
    else timer.id = setTimeout(run, ms * 1000);
    return timer;
  },
  clearTimeout: ({ id }) => clearTimeout(id),
};
process.stdin.once("data", () => {
  for (const { start } of timers) start();
  writeSync(1, "suspended\\n");
  process.kill(process.pid, "SIGSTOP");
});
const client = new CallTransfer({ baseUrl: "http://127.0.0.1:${port}", apiKey: "svc_live_suspended", timeoutMs: ${timeoutMs}, clock });
const place = () => client.calls.create(${JSON.stringify(placement)}).result();
const results = await Promise.all(Array.from({ length: ${count} }, place));
writeSync(1, JSON.stringify(results.map(({ data, error }) => data?.callId ?? error.name)));
process.exit();
`;

it("a process that was suspended keeps the answers that arrived meanwhile", async () => {
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    if (waiting.push(response) === count) server.emit("all");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program(port)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let timer: ReturnType<typeof setInterval> | undefined;
  try {
    await once(server, "all");
    child.stdin.write("\n");
    const [line] = await once(child.stdout, "data");
    expect(String(line)).toBe("suspended\n");
    for (const response of waiting) {
      response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(placed));
    }
    // Each timer is late by at least the rest. The child may stop a moment after it says so, so one signal may come too early.
    await sleep(timeoutMs + 500);
    timer = setInterval(() => child.kill("SIGCONT"), 100);
    expect(JSON.parse(await text(child.stdout))).toEqual(Array.from({ length: count }, () => placed.callId));
  } finally {
    clearInterval(timer);
    child.kill("SIGKILL");
    server.close();
    server.closeAllConnections();
  }
});

/** A clock that stands still until a timer runs, and the timers in the order of their start. */
function manualClock() {
  let time = 0;
  const timers: { run: () => void; delayMs: number }[] = [];
  const clock: Clock = {
    now: () => time,
    setTimeout: (run, delayMs) => timers.push({ run, delayMs }),
    clearTimeout: () => {},
  };
  /** Runs the next timer, late by some milliseconds. Returns its delay. */
  const runNext = (byMs: number): number | undefined => {
    const timer = timers.shift();
    time += (timer?.delayMs ?? 0) + byMs;
    timer?.run();
    return timer?.delayMs;
  };
  return { clock, runNext };
}

/** A request whose answer arrives when `answer` is called, and how it ended. */
function requestWith(clock: Clock) {
  let answer = () => {};
  const arrival = new Promise<Response>((resolve) => {
    answer = () => resolve(json(201, placed));
  });
  const { client } = clientOf([() => arrival], { clock, timeoutMs });
  return { answer, ended: client.calls.create(placement).result() };
}

const untilSent = () => new Promise<void>((resolve) => setImmediate(resolve));

it("a timer that is more than 100 ms late leaves 50 ms for the answer", async () => {
  const { clock, runNext } = manualClock();
  const { answer, ended } = requestWith(clock);
  await untilSent();
  expect(runNext(101)).toBe(timeoutMs);
  answer();
  expect(await ended).toMatchObject({ ok: true, data: placed });
});

it("a late timer ends the request if no answer arrives in those 50 ms", async () => {
  const { clock, runNext } = manualClock();
  const { ended } = requestWith(clock);
  await untilSent();
  expect([runNext(3_600_000), runNext(3_600_000), runNext(0)]).toEqual([timeoutMs, 50, undefined]);
  expect(await ended).toMatchObject({ error: { name: "OutcomeUnknownError", cause: { name: "TimeoutError" } } });
});

it("a timer that is up to 100 ms late ends the request at once", async () => {
  const { clock, runNext } = manualClock();
  const { answer, ended } = requestWith(clock);
  await untilSent();
  runNext(100);
  answer();
  expect(await ended).toMatchObject({ error: { name: "OutcomeUnknownError" } });
});

it.each([1, 1.5, 2])("a timer that is %s ms early does not end the request before its time", async (earlyMs) => {
  const { clock, runNext } = manualClock();
  const { answer, ended } = requestWith(clock);
  await untilSent();
  expect(runNext(-earlyMs)).toBe(timeoutMs);
  answer();
  expect(await ended).toMatchObject({ ok: true, data: placed });
  const { ended: unanswered } = requestWith(clock);
  await untilSent();
  const from = clock.now();
  runNext(-earlyMs);
  runNext(-earlyMs);
  expect(await unanswered).toMatchObject({ error: { name: "OutcomeUnknownError" } });
  expect(clock.now() - from).toBeGreaterThanOrEqual(timeoutMs);
});

it("a retry is not sent before its hint, although timers are 2 ms early", async () => {
  const { clock, runNext } = manualClock();
  const busy = new Response("busy", { status: 503, headers: { "retry-after": "7" } });
  const times: number[] = [];
  const responses = [busy, json(200, { data: [] })].map((response) => () => {
    times.push(clock.now());
    return response;
  });
  const { client } = clientOf(responses, { clock, timeoutMs, random: () => 0 });
  const ended = client.roles.list().result();
  await untilSent();
  // The timer of the first attempt was cleared.
  const delays = [runNext(-timeoutMs), runNext(-2), runNext(-2)];
  expect(await ended).toMatchObject({ ok: true });
  expect(delays).toEqual([timeoutMs, 7001, 4]);
  expect(times.map((time) => time >= 7000)).toEqual([false, true]);
});

it("a timer of a clock that stands still ends the request", async () => {
  const { clock, runNext } = manualClock();
  const { ended } = requestWith({ ...clock, now: () => 0 });
  await untilSent();
  runNext(0);
  expect(await ended).toMatchObject({ error: { name: "OutcomeUnknownError" } });
});

it("a late timer ends the request although the clock fails by then", async () => {
  const { clock, runNext } = manualClock();
  let fails = false;
  const now = () => {
    if (fails) throw new Error("no time");
    return clock.now();
  };
  const { client } = clientOf([() => new Promise<Response>(() => {})], {
    clock: { ...clock, now: () => 0, monotonicNow: now },
    timeoutMs,
    maxRetries: 0,
  });
  const ended = client.roles.list().result();
  await untilSent();
  fails = true;
  runNext(500);
  expect(await ended).toMatchObject({ error: { name: "TimeoutError" } });
});
