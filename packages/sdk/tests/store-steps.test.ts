import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createStoreQueue } from "../src/webhooks/event-store.ts";
import { sleep } from "../src/webhooks/timeout.ts";

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

  it("fail with advice if they have waited for too long", async () => {
    const steps = createStoreQueue({ maxConcurrency: 1 }, 10_000, 1000);
    begun(steps, after(9000));
    begun(steps, after(9000));
    const waiting = begun(steps, never);
    await vi.advanceTimersByTimeAsync(10_000);
    const result = "The event store was busy for 10000 ms. Add connections or instances.";
    expect(waiting).toEqual({ begun: false, result });
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

describe("where timers drop fractions and fire 2 ms early", () => {
  beforeEach(() => {
    const { setTimeout } = globalThis;
    vi.stubGlobal("setTimeout", (task: () => void, ms: number) => setTimeout(task, Math.max(0, Math.trunc(ms) - 2)));
  });

  it.each([15, 22.5, 33.75, 200])("a pause of %s ms is no shorter", async (ms) => {
    const from = performance.now();
    let took = 0;
    void sleep(ms).then(() => {
      took = performance.now() - from;
    });
    await vi.advanceTimersByTimeAsync(ms + 10);
    expect(took).toBeGreaterThanOrEqual(ms);
  });

  it("a step and its turn have the whole of their time", async () => {
    const steps = stepsOf();
    const late = begun(steps, never);
    begun(steps, never);
    const waiting = begun(steps, never);
    await vi.advanceTimersByTimeAsync(999);
    expect([late, waiting]).toEqual([{ begun: true }, { begun: false }]);
    await vi.advanceTimersByTimeAsync(11);
    expect(late.result).toBe("The event store did not answer within 1000 ms.");
  });
});
