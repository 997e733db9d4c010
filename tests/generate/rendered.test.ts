// What generated modules contain: schemas made at their first use.
import { expect, it } from "vitest";
import { zClockSetting, zTime } from "../../packages/backend/src/generated/schemas.gen.ts";

it("a schema is made once, and shared by those that name it", () => {
  expect(zClockSetting()).toBe(zClockSetting());
  expect(zClockSetting().shape.now.unwrap()).toBe(zTime());
});
