import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { pagesWithSizes } from "./size-table.ts";
import sizes from "./sizes.json" with { type: "json" };

it.each(Object.entries(pagesWithSizes))("%s states the recorded sizes (npm run record)", async (path, write) => {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  await expect(write(text, sizes)).toMatchFileSnapshot(`../../${path}`);
});
