import { describe, expect, it } from "vitest";
import { createClock, type WallClock } from "../../src/model/clock.ts";

function manualWall(start: number) {
  let now = start;
  let waiting: { at: number; task: () => void } | undefined;
  const wall: WallClock = {
    now: () => now,
    after(ms, task) {
      const entry = { at: now + ms, task };
      waiting = entry;
      return () => {
        if (waiting === entry) waiting = undefined;
      };
    },
  };
  return {
    wall,
    isArmed: () => waiting !== undefined,
    async pass(ms: number) {
      now += ms;
      const due = waiting;
      if (due !== undefined && due.at <= now) {
        waiting = undefined;
        due.task();
      }
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
  };
}

describe("a frozen clock", () => {
  it("stands still until it is moved", async () => {
    const clock = createClock(1000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(clock.now()).toBe(1000);
    await clock.advance({ by: 500 });
    expect(clock.now()).toBe(1500);
  });

  it("fires timers in the order of time, then of scheduling, each at its own time", async () => {
    const clock = createClock(0);
    const fired: string[] = [];
    const note = (name: string) => () => void fired.push(`${name}@${clock.now()}`);
    clock.schedule(20, note("c"));
    clock.schedule(10, note("a"));
    clock.schedule(10, note("b"));
    await clock.advance({ by: 100 });
    expect(fired).toEqual(["a@10", "b@10", "c@20"]);
  });

  it("fires timers that a timer set, within the same step", async () => {
    const clock = createClock(0);
    const fired: number[] = [];
    clock.schedule(10, (at) => clock.schedule(at + 10, (later) => void fired.push(later)));
    await clock.advance({ by: 20 });
    expect(fired).toEqual([20]);
  });

  it("lets woken work continue before the next timer fires", async () => {
    const clock = createClock(0);
    const seen: string[] = [];
    const sleeper = clock.sleep(10).then(() => seen.push("sleeper"));
    clock.schedule(10, () => void seen.push("timer"));
    await clock.advance({ by: 10 });
    await sleeper;
    expect(seen).toEqual(["sleeper", "timer"]);
  });

  it("takes concurrent steps one after the other", async () => {
    const clock = createClock(0);
    await Promise.all([clock.advance({ by: 10 }), clock.advance({ by: 10 })]);
    expect(clock.now()).toBe(20);
  });

  it("jumps to the next timer, and stays without one", async () => {
    const clock = createClock(0);
    clock.schedule(70, () => {});
    await clock.advance({ nextTimer: true });
    await clock.advance({ nextTimer: true });
    expect(clock.now()).toBe(70);
  });

  it("refuses a time beyond the range of timestamps, and keeps its time", async () => {
    const clock = createClock(0);
    await expect(clock.advance({ by: 8.64e15 })).rejects.toThrow("by: not a time before the year 9999");
    await clock.advance({ to: "9998-12-31T00:00:00Z" });
    await expect(clock.advance({ by: 86_400_000 * 2 })).rejects.toThrow("by: ");
    expect(clock.iso()).toBe("9998-12-31T00:00:00.000Z");
  });

  it("waits for tracked work before the next timer, unless the work sleeps", async () => {
    const clock = createClock(0);
    const seen: string[] = [];
    const work = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push("answered");
      await clock.sleep(10);
      seen.push("slept");
    };
    clock.track(work());
    clock.schedule(5, () => void seen.push("timer"));
    clock.schedule(20, () => void seen.push("end"));
    await clock.advance({ by: 20 });
    expect(seen).toEqual(["answered", "timer", "slept", "end"]);
  });

  it("does not wait for tracked work that failed", async () => {
    const clock = createClock(0);
    clock.track(Promise.reject(new Error("lost")));
    await clock.advance({ by: 1 });
    expect(clock.now()).toBe(1);
  });

  it("lists the purposes of its timers in the order in which they will fire", () => {
    const clock = createClock(0);
    clock.schedule(20, () => {}, { kind: "later", id: "a" });
    clock.schedule(10, () => {}, { kind: "sooner", id: "b", index: 2 });
    clock.schedule(5, () => {});
    expect(clock.timers()).toEqual([
      { at: 10, kind: "sooner", id: "b", index: 2 },
      { at: 20, kind: "later", id: "a" },
    ]);
  });

  it("lists sleepers like timers", async () => {
    const clock = createClock(0);
    const sleep = clock.sleep(10, "somebody");
    expect(clock.timers()).toEqual([{ at: 10, kind: "sleep.ends", id: "somebody" }]);
    await clock.advance({ nextTimer: true });
    await sleep;
    expect([clock.now(), clock.timers()]).toEqual([10, []]);
  });

  it("drops the timers of a purpose, and no others", async () => {
    const clock = createClock(0);
    const fired: string[] = [];
    for (const [kind, index] of [
      ["rings", 0],
      ["rings", 1],
      ["ends", 0],
    ] as const)
      clock.schedule(10, () => void fired.push(`${kind} ${index}`), { kind, id: "a", index });
    clock.schedule(10, () => void fired.push("another"), { kind: "rings", id: "b" });
    clock.cancel({ kind: "rings", id: "a", index: 1 });
    clock.cancel({ kind: "ends", id: "a" });
    await clock.advance({ by: 10 });
    expect(fired).toEqual(["rings 0", "another"]);
  });

  it("no longer waits for work that began before a reset", async () => {
    const clock = createClock(0);
    clock.track(new Promise(() => {}));
    const waiting = clock.advance({ by: 10 });
    await Promise.resolve();
    clock.reset();
    await waiting;
    clock.reset();
    await clock.advance({ by: 10 });
    expect(clock.now()).toBe(10);
  });

  it("ends steps that began before a reset without moving the new time", async () => {
    const clock = createClock(0);
    clock.track(new Promise(() => {}));
    const steps = [clock.advance({ by: 10 }), clock.advance({ by: 10 })];
    await Promise.resolve();
    clock.reset();
    await Promise.all(steps);
    expect(clock.now()).toBe(0);
  });

  it("wakes every sleeper on reset", async () => {
    const clock = createClock(0);
    const sleep = clock.sleep(10);
    clock.reset();
    await sleep;
    expect(clock.now()).toBe(0);
  });

  it("refuses to go back", async () => {
    const clock = createClock(1000);
    await expect(clock.advance({ to: 999 })).rejects.toThrow("to: time moves forward only");
  });

  it("continues after a timer that failed", async () => {
    const clock = createClock(0);
    clock.schedule(1, () => {
      throw new Error("broken timer");
    });
    await expect(clock.advance({ by: 5 })).rejects.toThrow("broken timer");
    await clock.advance({ by: 5 });
    expect(clock.now()).toBe(6);
  });

  it("lets a timer's task send a request, which runs due timers itself", async () => {
    const clock = createClock(0);
    clock.schedule(1, () => clock.runDue());
    clock.schedule(1, () => {});
    await clock.advance({ by: 1 });
    expect(clock.pending).toBe(0);
  });

  it("runs timers that a jump made overdue on request", async () => {
    const clock = createClock(0);
    const fired: number[] = [];
    clock.schedule(10, (at) => void fired.push(at));
    clock.set({ now: 50 });
    expect(fired).toEqual([]);
    await clock.runDue();
    expect([fired, clock.now()]).toEqual([[10], 50]);
  });

  it("forgets its timers and its time on reset", async () => {
    const clock = createClock(5);
    clock.schedule(6, () => {});
    await clock.advance({ by: 0 });
    clock.reset();
    expect([clock.now(), clock.pending]).toEqual([5, 0]);
  });
});

describe("a flowing clock", () => {
  it("follows the wall clock from its own start", async () => {
    const { wall, pass } = manualWall(50_000);
    const clock = createClock(1000, "flowing", wall);
    await pass(25);
    expect(clock.now()).toBe(1025);
  });

  it("fires a timer when the wall clock reaches it", async () => {
    const { wall, pass } = manualWall(0);
    const clock = createClock(1000, "flowing", wall);
    const fired: number[] = [];
    clock.schedule(1010, (at) => void fired.push(at));
    await pass(9);
    expect(fired).toEqual([]);
    await pass(3);
    expect(fired).toEqual([1010]);
  });

  it("can be moved forward as well", async () => {
    const { wall, pass } = manualWall(0);
    const clock = createClock(0, "flowing", wall);
    await clock.advance({ by: 1000 });
    await pass(1);
    expect(clock.now()).toBe(1001);
  });

  it("has no wall-clock timer once frozen", () => {
    const { wall, isArmed } = manualWall(0);
    const clock = createClock(0, "flowing", wall);
    clock.schedule(10, () => {});
    expect(isArmed()).toBe(true);
    clock.set({ mode: "frozen" });
    expect(isArmed()).toBe(false);
  });
});
