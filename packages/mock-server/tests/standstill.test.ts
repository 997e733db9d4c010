import { createBackend, type FaultAction } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { standstill } from "../src/server/standstill.ts";

const warningOf = (mode: "frozen" | "flowing", ...actions: FaultAction[]) => {
  const backend = createBackend({ seed: {}, faults: actions.map((action) => ({ do: action })) });
  backend.clock.set({ mode });
  const warning = standstill(backend);
  backend.close();
  return warning;
};

it.each<[FaultAction[], string]>([
  [[{ latency: 400 }], "a latency of 400 ms"],
  [["slowBody"], "a slow body"],
  [["reset", { latency: 0 }, { latency: 250 }], "a latency of 250 ms"],
])("warns of %j under a clock that stands still, with the cure", (actions, what) => {
  const warning = warningOf("frozen", ...actions);
  expect(warning).toContain(what);
  expect(warning).toMatch(/clock advance next.*--clock flowing/);
  expect(warning).not.toContain("\n");
});

it("has nothing to warn of while time passes, or while nothing is delayed", () => {
  expect(warningOf("flowing", { latency: 400 }, "slowBody")).toBeUndefined();
  expect(warningOf("frozen", { latency: 0 }, "hang", { code: "conflict" })).toBeUndefined();
  expect(warningOf("frozen")).toBeUndefined();
});
