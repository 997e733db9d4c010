// The pages of error codes in a browser: the list with its filter, and the search for a code.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { errorCodes, fieldErrorCodes } from "@call-transfer/spec";
import { type ServedSite, serveSite } from "./served-site.ts";

const shots = fileURLToPath(new URL("../../reports/site/", import.meta.url));
const codes: readonly string[] = [...Object.keys(errorCodes), ...fieldErrorCodes];

/** Codes whose name is part of another one, which a search could prefer. */
const similar = codes.filter((code) => codes.some((other) => other !== code && other.includes(code)));

let site: ServedSite;
before(async () => {
  mkdirSync(shots, { recursive: true });
  site = await serveSite();
});
after(() => site[Symbol.asyncDispose]());

describe("the pages of error codes", () => {
  it("the list has no errors and no serious axe findings", async () => {
    await using opened = await site.open("/errors/");
    await opened.page.screenshot({ path: `${shots}errors.png`, fullPage: true });
    assert.deepEqual(await opened.findings(), []);
  });

  it("the list shows only the codes that contain the words of the filter", async () => {
    await using opened = await site.open("/errors/");
    const rows = opened.page.locator(".vp-doc tbody tr:visible a");
    await opened.page.getByLabel("Filter by text or status").fill("404 schedule");
    assert.deepEqual(await rows.allTextContents(), ["schedule_not_found"]);
    assert.equal(await opened.page.locator(".error-filter output").textContent(), "1 code");
    assert.deepEqual(await opened.page.locator(".vp-doc h2:visible").count(), 1);
    await opened.page.getByLabel("Filter by text or status").fill("");
    assert.ok((await rows.count()) >= codes.length);
  });

  it("a search for a code finds its page first, also for a code whose name is part of another one", async () => {
    await using opened = await site.open("/");
    await opened.page.keyboard.press("Control+k");
    const input = opened.page.locator("#localsearch-input");
    for (const code of similar) {
      await input.fill(code);
      // The results of the code before stay for a moment.
      const first = opened.page.locator(`#localsearch-list > :first-child a[href^="/errors/${code}#"]`);
      await first.waitFor();
    }
  });
});
