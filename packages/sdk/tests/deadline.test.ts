// Deadlines by timers that are late, as of a frozen Lambda or a closed laptop, or early.
import { expect, it } from "vitest";
import type { Clock } from "../src/options/options.ts";
import { clientOf, json } from "./test-server.ts";

const timeoutMs = 300;
const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const placed = { type: "initiated", callId: "c" };

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
