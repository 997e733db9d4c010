// The layout of the built pages, in a browser: what has room at 1280 pixels and on a phone, and axe's
// findings for a page of each kind. One page stays open and shows one after the other, which costs little.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { built, type OpenPage, type ServedSite, serveSite } from "./served-site.ts";

let site: ServedSite;
before(async () => {
  site = await serveSite();
});
after(() => site[Symbol.asyncDispose]());

const pathsOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: built })
    .sort()
    .map((path) => `/${path.replace(/(?:index)?\.html$/, "")}`);
const guides = pathsOf("{*,start/*}.html").filter((path) => path !== "/404");
/** They have a sidebar. */
const texts = guides.filter((path) => path !== "/");
const others = pathsOf("{reference,errors,decisions,downloads}/**/*.html");
const hasTable = (path: string) =>
  readFileSync(join(built, `${path.replace(/\/$/, "/index")}.html`), "utf8").includes("<table");
const withTables = others.filter(hasTable);

/** A page of each kind. The other checks of the site open some more of those, with their scripts, and look at them with axe. */
const kinds = [
  "/404",
  "/start/receive-offers",
  "/inspector",
  "/errors/queue_full",
  "/reference/api/",
  "/reference/api/getMemberAvailability",
  "/reference/api/webhook-transfer-offer",
  "/reference/control/clock",
  "/reference/sdk/interfaces/Calls",
  "/decisions/0017-inspector-site-and-playground",
  "/downloads/",
];

/** A page whose content is replaced. */
const open = (width: number, scripts = false): Promise<OpenPage> => site.open("/sdk", { width, height: 860, scripts });

/** Runs in the page. Shows another page, whose styles are the same. */
async function show(path: string): Promise<void> {
  const other = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html");
  document.querySelector("#app")?.replaceWith(other.querySelector("#app") ?? "");
  document.title = other.title;
  // As the script in the head of each page does.
  document.documentElement.dataset.codeLanguage = "typescript";
}

/** Runs in the page. What makes the page wider than the window. */
function tooWide(): string[] {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const parts = [...document.querySelectorAll("#app *")].filter(
    (part) => part.getBoundingClientRect().right > clientWidth,
  );
  // Tables and code scroll in themselves, so that what is in them is the reason only if nothing else is.
  const widest = parts.findLast((part) => !part.closest("table, pre")) ?? parts.at(-1);
  return [`${scrollWidth - clientWidth} px: ${widest?.outerHTML.slice(0, 120)}`];
}

/** Runs in the page. The first line of each block of code that is cut although it has up to so many columns. */
function cutCode(columns: number): string[] {
  return [...document.querySelectorAll(".vp-doc pre")].flatMap((block) => {
    const lines = (block.textContent ?? "").split("\n");
    const isShort = lines.every((line) => line.length <= columns);
    return isShort && block.scrollWidth > block.clientWidth ? [lines[0] ?? ""] : [];
  });
}

/** Runs in the page. The tables that scroll beside empty room, left and right of them. */
function cutTables(): string[] {
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
    const text = (table.textContent ?? "").trim().slice(0, 40);
    return hidden > 0 && empty > 1 ? [`${hidden} px of "${text}" are hidden beside ${empty} empty px`] : [];
  });
}

/** What a look at each page finds, with its path. */
async function look(
  opened: OpenPage,
  paths: readonly string[],
  find: (path: string) => Promise<readonly string[]>,
): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await opened.page.evaluate(show, path);
    found.push(...(await find(path)).map((problem) => `${path}: ${problem}`));
  }
  return found;
}

/** Of pages that are written alike, some. */
const everyNth = (paths: readonly string[], nth: number) => paths.filter((_, index) => index % nth === 0);

it("no page scrolls sideways on a phone of 400 px", async () => {
  assert.ok(guides.length > 40, `only ${guides.length} guides`);
  await using opened = await open(400);
  const paths = [...guides, ...kinds, ...everyNth(others, 20)];
  assert.deepEqual(await look(opened, paths, () => opened.page.evaluate(tooWide)), []);
});

describe("at 1280 px", () => {
  const code: string[] = [];
  let tables: string[] = [];
  before(async () => {
    await using opened = await open(1280);
    const paths = [...texts, ...everyNth(withTables, 10)];
    tables = await look(opened, paths, async (path) => {
      const cut = texts.includes(path) ? await opened.page.evaluate(cutCode, 100) : [];
      code.push(...cut.map((line) => `${path}: ${line}`));
      return opened.page.evaluate(cutTables);
    });
  });

  it("code of up to 100 columns is not cut on a guide", () => {
    assert.deepEqual(code, []);
  });

  it("tables use the room that there is before they scroll", () => {
    assert.ok(withTables.length > 100, `only ${withTables.length} pages have tables`);
    assert.deepEqual(tables, []);
  });
});

it("a page of each kind has no serious axe findings", async () => {
  // axe waits by timers, which a page without scripts does not have.
  await using opened = await open(1280, true);
  const findings = await look(opened, kinds, async (path) => {
    // Every second one is looked at in dark.
    const isDark = kinds.indexOf(path) % 2 === 1;
    await opened.page.evaluate((dark) => document.documentElement.classList.toggle("dark", dark), isDark);
    return opened.findings();
  });
  assert.deepEqual(findings, []);
});
