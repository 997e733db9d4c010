import type { Fault } from "@call-transfer/backend";
import { webhookSignature } from "@call-transfer/spec";
import { expect, it, onTestFinished } from "vitest";
import { deliveryAdvice, waitingWarning } from "../../src/cli/advice.ts";
import { hintFor } from "../../src/cli/output.ts";
import { startMockServer } from "../../src/index.ts";
import { runLine } from "./run-line.ts";

const at = "2026-03-02T12:00:00.000Z";
const delivery = { id: "", destinationId: "", url: "", headers: {}, body: "", at };
const adviceOn = (answer: Parameters<typeof deliveryAdvice>[0], realTime: number) =>
  deliveryAdvice(answer, realTime, hintFor({}));
const secondMs = 1000;
const hourMs = 3600 * secondMs;
const toleranceMs = webhookSignature.toleranceSecs * secondMs;

it("returns undefined for an accepted offer", () => {
  expect(adviceOn({ ...delivery, accepted: true, status: 204 }, 0)).toBeUndefined();
});

it("does not blame the clock for an offer that was not delivered", () => {
  const advice = adviceOn({ ...delivery, accepted: false, error: "nothing listens on a:1 (ECONNREFUSED)" }, 0);
  expect(advice).toContain("not delivered: nothing listens on a:1 (ECONNREFUSED). Start the app's server");
});

it.each([-toleranceMs, 0, toleranceMs])("suggests the secrets while the clock is off by %i ms", (behind) => {
  const advice = adviceOn({ ...delivery, accepted: false, status: 400 }, Date.parse(at) + behind);
  expect(advice).toBe(
    "The app's server did not accept the offer: status 400. Its log says why. If the signature is wrong, compare the signing secrets.",
  );
});

it("names the fault that changed the offer, and suggests nothing else", () => {
  const advice = adviceOn({ ...delivery, accepted: false, status: 400, fault: "fault-1" }, 0);
  expect(advice).toBe(
    "The app's server did not accept the offer: status 400. Its log says why. The fault fault-1 changed how the offer was sent.",
  );
});

it.each([
  [toleranceMs + secondMs, "5 min 1 s behind the real time"],
  [-(toleranceMs + secondMs), "5 min 1 s ahead of the real time"],
  [-24 * hourMs, "1 d ahead of the real time"],
])("reports a clock that is off by %i ms, and how to fix it", (behind, words) => {
  const advice = adviceOn({ ...delivery, accepted: false, status: 401 }, Date.parse(at) + behind);
  expect(advice).toContain(`the sandbox's clock says ${at}, ${words}, and receivers accept 300 seconds.`);
  expect(advice).toContain("start without --now and --clock frozen");
  expect(advice).toContain('verifyWebhook and createWebhookHandler have the option "clock"');
  expect(advice).not.toContain("compare the signing secrets");
});

it.each([
  [404, "Check the path of the address that offers are sent to."],
  [302, "Redirects are not followed: use the final address."],
])("suggests what fits status %i, and not the secrets", (status, words) => {
  const advice = adviceOn({ ...delivery, accepted: false, status }, Date.parse(at));
  expect(advice).toBe(`The app's server did not accept the offer: status ${status}. Its log says why. ${words}`);
});

it.each([409, 500])("suggests nothing for status %i, which no wrong signature gets", (status) => {
  const advice = adviceOn({ ...delivery, accepted: false, status }, 0);
  expect(advice).toBe(`The app's server did not accept the offer: status ${status}. Its log says why.`);
});

it("suggests no start of a server that runs", () => {
  const advice = adviceOn({ ...delivery, accepted: false, error: "Set the destination's URL." }, 0);
  expect(advice).toBe("The offer was not delivered: Set the destination's URL.");
});

it.each<[Fault["do"], boolean]>([
  [{ latencyMs: 400 }, true],
  ["slow_body", true],
  [["pass", { latencyMs: 250 }], true],
  ["reorder", true],
  [{ delaySecs: 0.5 }, true],
  [{ retry: { times: 1, afterSecs: 5 } }, true],
  [{ duplicate: { copies: 2, intervalSecs: 1 } }, true],
  [[{ latencyMs: 0 }, "reset"], false],
  [{ retry: { times: 1, afterSecs: 0 } }, false],
  [{ duplicate: { copies: 2 } }, false],
  ["hang", false],
])("a fault %j waits for a frozen clock: %s", (action, isWaiting) => {
  const warning = (mode: string) => waitingWarning(mode, [{ do: "truncate" }, { do: action }], hintFor({}));
  expect([warning("frozen") !== undefined, warning("running")]).toEqual([isWaiting, undefined]);
});

it.each(["frozen", "running"] as const)(
  "fault add says of a %s clock only that a frozen one is waited for",
  async (mode) => {
    const server = await startMockServer({ port: 0, clockMode: mode, faults: ["* latency 1s"] });
    onTestFinished(() => server.close());
    expect((await runLine(server.url, "fault", "add", "createCall 503")).stdout).not.toContain("warning");
    const { stdout } = await runLine(server.url, "fault", "add", "createCall latency 2s");
    expect(stdout.includes("\nwarning: The clock is frozen")).toBe(mode === "frozen");
  },
);
