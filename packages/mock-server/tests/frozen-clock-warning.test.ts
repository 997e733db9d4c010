import { createBackend, type Fault, type FaultAction, type WebhookFaultAction } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { frozenClockWarning } from "../src/cli/frozen-clock-warning.ts";

const warningOf = (mode: "frozen" | "flowing", ...actions: FaultAction[]) =>
  warningAbout(
    mode,
    actions.map((action) => ({ do: action })),
  );

const warningAbout = (mode: "frozen" | "flowing", faults: Fault[]) => {
  const backend = createBackend({ seed: {}, faults });
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

it.each<[WebhookFaultAction, string]>([
  ["reorder", "webhook deliveries to reorder wait"],
  [{ delaySecs: 301 }, "webhook deliveries with a delay of 301 s wait"],
  [{ retry: { times: 1, afterSecs: 5 } }, "retries of webhook deliveries wait"],
  [{ duplicate: { copies: 2, gapSecs: 1 } }, "copies of webhook deliveries wait"],
])("warns about webhook deliveries that wait, by %j", (action, what) => {
  expect(warningAbout("frozen", [{ webhooks: {}, do: action }])).toContain(`so ${what}.`);
});

it.each<WebhookFaultAction>([
  "truncate",
  { sign: "none" },
  { retry: { times: 1, afterSecs: 0 } },
  { duplicate: { copies: 2 } },
])("does not warn about %j, which sends at once", (action) => {
  expect(warningAbout("frozen", [{ webhooks: {}, do: action }])).toBeUndefined();
});
