// What people open the inspector for, each in at most three steps on its screen, with a mouse and with the keyboard alone.
import { demo } from "@call-transfer/backend";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type Inspector, inspectorTests } from "./page.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;
const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };

/** One click, one press of a key, or one input that is filled. */
type Step =
  | { readonly press: string; readonly role?: "button" | "link" }
  | { readonly fill: string; readonly text: string }
  | { readonly choose: string; readonly option: string }
  /** The first row of the list. */
  | { readonly row: "first" };

interface Job {
  readonly name: string;
  /** The screen, which a click or `g` and a key opens; undefined for the one that is open at the start. */
  readonly screen?: readonly [title: string, key: string];
  readonly steps: readonly Step[];
  /** What was there before. */
  prepare?(inspector: Inspector): Promise<unknown>;
  /** Waits until the job is done, or fails. */
  done(inspector: Inspector): Promise<unknown>;
}

const statuses = async ({ client }: Inspector, count: number) => {
  const found: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const result = await client({ maxRetries: 0 }).calls.create(call).result();
    found.push(result.ok ? "placed" : "failed");
  }
  return found;
};
const copied = ({ page }: Inspector) => page.evaluate(() => navigator.clipboard.readText());

const jobs: readonly Job[] = [
  {
    name: "see a call",
    steps: [{ press: "Place a call" }, { row: "first" }],
    done: ({ page }) => page.getByText("Added to calls").waitFor(),
  },
  {
    name: "ring a group",
    screen: ["Transfers", "r"],
    steps: [{ press: "Ring Night shift" }],
    done: ({ page }) => page.getByRole("group", { name: /^Reception\. Rings/ }).waitFor(),
  },
  {
    name: "fail three requests",
    screen: ["Faults", "f"],
    steps: [{ fill: "As a text", text: "createCall 503, 503, 503" }, { press: "Add the fault" }],
    async done(inspector) {
      await inspector.page.getByText("The fault is added.", { exact: false }).waitFor();
      expect(await statuses(inspector, 4)).toEqual(["failed", "failed", "failed", "placed"]);
    },
  },
  {
    name: "move the clock by a day",
    screen: ["Clock", "c"],
    steps: [{ press: "+24 h" }],
    async done({ page, server }) {
      await page.getByRole("heading", { name: "What happened in 1 d" }).waitFor();
      expect((await server.clock()).now).toBe("2026-03-03T12:00:00.000Z");
    },
  },
  {
    name: "rotate a secret",
    screen: ["Webhooks", "w"],
    steps: [{ press: "Receivers", role: "link" }, { press: "Rotate the secret" }],
    done: ({ page }) => page.getByText("The secret is rotated.", { exact: false }).waitFor(),
  },
  {
    name: "replay a request",
    prepare: ({ client }) => client().roles.list(),
    steps: [{ row: "first" }, { press: "Send again" }],
    done: ({ page }) => page.getByText("sends request").waitFor(),
  },
  {
    name: "take and restore a snapshot",
    screen: ["Sandboxes", "b"],
    steps: [{ press: "Take a snapshot" }, { press: "Restore snapshot 1" }, { press: "Restore" }],
    done: ({ page }) => page.getByText("default is as in snapshot 1.").waitFor(),
  },
  {
    name: "find why a transfer failed",
    screen: ["Transfers", "r"],
    async prepare({ server }) {
      await server.startTransfer({ destinationId: demo.destinations.availableHumans });
      await server.advance(60_000);
    },
    steps: [],
    async done({ page }) {
      await page.getByText("Missed after 30 s").first().waitFor();
      await page.getByText("Did not ring: the member is away").first().waitFor();
    },
  },
  {
    name: "copy a request as code",
    prepare: ({ client }) => client().roles.list(),
    steps: [{ row: "first" }, { press: "Copy as SDK code" }],
    done: (inspector) => expect.poll(() => copied(inspector)).toContain("client.roles.list()"),
  },
  {
    name: "change sandboxes",
    prepare: ({ server }) => server.createSandbox("checkout"),
    steps: [{ choose: "Sandbox", option: "checkout" }],
    done: ({ page }) => expect.poll(() => page.url()).toContain("#/checkout/traffic"),
  },
];

/** How a step is taken. */
interface Hand {
  screen(inspector: Inspector, title: string, key: string): Promise<void>;
  step(inspector: Inspector, step: Step): Promise<void>;
}

/** The element of a step: in the dialog if one is open. */
async function elementOf({ page }: Inspector, step: Exclude<Step, { readonly row: "first" }>): Promise<Locator> {
  const dialog = page.getByRole("dialog");
  const place = (await dialog.count()) > 0 ? dialog : page.locator("body");
  if ("press" in step) return place.getByRole(step.role ?? "button", { name: step.press, exact: true });
  return place.getByLabel("fill" in step ? step.fill : step.choose, { exact: true });
}

const mouse: Hand = {
  screen: ({ page }, title) => page.getByRole("navigation").getByRole("link", { name: title }).click(),
  async step(inspector, step) {
    if ("row" in step) return inspector.page.getByRole("listbox").getByRole("option").first().click();
    const element = await elementOf(inspector, step);
    if ("press" in step) await element.click();
    else if ("fill" in step) await element.fill(step.text);
    else await element.selectOption(step.option);
  },
};

/** Presses Tab until an element has the focus. More presses than the page has elements mean that the keyboard cannot reach it. */
async function tabTo({ page, settled }: Inspector, element: Locator): Promise<void> {
  await element.waitFor();
  // What is read later adds elements.
  await settled();
  const most = await page.locator("a, button, input, select, textarea, summary, [tabindex]").count();
  for (let pressed = 0; pressed <= most; pressed += 1) {
    if (await element.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The keyboard does not reach ${element}`);
}

const keyboard: Hand = {
  async screen({ page }, _title, key) {
    await Promise.all([page.keyboard.press("g"), page.keyboard.press(key)]);
  },
  async step(inspector, step) {
    const { page } = inspector;
    if ("row" in step) {
      await page.getByRole("listbox").getByRole("option").first().waitFor();
      return page.keyboard.press("j");
    }
    const element = await elementOf(inspector, step);
    // A person waits until the option is there.
    if ("choose" in step) await element.locator("option", { hasText: step.option }).waitFor({ state: "attached" });
    await tabTo(inspector, element);
    if ("press" in step) return page.keyboard.press("Enter");
    if ("fill" in step) await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("fill" in step ? step.text : step.option);
  },
};

/** The steps of the others have the same buttons and fields. */
const byMouse = jobs.slice(0, 2);

describe.each([
  ["a mouse", mouse, byMouse],
  ["the keyboard alone", keyboard, jobs],
] as const)("with %s", (title, hand, tried) => {
  it.each(tried)("$name", async ({ screen, steps, prepare, done }) => {
    await using inspector = await open({ server: frozen, screen: "traffic" });
    await inspector.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await prepare?.(inspector);
    if (screen !== undefined) await hand.screen(inspector, ...screen);
    for (const step of steps) await hand.step(inspector, step);
    await done(inspector);
    expect(steps.length, title).toBeLessThanOrEqual(3);
  });
});
