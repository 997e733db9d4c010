import { expect, it } from "vitest";
import { hasColour, wrapWords } from "../../src/log/text.ts";

const terminal = { isTTY: true, getColorDepth: () => 8 };
const monochrome = { isTTY: true, getColorDepth: () => 1 };

it.each([
  ["a terminal with colours", terminal, {}, true],
  ["a terminal without colours", monochrome, {}, false],
  ["a pipe", {}, {}, false],
  ["NO_COLOR", terminal, { NO_COLOR: "1" }, false],
  ["an empty NO_COLOR", terminal, { NO_COLOR: "" }, true],
  ["FORCE_COLOR in a pipe", {}, { FORCE_COLOR: "1" }, true],
  ["FORCE_COLOR before NO_COLOR", {}, { FORCE_COLOR: "", NO_COLOR: "1" }, true],
  ["FORCE_COLOR=0", terminal, { FORCE_COLOR: "0" }, false],
])("decides on colour for %s", (_name, stream, env, expected) => {
  expect(hasColour(stream, env)).toBe(expected);
});

it("breaks a long word between characters, not inside of one", () => {
  expect(wrapWords("aaa📞📞", 4)).toEqual(["aaa📞", "📞"]);
});
