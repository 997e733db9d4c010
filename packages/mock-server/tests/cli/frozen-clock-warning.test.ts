import { createBackend, type Fault } from "@call-transfer/backend";
import type { FaultAction, WebhookFaultAction } from "@call-transfer/backend/unstable";
import { expect, it } from "vitest";
import { waitingWarning } from "../../src/cli/advice.ts";
import { hintFor } from "../../src/cli/output.ts";
import { startMockServer } from "../../src/index.ts";
import { runLine } from "./run-line.ts";

const warningOf = (mode: "frozen" | "running", ...actions: FaultAction[]) =>
  warningAbout(
    mode,
    actions.map((action) => ({ do: action })),
  );

const warningAbout = (mode: "frozen" | "running", faults: Fault[]) => {
  const backend = createBackend({ seed: {}, faults });
  backend.clock.set({ mode });
  const warning = waitingWarning(mode, backend.faults.list(), hintFor({}));
  backend.close();
  return warning;
};

it.each<[FaultAction[], string]>([
  [[{ latencyMs: 400 }], "a latency of 400 ms"],
  [["slow_body"], "a slow body"],
  [["reset", { latencyMs: 0 }, { latencyMs: 250 }], "a latency of 250 ms"],
])("warns about %j under a frozen clock, and says how to continue", (actions, what) => {
  const warning = warningOf("frozen", ...actions);
  expect(warning).toContain(what);
  expect(warning ?? "").toMatch(/clock advance next.*--clock running/);
  expect(warning).not.toContain("\n");
});

it("warns about a step of a list", () => {
  expect(warningAbout("frozen", [{ do: ["pass", { latencyMs: 400 }] }])).toContain("a latency of 400 ms");
});

it("does not warn on a running clock, or without a delay", () => {
  expect(warningOf("running", { latencyMs: 400 }, "slow_body")).toBeUndefined();
  expect(warningOf("frozen", { latencyMs: 0 }, "hang", { code: "conflict" })).toBeUndefined();
  expect(warningOf("frozen")).toBeUndefined();
});

it.each<[WebhookFaultAction, string]>([
  ["reorder", "webhook deliveries to reorder wait"],
  [{ delaySecs: 301 }, "webhook deliveries with a delay of 5 min 1 s wait"],
  [{ retry: { times: 1, afterSecs: 5 } }, "retries of webhook deliveries wait"],
  [{ duplicate: { copies: 2, intervalSecs: 1 } }, "copies of webhook deliveries wait"],
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

it.each([
  ["frozen", "* latency 2s", true],
  ["running", "* latency 2s", false],
  ["frozen", "createCall 503", false],
] as const)("the command fault add on a %s clock with %s warns: %s", async (clockMode, text, warns) => {
  const server = await startMockServer({ port: 0, clockMode });
  try {
    const { status, stdout } = await runLine(server.url, "fault", "add", text);
    expect([status, stdout.includes("warning: The clock is frozen, so requests with a latency of 2 s hang.")]).toEqual([
      0,
      warns,
    ]);
  } finally {
    await server.close();
  }
});
