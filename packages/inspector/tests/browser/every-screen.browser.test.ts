// Properties of each screen, with data and without: for people who cannot see it, and for the system of style/tokens.css.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { demo } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { type Inspector, inspectorTests, themes } from "./page.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;

/** Parts of screens, besides their first view. */
const parts = [
  ["events", "1"],
  ["records", "members", demo.members.agent],
  ["records", "destinations", "new"],
  ["records", "calls"],
] as const;

/** Menus and dialogs, by the button that opens them. */
const menus = [
  ["events", /^default/],
  ["events", /12:0\d:\d\d/],
  ["events", "Get credentials"],
  ["events", "Settings"],
  ["events", "New request"],
  ["events", "Clear the list"],
  ["calls", /^Ring/],
  ["errors", /^Scenarios/],
] as const;

/** A refused call, a ringing transfer, a delivery and a fault. */
async function play({ server, client }: Inspector): Promise<void> {
  await client().roles.list();
  await server.addFault("createCall queue_full");
  await server.startTransfer({ groupId: demo.groups.existing });
  await server.trigger(demo.destinations.app);
}

/** Calls a function on each screen and each part. */
async function eachPlace(inspector: Inspector, run: (place: string) => Promise<void>): Promise<void> {
  const screens = (await inspector.screens()).map((screen) => [screen] as const);
  for (const [screen, ...rest] of [...screens, ...parts]) {
    await inspector.go(screen, ...rest);
    await run([screen, ...rest].join("/"));
  }
}

describe.each(themes)("in %s colors", (theme) => {
  it("no screen and no menu has a serious finding of axe-core, such as of contrast, or two primary buttons", async () => {
    await using inspector = await open({ server: frozen, theme });
    const { page } = inspector;
    const found: Record<string, readonly string[]> = {};
    const look = async (place: string) => {
      const findings = [...(await inspector.findings())];
      const primary = await page.locator("main .button-primary:visible").allInnerTexts();
      if (primary.length > 1) findings.push(`primary buttons: ${primary.join(", ")}`);
      if (findings.length > 0) found[place] = findings;
    };
    // Each color takes one half.
    if (theme === "light") await eachPlace(inspector, (place) => look(`${place}, empty`));
    await play(inspector);
    if (theme === "dark") await eachPlace(inspector, look);
    for (const [screen, button] of menus) {
      await inspector.go(screen);
      await page.getByRole("button", { name: button }).first().click();
      await page.getByRole("dialog").first().waitFor();
      await inspector.settled();
      await look(`${screen}: ${button}`);
      await page.keyboard.press("Escape");
    }
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: /^Policies/ }).click();
    await page.getByRole("heading", { name: "Policies" }).waitFor();
    await look("policies");
    await page.keyboard.press("Escape");
    const { deliveries } = inspector.server;
    const [delivery] = await deliveries();
    await inspector.go("webhooks", delivery?.id ?? "");
    await page.locator("main details").evaluateAll((all) => all.map((part) => part.setAttribute("open", "")));
    await look("a delivery, unfolded");
    expect(found).toEqual({});
  });
});

/** The elements that stick out of the panel, the details or the bar that they stand in, and do not scroll. */
const stickingOut = ({ page }: Inspector) =>
  page.evaluate(() => {
    const holders = ".panel, .split-detail, .split-list, .screen-body, .top, .bar, main";
    const holderOf = (element: Element): Element | undefined => {
      for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
        if (parent.matches(holders)) return parent;
        if (getComputedStyle(parent).overflowX !== "visible") return undefined;
      }
      return undefined;
    };
    return [...document.querySelectorAll("main *, .top *, .bar *")]
      .filter(
        (element) => element.checkVisibility() && !element.matches(".visually-hidden, .visually-hidden *, option"),
      )
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        const holder = width === 0 ? undefined : holderOf(element)?.getBoundingClientRect();
        return holder !== undefined && (right > holder.right + 1.5 || left < holder.left - 1.5);
      })
      .map((element) => `${element.tagName} ${element.className}: ${element.textContent?.slice(0, 60)}`);
  });

it.each([320, 700])("nothing sticks out on any screen at %i pixels", async (width) => {
  // A Saturday, on which the agent is outside their hours.
  await using inspector = await open({ server: { clockMode: "frozen", now: "2026-03-07T12:00:00Z" } });
  await play(inspector);
  await inspector.page.setViewportSize({ width, height: 800 });
  const found: Record<string, readonly string[]> = {};
  await eachPlace(inspector, async (place) => {
    const texts = await stickingOut(inspector);
    if (texts.length > 0) found[place] = texts;
  });
  expect(found).toEqual({});
});

it("an empty list of deliveries keeps its texts together on a high page", async () => {
  await using inspector = await open({ server: frozen });
  await inspector.page.setViewportSize({ width: 1440, height: 1400 });
  await inspector.go("webhooks");
  const box = await inspector.page.getByRole("button", { name: "Copy the command" }).boundingBox();
  expect(box?.height).toBeLessThan(48);
});

it("the list of calls keeps its height beside the preview on a narrow page", async () => {
  await using inspector = await open({ server: frozen });
  await play(inspector);
  await inspector.page.setViewportSize({ width: 400, height: 800 });
  await inspector.go("calls");
  const list = inspector.page.getByLabel("Calls, newest first");
  await expect.poll(async () => (await list.boundingBox())?.height ?? 0).toBeGreaterThan(100);
});

it("nothing moves on any screen for people who prefer reduced motion", async () => {
  await using inspector = await open({ server: frozen });
  const { page } = inspector;
  await play(inspector);
  const moving = () =>
    page.evaluate(
      () =>
        [...document.querySelectorAll("*")].filter((element) => {
          const { transitionDuration, animationName } = getComputedStyle(element);
          return transitionDuration.split(", ").some((time) => time !== "0s") || animationName !== "none";
        }).length,
    );
  const found: Record<string, number> = {};
  await eachPlace(inspector, async (place) => {
    const count = await moving();
    if (count > 0) found[place] = count;
  });
  expect(found).toEqual({});
  await inspector.go("calls");
  await page.getByRole("group", { name: "Rings", exact: true }).waitFor();
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await moving()).toBeGreaterThan(0);
});

describe("a delivery that failed", () => {
  it("is explained by the page alone: what the app answered, and what to do", async () => {
    await using inspector = await open({ server: frozen, screen: "webhooks" });
    const { page, server } = inspector;
    const app = createServer((_, response) => {
      response.writeHead(500, { "content-type": "text/plain" }).end("TypeError: offer.caller is undefined\n  at x");
    });
    app.listen(0, "127.0.0.1");
    await once(app, "listening");
    try {
      const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}/offers`;
      await server.changeRecord("destinations", demo.destinations.app, { config: { url } });
      await page.getByRole("button", { name: "Send test: Front desk app" }).click();
      const details = page.getByRole("region", { name: "Details" });
      await details.getByText("Refused 500").waitFor();
      await details.getByText("TypeError: offer.caller is undefined").waitFor();
      await details.getByText("500 · text/plain").waitFor();
      await page.getByRole("option", { name: /Refused 500.*TypeError: offer.caller is undefined/ }).waitFor();
    } finally {
      app.closeAllConnections();
      app.close();
    }
  });

  it("is accepted after one press on the built-in inbox", async () => {
    await using inspector = await open({ server: frozen, screen: "webhooks" });
    const { page } = inspector;
    await page.getByRole("button", { name: "Use the built-in inbox" }).click();
    await page.getByRole("region", { name: "Details" }).getByText("Accepted 204").waitFor();
  });
});

describe("a record", () => {
  it("is edited from the card of its endpoint, and keeps its secret, which the text leaves out", async () => {
    await using inspector = await open({ server: frozen, screen: "webhooks" });
    const { page, server } = inspector;
    const before = await server.record("destinations", demo.destinations.app);
    await page.getByRole("link", { name: "http://127.0.0.1:4011/offers" }).click();
    const field = page.getByLabel("Record as JSON");
    await field.waitFor();
    const text = await field.inputValue();
    expect(text).not.toMatch(/redacted|Secret/);
    await field.fill(text.replace("Front desk app", "Front door app"));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Front door app" }).waitFor();
    expect(await server.record("destinations", demo.destinations.app)).toEqual({ ...before, name: "Front door app" });
  });

  it("stays as it is after a mistake, which is named where it is", async () => {
    await using inspector = await open({ server: frozen, screen: "records" });
    const { page, server } = inspector;
    await inspector.go("records", "destinations", demo.destinations.phone);
    const field = page.getByLabel("Record as JSON");
    const record = await server.record("destinations", demo.destinations.phone);
    await field.fill(JSON.stringify({ ...record, enabled: "maybe" }));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/^enabled/).waitFor();
    await field.fill("{");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/JSON/).last().waitFor();
    expect(await server.record("destinations", demo.destinations.phone)).toEqual(record);
  });
});

it("a new request is sent as the caller of choice, and opens with its answer", async () => {
  await using inspector = await open({ server: frozen, screen: "errors" });
  const { page } = inspector;
  await page.keyboard.press("n");
  await page.getByLabel("Operation").selectOption("listRoles");
  await page.getByLabel("As", { exact: true }).selectOption("Expired token");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const details = page.getByRole("region", { name: "Details" });
  await details.getByText("401 token_expired").waitFor();
  await page.keyboard.press("n");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await details.getByText("201", { exact: true }).waitFor();
});
