// What people open the inspector for, each in at most three steps on its screen, with a mouse and with the keyboard alone.
import { demo } from "@call-transfer/backend";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type Inspector, inspectorTests } from "./page.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;
const { flows, numbers, recipients } = demo;
const call = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };

/** One click, one press of a key, or one input that is filled. */
type Step =
  | { readonly press: string | RegExp; readonly role?: "button" | "link" | "tab" }
  | { readonly fill: string; readonly text: string }
  /** Opens a folded part. */
  | { readonly unfold: string }
  /** The first row of the list. */
  | { readonly row: "first" };

interface Job {
  readonly name: string;
  /** The screen, which a click or `g` and a key opens; undefined for the one that is open at the start. */
  readonly screen?: readonly [title: string, key: string];
  readonly steps: readonly Step[];
  /** The state before the job. */
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

const jobs: readonly Job[] = [
  {
    name: "see a call",
    steps: [{ press: "Place a call" }, { press: /^Changes/, role: "tab" }],
    done: ({ page }) => page.getByText("Added to calls").waitFor(),
  },
  {
    name: "ring a group and answer",
    screen: ["Calls", "c"],
    steps: [{ press: "Ring Night shift" }, { press: "Answer: Reception" }],
    done: ({ page }) => page.getByRole("group", { name: "Reception. Answered after 0 s" }).waitFor(),
  },
  {
    name: "ring a group and decline",
    screen: ["Calls", "c"],
    steps: [{ press: "Ring Night shift" }, { press: "Decline: Reception" }],
    done: ({ page }) => page.getByRole("group", { name: "Reception. Declined after 0 s" }).waitFor(),
  },
  {
    name: "fail the next three requests",
    screen: ["Errors", "r"],
    steps: [{ fill: "Add a fault", text: "createCall 503, 503, 503" }, { press: "Add" }],
    async done(inspector) {
      await inspector.page.getByText("Active faults: 1").waitFor();
      expect(await statuses(inspector, 4)).toEqual(["failed", "failed", "failed", "placed"]);
    },
  },
  {
    name: "return a code next time",
    screen: ["Errors", "r"],
    steps: [{ press: /^429 rate_limit_exceeded never/ }],
    async done({ page, server }) {
      await page.getByText("next", { exact: true }).waitFor();
      expect(await server.faults()).toMatchObject([{ do: { code: "rate_limit_exceeded" } }]);
    },
  },
  {
    name: "move the clock",
    steps: [{ press: /^\+1 min/ }],
    done: async ({ server }) => expect.poll(async () => (await server.clock()).now).toBe("2026-03-02T12:01:00.000Z"),
  },
  {
    name: "set a member away",
    screen: ["Calls", "c"],
    steps: [{ press: "Away: Olivia Owner" }],
    done: async ({ server }) =>
      expect
        .poll(() => server.record("members", demo.members.owner))
        .toMatchObject({ availability: { status: "away" } }),
  },
  {
    name: "rotate a secret and see both signatures",
    screen: ["Webhooks", "w"],
    steps: [
      { press: "Rotate: secret of Front desk app" },
      { press: "Send test: Front desk app" },
      { unfold: "Two signatures" },
    ],
    done: ({ page }) => page.getByText("the secret before the rotation").waitFor(),
  },
  {
    name: "replay a request",
    prepare: ({ client }) => client().roles.list(),
    steps: [{ row: "first" }, { press: "Replay" }],
    done: ({ page }) => page.getByText("replay of").waitFor(),
  },
  {
    name: "take a snapshot and restore it",
    steps: [{ press: /^default/ }, { press: "Take a snapshot" }, { press: /^Restore Snapshot 1/ }],
    done: ({ page }) => page.getByText("default is as in Snapshot 1").waitFor(),
  },
  {
    name: "find why a call was refused",
    prepare: ({ client }) =>
      client({ maxRetries: 0 })
        .calls.create({ ...call, toNumber: recipients.doNotCall })
        .result(),
    steps: [{ row: "first" }],
    async done({ page }) {
      const details = page.getByRole("region", { name: "Details" });
      await details.getByText("422 contact_on_dnc_list").waitFor();
      await details.getByText("The contact is on the do-not-call list.", { exact: true }).waitFor();
    },
  },
  {
    name: "work in a second sandbox",
    steps: [{ press: /^default/ }, { fill: "New sandbox", text: "checkout" }, { press: "Create" }],
    done: ({ page }) => expect.poll(() => page.url()).toContain("#/checkout/events"),
  },
];

/** How a step is taken. */
interface Hand {
  screen(inspector: Inspector, title: string, key: string): Promise<void>;
  step(inspector: Inspector, step: Step): Promise<void>;
}

/** The element of a step: in the dialog or menu if one is open. */
async function elementOf({ page }: Inspector, step: Exclude<Step, { readonly row: "first" }>): Promise<Locator> {
  const dialog = page.getByRole("dialog");
  const place = (await dialog.count()) > 0 ? dialog : page.locator("body");
  if ("unfold" in step) return place.locator("summary", { hasText: step.unfold });
  if ("press" in step) {
    const isExact = typeof step.press === "string";
    return place.getByRole(step.role ?? "button", { name: step.press, exact: isExact }).first();
  }
  return place.getByLabel(step.fill, { exact: true });
}

const mouse: Hand = {
  screen: ({ page }, title) =>
    page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: title }).click(),
  async step(inspector, step) {
    if ("row" in step) return inspector.page.getByRole("listbox").getByRole("option").first().click();
    const element = await elementOf(inspector, step);
    if ("fill" in step) await element.fill(step.text);
    else await element.click();
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
    await tabTo(inspector, await elementOf(inspector, step));
    if ("fill" in step) await page.keyboard.type(step.text);
    else await page.keyboard.press("Enter");
  },
};

/** The steps of the others have the same buttons and fields. */
const byMouse = jobs.slice(0, 2);

describe.each([
  ["a mouse", mouse, byMouse],
  ["the keyboard alone", keyboard, jobs],
] as const)("with %s", (title, hand, tried) => {
  it.each(tried)("$name", async ({ screen, steps, prepare, done }) => {
    await using inspector = await open({ server: frozen, screen: "events" });
    await prepare?.(inspector);
    if (screen !== undefined) await hand.screen(inspector, ...screen);
    for (const step of steps) await hand.step(inspector, step);
    await done(inspector);
    expect(steps.length, title).toBeLessThanOrEqual(3);
  });
});

describe("a copy of a request", () => {
  it("has test data whole and the credential as a variable, as curl, TypeScript and Python", async () => {
    await using inspector = await open({ server: frozen, screen: "events" });
    const { page, server } = inspector;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await inspector.client().calls.create(call);
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /createCall/ })
      .click();
    const copied = async (name: string) => {
      await page.getByRole("button", { name: "Copy", exact: true }).click();
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByText("Copied", { exact: true }).waitFor();
      await page.keyboard.press("Escape");
      return page.evaluate(() => navigator.clipboard.readText());
    };
    for (const name of ["Copy as curl", "Copy as TypeScript", "Copy as Python"]) {
      const text = await copied(name);
      expect(text).toContain(recipients.anyone);
      expect(text).toContain("CALL_TRANSFER_API_KEY");
      expect(text).toContain(server.url);
      expect(text).not.toContain(demo.apiKey);
    }
  });
});
