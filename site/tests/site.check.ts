// The built site: its links, its pages in a browser in both themes, its search, and the Markdown beside it.
import assert from "node:assert/strict";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { built, fileFor, type ServedSite, serveSite, themeOf } from "./served-site.ts";

const read = (path: string) => readFileSync(`${built}${path}`, "utf8");
const shots = fileURLToPath(new URL("../../reports/site/", import.meta.url));
/** Pages with scripts of their own. The check of the layout looks at a page of each kind. */
const looked = ["", "sdk", "playground", "specification"];

let site: ServedSite;
before(async () => {
  mkdirSync(shots, { recursive: true });
  site = await serveSite();
});
after(() => site[Symbol.asyncDispose]());

describe("links", () => {
  const pages = globSync("**/*.html", { cwd: built });
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (file: string): ReadonlySet<string> => {
    const known = anchors.get(file);
    if (known) return known;
    const found = new Set([...readFileSync(file, "utf8").matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id));
    anchors.set(file, found);
    return found;
  };
  const problemOf = (page: string, link: string): string | undefined => {
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(link)) return undefined;
    const { pathname, hash } = new URL(link.replaceAll("&amp;", "&"), `http://site/${page}`);
    const file = fileFor(pathname);
    if (file === undefined) return `${page}: ${link} leads nowhere`;
    // A hash such as #program=… chooses what the page shows.
    if (hash === "" || hash.includes("=") || !file.endsWith(".html")) return undefined;
    return anchorsOf(file).has(decodeURIComponent(hash.slice(1))) ? undefined : `${page}: ${link} has no such anchor`;
  };

  it("lead from every page to a page, a file and an anchor that exist", () => {
    assert.ok(pages.length > 40, `only ${pages.length} pages were built`);
    const problems = pages.flatMap((page) => {
      const links = [...read(page).matchAll(/<(?:a|img|link|script)\s[^>]*?\b(?:href|src)="([^"]*)"/g)];
      return [...new Set(links.map(([, link = ""]) => link))].flatMap((link) => problemOf(page, link) ?? []);
    });
    assert.deepEqual(problems, []);
  });

  it("lead from llms.txt and from each Markdown page to files that exist", () => {
    const texts = ["llms.txt", ...globSync("**/*.md", { cwd: built })];
    const problems = texts.flatMap((path) =>
      [
        ...read(path)
          .replace(/^( *)```[\s\S]*?^\1```/gm, "")
          .replace(/`[^`\n]*`/g, "")
          .matchAll(/\]\(([^()\s]+)\)/g),
      ]
        .map(([, link = ""]) => link)
        .filter((link) => !/^(?:[a-z]+:|#)/.test(link))
        .filter((link) => fileFor(`/${posix.join(posix.dirname(path), link.replace(/#.*$/, ""))}`) === undefined)
        .map((link) => `${path}: ${link} leads nowhere`),
    );
    assert.deepEqual(problems, []);
  });
});

describe("pages", () => {
  for (const [index, path] of looked.entries())
    it(`/${path} is without errors, foreign requests and serious axe findings, ${themeOf(index)}`, async () => {
      await using opened = await site.open(`/${path}`, { theme: themeOf(index) });
      await opened.page.screenshot({ path: `${shots}${path.replaceAll("/", "-") || "home"}-${themeOf(index)}.png` });
      assert.deepEqual(await opened.findings(), []);
      assert.equal(await opened.scrollsSidewaysOnPhone(), false, "the page scrolls sideways on a phone");
    });
});

describe("code in both languages", () => {
  it("is shown in the one that was chosen, on every page and at the next visit", async () => {
    await using opened = await site.open("/placing-calls");
    const { page } = opened;
    const shown = (language: string) => page.locator(`.in-${language}`).first().isVisible();
    assert.deepEqual([await shown("typescript"), await shown("python")], [true, false]);
    await page.getByRole("button", { name: "Python" }).first().click();
    assert.deepEqual([await shown("typescript"), await shown("python")], [false, true]);
    await page.goto(`${site.url}/errors`);
    assert.deepEqual([await shown("typescript"), await shown("python")], [false, true]);
    await page.locator('[aria-pressed="true"]', { hasText: "Python" }).first().waitFor();
  });

  it("is shown in both, one under the other, without scripts", async () => {
    await using opened = await site.open("/placing-calls", { scripts: false });
    assert.equal(await opened.page.locator(".in-python").first().isVisible(), true);
    assert.equal(await opened.page.locator(".in-typescript").first().isVisible(), true);
    assert.equal(await opened.page.locator(".code-switch").first().isVisible(), false);
  });
});

describe("search", () => {
  const guides = {
    retry: "resilience",
    timeout: "resilience",
    "rate limit": "resilience",
    webhook: "webhooks",
    group: "transfers",
    python: "python",
    errors: "errors",
    "api key": "authentication",
    sandbox: "time-faults-sandboxes",
    "place a call": "placing-calls",
    reconcile: "placing-calls",
    createCall: "reference/api/createCall",
  };

  it("finds the page that explains a word first, without a network", async () => {
    await using opened = await site.open("/");
    await opened.page.keyboard.press("Control+k");
    const list = opened.page.locator("#localsearch-list");
    for (const [query, page] of Object.entries(guides)) {
      await opened.page.locator("#localsearch-input").fill(query);
      // The results of the query before stay for a moment.
      const first = list.locator(`> :first-child a[href^="/${page}#"]`);
      await first.waitFor().catch(async () => {
        const links = await list.locator("a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
        assert.fail(`"${query}" finds ${links.slice(0, 3).join(", ")} before /${page}`);
      });
    }
  });
});
