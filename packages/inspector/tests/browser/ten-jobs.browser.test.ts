// What people open the inspector for, each in at most three steps on its screen, with the keyboard alone. A mouse has the same
// buttons and fields.
import { demo } from "@call-transfer/backend";
import type { Locator } from "playwright-core";
import { expect, it } from "vitest";
import { type Inspector, inspectorTests } from "./page.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;
const { flows, numbers, recipients } = demo;
const call = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };

/** One press of a button, or one input that is filled. */
type Step =
  | { readonly press: string | RegExp; readonly role?: "button" | "link" | "tab" }
  | { readonly fill: string; readonly text: string }
  /** Opens a folded part. */
  | { readonly unfold: string }
  /** The first row of the list. */
  | { readonly row: "first" };

interface Job {
  readonly name: string;
  /** The key that opens the screen after `g`; undefined for the screen that is open at the start. */
  readonly key?: string;
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
    key: "c",
    steps: [{ press: "Ring Night shift" }, { press: "Answer: Reception" }],
    done: ({ page }) => page.getByRole("group", { name: "Reception. Answered after 0 s" }).waitFor(),
  },
  {
    name: "ring a group and decline",
    key: "c",
    steps: [{ press: "Ring Night shift" }, { press: "Decline: Reception" }],
    done: ({ page }) => page.getByRole("group", { name: "Reception. Declined after 0 s" }).waitFor(),
  },
  {
    name: "fail the next three requests",
    key: "r",
    steps: [{ fill: "Add a fault", text: "createCall 503, 503, 503" }, { press: "Add" }],
    async done(inspector) {
      await inspector.page.getByText("Active faults: 1").waitFor();
      expect(await statuses(inspector, 4)).toEqual(["failed", "failed", "failed", "placed"]);
    },
  },
  {
    name: "return a code next time",
    key: "r",
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
    key: "c",
    steps: [{ press: "Away: Olivia Owner" }],
    done: async ({ server }) =>
      expect
        .poll(() => server.record("members", demo.members.owner))
        .toMatchObject({ availability: { status: "away" } }),
  },
  {
    name: "rotate a secret and see both signatures",
    key: "w",
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

/** Takes a step by keys. */
async function take(inspector: Inspector, step: Step): Promise<void> {
  const { page } = inspector;
  if ("row" in step) {
    await page.getByRole("listbox").getByRole("option").first().waitFor();
    return page.keyboard.press("j");
  }
  await tabTo(inspector, await elementOf(inspector, step));
  if ("fill" in step) await page.keyboard.type(step.text);
  else await page.keyboard.press("Enter");
}

it.each(jobs)("$name", async ({ key, steps, prepare, done }) => {
  await using inspector = await open({ server: frozen, screen: "events" });
  const { keyboard } = inspector.page;
  await prepare?.(inspector);
  if (key !== undefined) await Promise.all([keyboard.press("g"), keyboard.press(key)]);
  for (const step of steps) await take(inspector, step);
  await done(inspector);
  expect(steps.length).toBeLessThanOrEqual(3);
});

it("a copy of a request has test data whole and the credential as a variable, as curl, TypeScript and Python", async () => {
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
