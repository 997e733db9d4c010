// The playground of the built site, in a browser without a network.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { nameOf, programs } from "../playground/programs.ts";
import { editor, ended, openPlayground, output, press, run } from "./playground-page.ts";
import { type ServedSite, serveSite, themes } from "./served-site.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

let site: ServedSite;
before(async () => {
  site = await serveSite();
});
after(() => site[Symbol.asyncDispose]());

const open = (...options: Parameters<typeof openPlayground> extends [unknown, ...infer Rest] ? Rest : never) =>
  openPlayground(site, ...options);

const line = (page: Page, text: string | RegExp) => page.getByRole("log", { name: "Output" }).getByText(text);
const inspector = (page: Page) => page.locator("call-transfer-inspector");

describe("each program", async () => {
  /** Signatures take their own time in each runtime, so concurrent deliveries end in another order. */
  const isConcurrent = (path: string) => path === "examples/webhook-faults.ts";

  /** The lines of an output. Ids of events begin with another text in each backend; Node prints warnings to stderr. */
  const linesOf = (text: string) =>
    text
      .trimEnd()
      .replace(/eventId: '[0-9a-f]+-/g, "eventId: '…-")
      .replace(/^call-transfer: .*\n/gm, "")
      .split("\n");

  it("prints in the page what it prints in Node, also when the network is gone", async () => {
    const [first, second] = programs;
    await using opened = await open(undefined, {}, second && `#program=${nameOf(second)}`);
    const { page } = opened;
    const choice = page.getByRole("combobox", { name: "Program" });
    assert.equal(await choice.inputValue(), second && nameOf(second));
    await choice.selectOption(first.title);
    await run(page);
    await inspector(page).waitFor();
    await page.context().setOffline(true);
    for (const { path, title } of programs) {
      await choice.selectOption(title);
      const printed = linesOf(await run(page));
      const options = ["--conditions=@call-transfer/source", path];
      const expected = linesOf(execFileSync(process.execPath, options, { cwd: root, encoding: "utf8", stdio: "pipe" }));
      if (isConcurrent(path)) for (const lines of [printed, expected]) lines.sort();
      assert.deepEqual(printed, expected, path);
      assert.equal(await page.locator(".pg-text.pg-error").filter({ hasNotText: "call-transfer: " }).count(), 0, path);
    }
    // The browser asks for the icon of the tab again when the address changes.
    const failures = opened.troubles.splice(0).filter((trouble) => !trouble.includes("/icon.svg"));
    assert.deepEqual(failures, []);
  });
});

describe("the first program", () => {
  for (const theme of themes)
    it(`shows two requests for the call that was retried, and has no serious axe finding, ${theme}`, async () => {
      await using opened = await open(undefined, { theme });
      const { page } = opened;
      await run(page);
      const requests = inspector(page).getByRole("option", { name: /createCall/ });
      await requests.nth(1).waitFor();
      const statuses = (await requests.allTextContents()).map((text) => /POST\D*(\d{3})/.exec(text)?.[1]);
      assert.deepEqual(statuses, ["201", "429"]);
      assert.deepEqual(await opened.findings(), []);
    });

  it("has no serious axe finding and does not scroll sideways on a phone", async () => {
    await using opened = await open(undefined, { width: 400, height: 800 });
    const { page } = opened;
    await run(page);
    await inspector(page).waitFor();
    assert.deepEqual(await opened.findings(), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400);
  });
});

describe("the backend of a program", () => {
  const ringing = "#program=answer-a-transfer";

  it("lets the user answer a phone that rings, and tells the program", async () => {
    await using opened = await open(undefined, {}, ringing);
    const { page } = opened;
    await run(page);
    await inspector(page).getByRole("link", { name: "Calls" }).click();
    await inspector(page).getByRole("button", { name: "Answer: Reception" }).click();
    await line(page, "transfer.connected").waitFor();
  });

  it("lets the user move its clock, and tells the program", async () => {
    await using opened = await open(undefined, {}, ringing);
    const { page } = opened;
    await run(page);
    await inspector(page)
      .getByRole("button", { name: /^\+1 min/ })
      .click();
    await line(page, /ring_ended: missed/)
      .first()
      .waitFor();
    await inspector(page).getByText("12:01:00", { exact: true }).waitFor();
  });
});

describe("an error", () => {
  const mistakes: readonly [name: string, source: string, line: number, text: RegExp][] = [
    ["that is thrown", "const a = 1;\n\nthrow new TypeError('no ' + a);", 3, /TypeError: no 1/],
    [
      "of a listener, after the program",
      "\nsetTimeout(() => {\n  missing();\n});\nawait 0;",
      3,
      /missing is not defined/,
    ],
    ["of syntax", "const a = 1;\nconst = 2;", 2, /SyntaxError/],
    [
      "of an import",
      '\nimport { readFileSync } from "node:fs";\nreadFileSync("a");',
      2,
      /Cannot import "node:fs" here.*@call-transfer\/sdk\/webhooks/s,
    ],
  ];
  for (const [name, source, number, text] of mistakes)
    it(`${name} shows its line`, async () => {
      await using opened = await open(source);
      const { page } = opened;
      await press(page, /^Run/);
      await page.getByRole("button", { name: `Line ${number}`, exact: true }).click();
      assert.match(await output(page), text);
      assert.equal(await page.locator(".pg-marked-line").count(), 1);
      assert.ok(await editor(page).evaluate((element) => element.contains(document.activeElement)));
    });
});

describe("a link", () => {
  const source = 'console.log("from a link: äöü 😀");\n';

  it("restores the program that was shared, and does not run it", async () => {
    await using opened = await open(source);
    await press(opened.page, /^Copy link/);
    await opened.page.getByRole("status").getByText("Link copied").waitFor();
    const link = await opened.page.evaluate(() => navigator.clipboard.readText());
    assert.equal(opened.page.url(), link);

    await using other = await open(undefined, {}, new URL(link).hash);
    const { page } = other;
    await page.getByText("This program came with the link.").waitFor();
    assert.equal(await page.locator(".cm-line").first().textContent(), source.trim());
    assert.equal(await page.locator("iframe").count(), 0);
    assert.equal(await output(page), "");
    assert.equal(await run(page), "from a link: äöü 😀");
    await editor(page).fill("changed");
    await press(page, /^Reset/);
    await page.locator(".cm-line").first().getByText("from a link").waitFor();
  });

  it("that is damaged shows the first program", async () => {
    await using opened = await open(undefined, {}, "#code=broken");
    await opened.page.getByText("The link is damaged.").waitFor();
    await opened.page.locator(".cm-line").first().getByText("The API refuses a call once").waitFor();
  });
});

describe("the script of the worker", () => {
  const script = /playground-runtime/;

  it("runs a program once, however often the keys were pressed before it came", async () => {
    await using opened = await site.open("/errors");
    const { page } = opened;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(script, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${site.url}/playground`);
    await editor(page).fill("console.log('once')");
    await page.keyboard.press("Control+Enter");
    await press(page, /^Stop/);
    await editor(page).focus();
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("Control+Enter");
    release();
    await ended(page);
    assert.equal(await output(page), "once");
    assert.equal(await page.locator("iframe").count(), 1);
  });

  it("says what to do when it cannot be loaded", async () => {
    await using opened = await site.open("/errors");
    const { page } = opened;
    await page.route(script, (route) => route.abort());
    await page.goto(`${site.url}/playground`);
    await editor(page).waitFor();
    await press(page, /^Run/);
    await page.getByRole("status").getByText("The playground could not be loaded. Reload the page.").waitFor();
    // The browser reports the script.
    const others = opened.troubles.splice(0).filter((trouble) => !trouble.includes("ERR_FAILED"));
    assert.deepEqual(others, []);
  });
});

it("the output shows 2,000 texts and says that there were more", async () => {
  await using opened = await open("for (let index = 1; index <= 2001; index += 1) console.log(index);");
  const lines = (await run(opened.page)).split("\n");
  assert.deepEqual(lines.slice(1999), ["2000", "The program has printed more than 2000 times. The rest is not shown."]);
});

describe("the keyboard", () => {
  it("runs a program, indents in the editor, and leaves it", async () => {
    await using opened = await open("console.log('run by a key')");
    const { page } = opened;
    await editor(page).focus();
    await page.keyboard.press("Control+Enter");
    await ended(page);
    assert.equal(await output(page), "run by a key");
    await editor(page).focus();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Tab");
    assert.match((await page.locator(".cm-line").first().textContent()) ?? "", /^ {2}console/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    assert.equal(await editor(page).evaluate((element) => element.contains(document.activeElement)), false);
  });
});

it("a program on a page of the guide leads to the playground", async () => {
  await using opened = await site.open("/placing-calls");
  await opened.page.getByRole("link", { name: "Open in the playground" }).first().click();
  await editor(opened.page).waitFor();
  assert.match(opened.page.url(), /playground#program=/);
});
