// The built site: its links, a page of each kind in a browser in both themes, and a search for a name.
import assert from "node:assert/strict";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { errorCodes, fieldErrorCodes } from "@call-transfer/spec";
import { built, fileFor, type ServedSite, serveSite, themeOf } from "./served-site.ts";

/** Codes whose name is part of another one, which a search could prefer. */
const codes: readonly string[] = [...Object.keys(errorCodes), ...fieldErrorCodes];
const similar = codes.filter((code) => codes.some((other) => other !== code && other.includes(code)));

const read = (path: string) => readFileSync(`${built}${path}`, "utf8");
const shots = fileURLToPath(new URL("../../reports/site/", import.meta.url));
/** A page of each kind, and those with scripts of their own. */
const looked = [
  ...["", "sdk", "start/receive-offers", "playground", "specification", "errors/", "errors/queue_full", "404"],
  ...["reference/", "reference/api/createCall", "reference/api/webhook-transfer-offer", "reference/control/clock"],
  ...["reference/sdk/interfaces/Calls", "decisions/0017-inspector-site-and-playground"],
];

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

it("the search leads from a name to the page of all names, and from a code to its page first", async () => {
  await using opened = await site.open("/");
  await opened.page.keyboard.press("Control+k");
  const input = opened.page.locator("#localsearch-input");
  await input.fill("createDestinationGroupMutationOptions");
  await opened.page.locator('#localsearch-list a[href^="/reference/#"]').first().waitFor();
  for (const code of similar) {
    await input.fill(code);
    // The results of the code before stay for a moment.
    await opened.page.locator(`#localsearch-list > :first-child a[href^="/errors/${code}#"]`).waitFor();
  }
});
