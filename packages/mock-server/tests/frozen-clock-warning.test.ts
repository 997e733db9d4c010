import { createBackend, type FaultAction } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { frozenClockWarning } from "../src/cli/frozen-clock-warning.ts";

const warningOf = (mode: "frozen" | "flowing", ...actions: FaultAction[]) => {
  const backend = createBackend({ seed: {}, faults: actions.map((action) => ({ do: action })) });
  backend.clock.set({ mode });
  const warning = frozenClockWarning(backend);
  backend.close();
  return warning;
};

it.each<[FaultAction[], string]>([
  [[{ latency: 400 }], "a latency of 400 ms"],
  [["slowBody"], "a slow body"],
  [["reset", { latency: 0 }, { latency: 250 }], "a latency of 250 ms"],
])("warns about %j under a frozen clock, and says how to continue", (actions, what) => {
  const warning = warningOf("frozen", ...actions);
  expect(warning).toContain(what);
  expect(warning).toMatch(/clock advance next.*--clock flowing/);
  expect(warning).not.toContain("\n");
});

it("does not warn on a flowing clock, or without a delay", () => {
  expect(warningOf("flowing", { latency: 400 }, "slowBody")).toBeUndefined();
  expect(warningOf("frozen", { latency: 0 }, "hang", { code: "conflict" })).toBeUndefined();
  expect(warningOf("frozen")).toBeUndefined();
});
