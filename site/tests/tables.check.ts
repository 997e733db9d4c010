// The tables of the reference in a browser of 1280 pixels: none is cut while the page has empty room beside it.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { inShort } from "../../scripts/long.ts";
import { built, type ServedSite, serveSite } from "./served-site.ts";

let site: ServedSite;
before(async () => {
  site = await serveSite();
});
after(() => site[Symbol.asyncDispose]());

const all = globSync("reference/**/*.html", { cwd: built })
  .filter((path) => readFileSync(join(built, path), "utf8").includes("<table"))
  .map((path) => `/${path.replace(/(?:index)?\.html$/, "")}`);

const pages = inShort(all, 5, "pages with tables");

/** A table that does not show everything, in CSS pixels. */
interface CutTable {
  readonly text: string;
  /** How much of it is hidden. */
  readonly hidden: number;
  /** Empty pixels on both sides of it, between the sidebar and what stands at the right. */
  readonly empty: number;
}

/** Runs in the page. Shows another page of the same layout and styles, which loads nothing again, and looks at its tables. */
async function cutTables(path: string): Promise<CutTable[]> {
  const other = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html");
  document.querySelector("#app")?.replaceWith(other.querySelector("#app") ?? "");
  const shown = (selector: string) =>
    [...document.querySelectorAll(selector)]
      .map((element) => element.getBoundingClientRect())
      .filter(({ width, height }) => width > 0 && height > 0);
  const left = Math.max(0, ...shown(".VPSidebar").map((box) => box.right));
  const right = Math.min(document.documentElement.clientWidth, ...shown(".VPDocAside nav").map((box) => box.left));
  // The page keeps these pixels empty beside its text.
  const gap = 64;
  return [...document.querySelectorAll(".vp-doc table")].flatMap((table) => {
    const box = table.getBoundingClientRect();
    const hidden = table.scrollWidth - table.clientWidth;
    const empty = Math.max(0, box.left - left - gap) + Math.max(0, right - box.right - gap);
    return hidden > 0 ? [{ text: (table.textContent ?? "").trim().slice(0, 40), hidden, empty }] : [];
  });
}

it(`the tables of ${pages.length} pages use the room that there is before they scroll`, async () => {
  await using opened = await site.open("/reference/api/createCall", { width: 1280, scripts: false });
  const cut: string[] = [];
  for (const path of pages)
    for (const { text, hidden, empty } of await opened.page.evaluate(cutTables, path))
      if (empty > 1) cut.push(`${path}: ${hidden} px of "${text}" are hidden beside ${empty} empty px`);
  assert.ok(all.length > 100, `only ${all.length} pages have tables`);
  assert.deepEqual(cut, []);
});
