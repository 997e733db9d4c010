import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AlarmClock, graceMs } from "../../src/worker/alarm-clock.ts";

const hourMs = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A clock with the alarms that were set, and the names of the tasks that have run. */
function createClock(expiresAt?: number) {
  const [alarms, ran]: [number[], string[]] = [[], []];
  const clock = new AlarmClock({ setAlarm: async (at) => void alarms.push(at) }, () => expiresAt);
  clock.start();
  const after = (name: string, ms: number, isIdle = false) => clock.after(ms, () => void ran.push(name), isIdle);
  return { clock, after, alarms, ran };
}

it("waits up to a second in memory, with an alarm for the case that the object crashes", () => {
  const { after, alarms, ran } = createClock();
  after("second", 1000);
  after("first", 10);
  expect(alarms).toEqual([graceMs]);
  vi.advanceTimersByTime(10);
  expect(ran).toEqual(["first"]);
  vi.advanceTimersByTime(990);
  expect(ran).toEqual(["first", "second"]);
});

it.each([10, 22.5, 1000])("waits the whole of %s ms where timers drop fractions and fire 2 ms early", (ms) => {
  const { setTimeout } = globalThis;
  vi.stubGlobal("setTimeout", (task: () => void, wait: number) => setTimeout(task, Math.max(0, Math.trunc(wait) - 2)));
  const { clock } = createClock();
  let ranAt = 0;
  clock.after(ms, () => {
    ranAt = clock.now();
  });
  vi.advanceTimersByTime(ms + 10);
  expect(ranAt).toBeGreaterThanOrEqual(ms);
});

it("waits longer through the alarm alone, so that the object can leave memory", () => {
  const { clock, after, alarms, ran } = createClock();
  after("later", 60_000);
  expect([alarms, vi.getTimerCount()]).toEqual([[60_000], 0]);
  vi.setSystemTime(60_000);
  clock.ring();
  expect(ran).toEqual(["later"]);
});

it("sets the alarm for the soonest wait, and moves it only forward", () => {
  const { clock, after, alarms, ran } = createClock();
  after("late", 60_000);
  after("later", 90_000);
  after("early", 30_000);
  expect(alarms).toEqual([60_000, 30_000]);
  vi.setSystemTime(30_000);
  clock.ring();
  expect([ran, alarms]).toEqual([["early"], [60_000, 30_000, 60_000]]);
});

it("runs what is due in the order of time, also when the alarm is late", () => {
  const { clock, after, ran } = createClock();
  after("third", 9000);
  after("first", 5000);
  after("second", 7000);
  vi.setSystemTime(20_000);
  clock.ring();
  expect(ran).toEqual(["first", "second", "third"]);
});

it("runs what an alarm was a little too early for", () => {
  const { clock, after, ran } = createClock();
  after("later", 60_000);
  vi.setSystemTime(59_990);
  clock.ring();
  expect(ran).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(ran).toEqual(["later"]);
});

it("does not run what was cancelled", () => {
  const { clock, after, ran } = createClock();
  after("soon", 100)();
  after("later", 60_000)();
  vi.advanceTimersByTime(100);
  vi.setSystemTime(60_000);
  clock.ring();
  expect(ran).toEqual([]);
});

it("neither wakes nor keeps the object for an idle task", () => {
  const { after, alarms } = createClock();
  after("idle", hourMs, true);
  expect([alarms, vi.getTimerCount()]).toEqual([[], 0]);
});

it("runs idle tasks while an event stream is open", () => {
  const { clock, after, alarms, ran } = createClock();
  after("before", hourMs, true);
  const close = clock.openStream();
  after("during", 2 * hourMs, true);
  vi.advanceTimersByTime(hourMs);
  expect(ran).toEqual(["before"]);
  close();
  close();
  expect([alarms, vi.getTimerCount(), clock.hasOpenStreams]).toEqual([[], 0, false]);
});

it("is woken soon while work is in flight, again and again", () => {
  const { clock, alarms } = createClock();
  const end = clock.beginWork();
  expect(alarms).toEqual([graceMs]);
  vi.setSystemTime(graceMs);
  clock.ring();
  expect(alarms).toEqual([graceMs, 2 * graceMs]);
  end();
  vi.setSystemTime(2 * graceMs);
  clock.ring();
  expect(alarms).toHaveLength(2);
});

it("is woken soon after a request once, however many there are", () => {
  const { clock, alarms } = createClock();
  for (let request = 0; request < 100; request += 1) clock.wakeSoon();
  expect(alarms).toEqual([graceMs]);
});

it("is woken for its expiry when nothing else comes before", () => {
  const { clock, after, alarms } = createClock(hourMs);
  after("before", 60_000);
  vi.setSystemTime(60_000);
  clock.ring();
  expect(alarms).toEqual([hourMs, 60_000, hourMs]);
});

it("sets nothing before it starts, since the alarm that wakes the object would be moved", () => {
  const alarms: number[] = [];
  const clock = new AlarmClock({ setAlarm: async (at) => void alarms.push(at) }, () => undefined);
  clock.after(10, () => {});
  clock.after(60_000, () => {});
  clock.beginWork();
  expect([alarms, vi.getTimerCount()]).toEqual([[], 0]);
  clock.start();
  expect([alarms, vi.getTimerCount()]).toEqual([[graceMs], 1]);
});

it("sets nothing more once it is stopped", () => {
  const { clock, after, alarms, ran } = createClock();
  after("soon", 10);
  clock.stop();
  after("afterwards", 10);
  clock.wakeSoon();
  vi.advanceTimersByTime(hourMs);
  expect([ran, alarms]).toEqual([[], [graceMs]]);
});
