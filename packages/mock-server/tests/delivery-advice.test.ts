import { signature } from "@call-transfer/spec";
import { expect, it } from "vitest";
import { adviceOn } from "../src/cli/delivery-advice.ts";

const at = "2026-03-02T12:00:00.000Z";
const delivery = { id: "", destinationId: "", url: "", headers: {}, body: "", at };
const secondMs = 1000;
const hourMs = 3600 * secondMs;
const toleranceMs = signature.toleranceSecs * secondMs;

it("has nothing to say about an offer that was accepted, whatever its time", () => {
  expect(adviceOn({ ...delivery, accepted: true, status: 204 }, 0)).toBeUndefined();
});

it("sees no wrong clock behind an offer that did not arrive", () => {
  const advice = adviceOn({ ...delivery, accepted: false, error: "connect ECONNREFUSED" }, 0);
  expect(advice).toContain("did not arrive: connect ECONNREFUSED. Start the app's server");
});

it.each([-toleranceMs, 0, toleranceMs])("points to the secrets while the clock is off by %i ms only", (behind) => {
  const advice = adviceOn({ ...delivery, accepted: false, status: 400 }, Date.parse(at) + behind);
  expect(advice).toBe(
    "The app's server declined the offer with status 400. Its log says why; if that is the signature, compare the signing secrets.",
  );
});

it.each([
  [toleranceMs + secondMs, "5 minutes behind the real time"],
  [-(toleranceMs + secondMs), "5 minutes ahead of the real time"],
  [-24 * hourMs, "24 hours ahead of the real time"],
  [214 * 24 * hourMs, "214 days behind the real time"],
])("points to a clock that is off by %i ms, by how much, and how to fix it", (behind, words) => {
  const advice = adviceOn({ ...delivery, accepted: false, status: 401 }, Date.parse(at) + behind);
  expect(advice).toContain(`the sandbox's clock says ${at}, ${words}, and receivers accept 300 seconds.`);
  expect(advice).toContain("start without --now and --clock frozen");
  expect(advice).toContain("verifyWebhook as the option now");
  expect(advice).not.toContain("compare the signing secrets");
});
