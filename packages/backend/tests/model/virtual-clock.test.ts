import { describe, expect, it } from "vitest";
import type { WallClock } from "../../src/model/clock.ts";
import { createClock } from "../../src/model/virtual-clock.ts";

function manualWall(start: number) {
  let now = start;
  const waiting = new Set<{ at: number; task: () => void; isIdle: boolean }>();
  const wall: WallClock = {
    now: () => now,
    after(ms, task, isIdle = false) {
      const entry = { at: now + ms, task, isIdle };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
  };
  return {
    wall,
    isArmed: () => waiting.size > 0,
    /** When something waits, in milliseconds from now; with whether the process may end before. */
    waits: () => [...waiting].map(({ at, isIdle }) => [at - now, isIdle]),
    async pass(ms: number) {
      now += ms;
      for (const entry of [...waiting].filter(({ at }) => at <= now)) {
        waiting.delete(entry);
        entry.task();
      }
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
  };
}

describe("a frozen clock", () => {
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

  it("takes concurrent steps and waits one after the other", async () => {
    const clock = createClock(0);
    await Promise.all([clock.advance({ by: 10 }), clock.wait(7), clock.wait(3)]);
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
    await expect(clock.advance({ by: "1h" as never })).rejects.toThrow(
      'by: must be a number of milliseconds, not "1h"',
    );
    await expect(clock.advance({ to: "soon" })).rejects.toThrow("to: is not a time, such as 2026-03-02T12:00:00Z");
    await expect(clock.advance(1000 as never)).rejects.toThrow("advance takes { by: milliseconds }");
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

  it("runs what tracked work scheduled for the present once all of it has settled or sleeps, although it is frozen", async () => {
    const clock = createClock(0);
    const seen: string[] = [];
    let continueSecond = (): void => {};
    const second = new Promise<void>((resolve) => {
      continueSecond = resolve;
    });
    clock.track(Promise.resolve());
    clock.track(second.then(() => clock.sleep(10)));
    clock.schedule(0, () => void seen.push("due"));
    clock.schedule(1, () => void seen.push("later"));
    const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
    await turn();
    expect(seen).toEqual([]);
    continueSecond();
    await turn();
    expect([seen, clock.now()]).toEqual([["due"], 0]);
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
    expect(clock.pendingTimers).toBe(0);
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
    expect([clock.now(), clock.pendingTimers]).toEqual([5, 0]);
  });
});

describe("a running clock", () => {
  it("follows the wall clock from its own start", async () => {
    const { wall, pass } = manualWall(50_000);
    const clock = createClock(1000, { mode: "running", wall });
    await pass(25);
    expect(clock.now()).toBe(1025);
  });

  it("fires a timer when the wall clock reaches it", async () => {
    const { wall, pass } = manualWall(0);
    const clock = createClock(1000, { mode: "running", wall });
    const fired: number[] = [];
    clock.schedule(1010, (at) => void fired.push(at));
    await pass(9);
    expect(fired).toEqual([]);
    await pass(3);
    expect(fired).toEqual([1010]);
  });

  it("has no wall-clock timer once frozen", () => {
    const { wall, isArmed } = manualWall(0);
    const clock = createClock(0, { mode: "running", wall });
    clock.schedule(10, () => {});
    expect(isArmed()).toBe(true);
    clock.set({ mode: "frozen" });
    expect(isArmed()).toBe(false);
  });
});

describe("a clock that runs at a rate", () => {
  it("passes as many seconds in a second, and fires timers as much earlier", async () => {
    const { wall, pass, waits } = manualWall(50_000);
    const clock = createClock(0, { mode: "running", rate: 60, wall });
    const fired: number[] = [];
    clock.schedule(90_001, (at) => void fired.push(at));
    expect(waits()).toEqual([[1501, false]]);
    await pass(1500);
    expect([clock.now(), fired]).toEqual([90_000, []]);
    await pass(1);
    expect([clock.now(), fired]).toEqual([90_060, [90_001]]);
  });

  it("goes on from its time when the rate changes", async () => {
    const { wall, pass } = manualWall(0);
    const clock = createClock(0, { mode: "running", wall });
    await pass(10);
    clock.set({ rate: 0.5 });
    await pass(10);
    expect([clock.now(), clock.rate]).toEqual([15, 0.5]);
    clock.set({ rate: 10_000 });
    await pass(10);
    expect(clock.now()).toBe(100_015);
  });

  it("keeps its rate while frozen, and goes back to that of its start at a reset", () => {
    const clock = createClock(0, { rate: 2 });
    clock.set({ rate: 60 });
    clock.set({ mode: "running" });
    clock.set({ mode: "frozen" });
    expect(clock.rate).toBe(60);
    clock.reset();
    expect(clock.rate).toBe(2);
  });
});

/** A wall clock whose timers drop fractions and fire 2 ms early, as those of runtimes do by up to one. */
function hastyWall() {
  let now = 0;
  const waits: number[] = [];
  const wall: WallClock = {
    now: () => now,
    after(ms, task) {
      waits.push(ms);
      now += Math.max(1, Math.trunc(ms) - 2);
      queueMicrotask(task);
      return () => {};
    },
  };
  return { wall, waits };
}

describe("a wait on a running clock", () => {
  it.each([0.001, 0.3, 1, 7, 10_000])("at the rate %s ends at its time, although timers fire early", async (rate) => {
    for (const ms of [0, 1, 2.5, 999, 20_177]) {
      const clock = createClock(0, { mode: "running", rate, wall: hastyWall().wall });
      await clock.wait(ms);
      expect(clock.now()).toBeGreaterThanOrEqual(ms);
    }
  });

  it("lasts longer than the longest timer of the runtime", async () => {
    const { wall, waits } = hastyWall();
    const clock = createClock(0, { mode: "running", rate: 0.01, wall });
    await clock.wait(86_400_000);
    expect(clock.now()).toBeGreaterThanOrEqual(86_400_000);
    expect([Math.max(...waits), waits.length > 4]).toEqual([2 ** 31 - 1, true]);
  });

  it("moves a clock that was frozen meanwhile to its time, unless the clock is beyond it", async () => {
    const { wall, pass } = manualWall(0);
    const clock = createClock(0, { mode: "running", wall });
    const waits = [clock.wait(10), clock.wait(20)];
    await pass(5);
    clock.set({ mode: "frozen" });
    await pass(5);
    await waits[0];
    expect(clock.now()).toBe(10);
    clock.set({ now: 1000 });
    await pass(10);
    await waits[1];
    expect(clock.now()).toBe(1000);
  });
});

describe("the timers of a running clock", () => {
  it.each([0.001, 0.3, 1, 7, 10_000])(
    "at the rate %s run at their time, although those of the wall are early",
    async (rate) => {
      const clock = createClock(0, { mode: "running", rate, wall: hastyWall().wall });
      const late: number[] = [];
      const note = (at: number): void => void late.push(clock.now() - at);
      await clock.sleep(999).then(() => note(999));
      const at = clock.now() + 20_177;
      await new Promise<void>((end) => {
        clock.schedule(at, note);
        clock.setAlarm(at + 1, (due) => end(note(due)));
      });
      expect(late.length).toBe(3);
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    },
  );
});

describe("the alarm of a clock", () => {
  it("runs in the order of time, after the timers of its time, and only once", async () => {
    const clock = createClock(0);
    const ran: string[] = [];
    clock.setAlarm(20, () => void ran.push("alarm"));
    for (const at of [10, 20, 30]) clock.schedule(at, () => void ran.push(`timer ${at}`));
    await clock.advance({ by: 100 });
    expect(ran).toEqual(["timer 10", "timer 20", "alarm", "timer 30"]);
  });

  it("is replaced by another one, removed without a time, and gone after a reset", async () => {
    const clock = createClock(0);
    const ran: string[] = [];
    clock.setAlarm(10, () => void ran.push("first"));
    clock.setAlarm(20, () => void ran.push("second"));
    await clock.advance({ by: 30 });
    for (const end of [() => clock.setAlarm(undefined, () => {}), () => clock.reset()]) {
      clock.setAlarm(clock.now() + 10, () => void ran.push("removed"));
      end();
      await clock.advance({ by: 50 });
    }
    expect(ran).toEqual(["second"]);
  });

  it("runs by the wall clock, but lets the process end before", async () => {
    const { wall, pass, waits } = manualWall(0);
    const clock = createClock(0, { mode: "running", wall });
    let ran = 0;
    clock.setAlarm(10, () => {
      ran += 1;
    });
    expect(waits()).toEqual([[10, true]]);
    await pass(10);
    expect([ran, waits()]).toEqual([1, []]);
  });
});
