import { expect, it } from "vitest";
import { formatDuration } from "../../src/utils/text.ts";

it.each([
  [0, "0 s"],
  [250, "250 ms"],
  [999.6, "1 s"],
  [2_500, "2.5 s"],
  [59_999, "1 min"],
  [61_500, "1 min 1.5 s"],
  [5_430_000, "1 h 30 min"],
  [86_400_000, "1 d"],
  [259_200_000_000, "8 y 80 d"],
  [Number.POSITIVE_INFINITY, "forever"],
])("shows %d ms as %s", (ms, shown) => {
  expect(formatDuration(ms)).toBe(shown);
});
