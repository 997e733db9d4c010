// The SDK imports no package, so it has a copy of what masks phone numbers.
import { maskNumbers as ofBackend } from "@call-transfer/backend/control-client";
import { expect, it } from "vitest";
import { maskNumbers as ofSdk } from "../../packages/sdk/src/utils/redact.ts";

it("the SDK and the backend mask phone numbers alike", () => {
  const digits = Array.from({ length: 18 }, (_, length) => "4915112345678901234".slice(0, length));
  const texts = digits.flatMap((number) => [`+${number}`, `%2B${number}`, `%2b${number}`, number, `x+${number}y`]);
  const masked = texts.map(ofSdk);
  expect(texts.map(ofBackend)).toEqual(masked);
  expect(new Set(masked).size).toBeGreaterThan(50);
  expect(ofSdk("+14155550167")).toBe("+1415*****67");
});
