// The reference in a browser: its pages in both themes, the search for a name, and a request from the page.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ServedSite, serveSite, themeOf } from "./served-site.ts";

let site: ServedSite;
before(async () => {
  site = await serveSite();
});
after(() => site[Symbol.asyncDispose]());

/** The check of the layout looks at others, without their scripts. */
const looked = ["reference/", "reference/api/createCall", "reference/api/try"];

describe("pages", () => {
  for (const [index, path] of looked.entries())
    it(`/${path} is without errors, foreign requests and serious axe findings, ${themeOf(index)}`, async () => {
      await using opened = await site.open(`/${path}`, { theme: themeOf(index) });
      assert.deepEqual(await opened.findings(), []);
      assert.equal(await opened.scrollsSidewaysOnPhone(), false, "the page scrolls sideways on a phone");
    });
});

it("the search leads from a name to the page of all names", async () => {
  await using opened = await site.open("/");
  await opened.page.keyboard.press("Control+k");
  await opened.page.locator("#localsearch-input").fill("createDestinationGroupMutationOptions");
  const results = opened.page.locator("#localsearch-list a.result");
  await results.first().waitFor();
  const links = await results.evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
  assert.ok(
    links.some((link) => link.startsWith("/reference/#")),
    links.join(", "),
  );
});

it("a visitor sends a request from the page, and a backend in the page answers it", async () => {
  await using opened = await site.open("/reference/api/try");
  const inspector = opened.page.locator("call-transfer-inspector");
  await inspector.getByRole("button", { name: "New request" }).click();
  await inspector.getByLabel("Operation").selectOption("listRoles");
  await inspector.getByRole("button", { name: "Send", exact: true }).click();
  await inspector.getByRole("heading", { name: "GET listRoles" }).waitFor();
  await inspector.getByText('"permissions"').first().waitFor();
});
