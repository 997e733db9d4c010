// What generated modules contain: schemas made at their first use.
import { expect, it } from "vitest";
import { zClockSetting, zTime } from "../../packages/backend/src/generated/schemas.gen.ts";
import { madeAtFirstUse } from "../../scripts/generate/schemas.ts";

it("each schema becomes a function, and is called where another one names it", () => {
  const text = "import * as z from 'zod';\n\nexport const zTime = z.string();\nexport const zTimes = z.array(zTime);\n";
  const [imports, ...rest] = madeAtFirstUse(text).split("\n");
  expect(imports).toBe("import * as z from 'zod';");
  expect(rest.join("\n")).toContain(
    "export const zTime = once(() => z.string());\nexport const zTimes = once(() => z.array(zTime()));\n",
  );
});

it("a schema is made once, and shared by those that name it", () => {
  expect(zClockSetting()).toBe(zClockSetting());
  expect(zClockSetting().shape.now.unwrap()).toBe(zTime());
});
