// What holds on each screen, with data and without: for people who cannot see it, and for the system of style/tokens.css.
import { demo } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { type Inspector, inspectorTests, themes } from "./page.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;

/** The parts of screens that their links lead to, besides the first one. */
const parts = [
  ["webhooks", "receivers"],
  ["webhooks", "inbox"],
  ["faults", "scenarios"],
  ["faults", "stubs"],
  ["faults", "policies"],
  ["sandboxes", "credentials"],
  ["state", "members", demo.members.agent],
  ["coverage", "createCall"],
  ["reference", "createCall"],
] as const;

/** Dialogs, by the screen and the button that opens them. */
const dialogs = [
  ["traffic", "Clear the request log"],
  ["transfers", "Start a transfer"],
  ["webhooks", "Send an offer"],
  ["sandboxes", "New sandbox"],
  ["sandboxes", "Reset default"],
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

describe.each(themes)("in %s colours", (theme) => {
  it("no screen has a serious finding of axe-core, such as of contrast, or two primary buttons", async () => {
    await using inspector = await open({ server: frozen, theme });
    const found: Record<string, readonly string[]> = {};
    const look = async (place: string) => {
      const findings = [...(await inspector.findings())];
      const primary = await inspector.page.locator(".button-primary:visible").allInnerTexts();
      // Panels that have nothing to do with each other stand below each other there. A dialog has its own beside its screen's.
      if (primary.length > 1 && !/^sandboxes|: /.test(place)) findings.push(`primary buttons: ${primary.join(", ")}`);
      if (findings.length > 0) found[place] = findings;
    };
    // The tests of the screens look at each with data, too, so that here each colour takes one half.
    if (theme === "light") await eachPlace(inspector, (place) => look(`${place}, empty`));
    await play(inspector);
    if (theme === "dark") await eachPlace(inspector, look);
    for (const [screen, button] of dialogs) {
      await inspector.go(screen);
      await inspector.page.getByRole("button", { name: button, exact: true }).click();
      await inspector.page.getByRole("dialog").waitFor();
      await look(`${screen}: ${button}`);
      await inspector.page.keyboard.press("Escape");
    }
    expect(found).toEqual({});
  });
});

/** What sticks out of the panel, the details or the bar that it stands in, and does not scroll. */
const stickingOut = ({ page }: Inspector) =>
  page.evaluate(() => {
    const holders = ".panel, .split-detail, .split-list, .screen-body, .top, main";
    const holderOf = (element: Element): Element | undefined => {
      for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
        if (parent.matches(holders)) return parent;
        if (getComputedStyle(parent).overflowX !== "visible") return undefined;
      }
      return undefined;
    };
    return [...document.querySelectorAll("main *, .top *")]
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

it("on a phone the navigation opens the screens that do not fit, the colours and the keys", async () => {
  await using inspector = await open({ server: frozen, size: "phone", screen: "traffic" });
  const { page } = inspector;
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Dark colours" }).click();
  await page.getByRole("button", { name: "Light colours" }).waitFor();
  await page.getByRole("button", { name: "Show the keys" }).waitFor();
  await page.getByRole("link", { name: "Coverage" }).click();
  await page.getByRole("heading", { name: "Coverage" }).waitFor();
  expect(await page.getByRole("button", { name: "Show the keys" }).isVisible()).toBe(false);
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
  await inspector.go("transfers");
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await moving()).toBeGreaterThan(0);
});
