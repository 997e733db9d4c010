import { expect, it } from "vitest";
import { wrapWords } from "../../src/log/wrap.ts";

it("breaks a long word between characters, not inside of one", () => {
  expect(wrapWords("aaa📞📞", 4)).toEqual(["aaa📞", "📞"]);
});
