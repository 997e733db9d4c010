import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Later, type LaterStep } from "../src/webhooks/later.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A step that notes the times of its attempts, in milliseconds since it was created. */
function stepOf(isOver: () => boolean | Promise<boolean>, untilMs = Number.POSITIVE_INFINITY) {
  const from = performance.now();
  const times: number[] = [];
  const giveUp = vi.fn();
  const attempt = async (): Promise<boolean> => {
    times.push(performance.now() - from);
    return isOver();
  };
  return { step: { untilMs, attempt, giveUp } satisfies LaterStep, times, giveUp };
}

describe("steps that are tried later", () => {
  it("are twice as many each time that all of them hold, up to 32 at once", async () => {
    const later = new Later();
    const rounds = new Map<number, number>();
    const attempt = async (): Promise<boolean> => {
      rounds.set(performance.now(), (rounds.get(performance.now()) ?? 0) + 1);
      return true;
    };
    const from = performance.now();
    for (let step = 0; step < 100; step += 1) later.add({ untilMs: from + 60_000, attempt, giveUp() {} });
    await vi.advanceTimersByTimeAsync(1000);
    const times = [...rounds].map(([at, count]) => [at - from, count]);
    expect(times).toEqual([1, 2, 4, 8, 16, 32, 32, 5].map((count, round) => [100 + round * 10, count]));
  });

  it("are one again when one of them fails", async () => {
    const later = new Later();
    const [good, bad, other] = [stepOf(() => true), stepOf(() => false), stepOf(() => true)];
    for (const { step } of [good, bad, other]) later.add(step);
    await vi.advanceTimersByTimeAsync(1000);
    expect([good.times, other.times, bad.times.slice(0, 2)]).toEqual([[100], [110], [110, 310]]);
  });

  it("begin with the first pause again after all were over", async () => {
    const later = new Later();
    for (let time = 0; time < 2; time += 1) {
      const { step, times } = stepOf(() => true);
      later.add(step);
      await vi.advanceTimersByTimeAsync(1000);
      expect(times).toEqual([100]);
    }
  });

  it("wait for the round under way", async () => {
    const later = new Later();
    const slow = stepOf(() => new Promise((resolve) => setTimeout(resolve, 1000, true)));
    const added = stepOf(() => true);
    later.add(slow.step);
    await vi.advanceTimersByTimeAsync(200);
    later.add(added.step);
    await vi.advanceTimersByTimeAsync(2000);
    expect(added.times).toEqual([1110]);
  });

  it("come soon after a wake, once, and no wake delays the first try", async () => {
    const later = new Later();
    const { step, times } = stepOf(() => false);
    later.add(step);
    await vi.advanceTimersByTimeAsync(50);
    later.wake();
    await vi.advanceTimersByTimeAsync(300);
    later.wake();
    await vi.advanceTimersByTimeAsync(650);
    expect(times).toEqual([100, 300, 450, 650]);
  });

  it("are 10,000 at most: the oldest is given up", () => {
    const later = new Later();
    const oldest = stepOf(() => true);
    later.add(oldest.step);
    const { step, giveUp } = stepOf(() => true);
    for (let count = 0; count < 10_000; count += 1) {
      expect(oldest.giveUp).not.toHaveBeenCalled();
      later.add({ ...step });
    }
    expect([oldest.giveUp.mock.calls.length, giveUp.mock.calls.length]).toEqual([1, 0]);
  });
});
