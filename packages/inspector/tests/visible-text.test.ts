import { h } from "preact";
import { expect, it } from "vitest";
import { visibleText, writeOutControls } from "../src/parts/visible-text.ts";

it("writes out characters that change the direction of a text, and leaves texts of both directions alone", () => {
  expect(visibleText("pay \u202Egpj.exe")).toBe("pay \\u202Egpj.exe");
  expect(visibleText("\u2066a\u2069\u200F\u061C")).toBe("\\u2066a\\u2069\\u200F\\u061C");
  expect(visibleText("משמרת לילה مناوبة")).toBe("משמרת לילה مناوبة");
});

it("does so in every text and hint that is drawn, but not in the value of an input", () => {
  writeOutControls();
  writeOutControls();
  expect(h("p", { title: "a\u202Eb" }, "c\u202Ed", " and ", 5).props).toMatchObject({
    title: "a\\u202Eb",
    children: ["c\\u202Ed", " and ", 5],
  });
  expect(h("p", null, "c\u202Ed").props).toMatchObject({ children: "c\\u202Ed" });
  expect(h("input", { value: "a\u202Eb" }).props).toMatchObject({ value: "a\u202Eb" });
});
