import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createStoreQueue } from "../src/webhooks/event-store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});
const after = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Runs steps, two at once, that may take a second. */
const stepsOf = () => createStoreQueue({ maxConcurrency: 2 }, 1000, 8000);

/** Runs a step, and returns what it came to after `ms`. */
function begun(steps: ReturnType<typeof createStoreQueue>, step: () => Promise<unknown>) {
  const outcome: { begun: boolean; result?: string } = { begun: false };
  const noted = () => {
    outcome.begun = true;
    return step();
  };
  void steps(noted, false).then(
    () => {
      outcome.result = "done";
    },
    (error: Error) => {
      outcome.result = error.message;
    },
  );
  return outcome;
}

describe("steps that wait for their turn", () => {
  it("go on if a step has worked meanwhile", async () => {
    const steps = stepsOf();
    begun(steps, never);
    begun(steps, after(500));
    begun(steps, never);
    const waiting = begun(steps, after(100));
    await vi.advanceTimersByTimeAsync(1100);
    expect(waiting).toEqual({ begun: true, result: "done" });
  });

  it("go on without those of requests that a runtime has cut off with their timers", async () => {
    const steps = stepsOf();
    const timers = vi.spyOn(globalThis, "setTimeout").mockReturnValue(0 as never);
    begun(steps, never);
    begun(steps, never);
    timers.mockRestore();
    const waiting = begun(steps, after(1));
    await vi.advanceTimersByTimeAsync(8001);
    expect(waiting).toEqual({ begun: true, result: "done" });
    expect(begun(steps, after(1))).toMatchObject({ begun: true });
  });

  it("go on after one that is late because this process stood still", async () => {
    const steps = stepsOf();
    begun(steps, never);
    const waiting = [begun(steps, after(1900)), begun(steps, after(100))];
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 2000);
    await vi.advanceTimersByTimeAsync(1000);
    expect(waiting[1]).toMatchObject({ begun: true });
  });

  it("go on after one that fails at once", async () => {
    const steps = stepsOf();
    begun(steps, never);
    begun(steps, () => Promise.reject(new Error("syntax")));
    const waiting = begun(steps, after(100));
    await vi.advanceTimersByTimeAsync(100);
    expect(waiting).toEqual({ begun: true, result: "done" });
  });
});
