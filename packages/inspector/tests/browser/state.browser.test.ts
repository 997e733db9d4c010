// The screen State in a real browser: records, edited while a program of the SDK reads and changes them.
import { demo, type Seed } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { inspectorTests } from "./page.ts";

const open = inspectorTests();
/** A Monday, within the hours of the demo's agent. */
const server = { clockMode: "frozen", now: "2026-03-02T10:20:00Z" } as const;
const { agent } = demo.members;

describe("members", () => {
  it("a program reads the availability that was set by keyboard alone", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    const { members } = inspector.client();
    expect(await members.getAvailability(agent)).toMatchObject({ status: "away" });

    for (const name of ["Olivia Owner", "Adam Admin", "Mia Member", "Aron Agent"]) {
      await page.keyboard.press("j");
      await page.getByRole("heading", { name }).waitFor();
    }
    await page.getByRole("button", { name: "Edit availability" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Status").focus();
    await page.keyboard.type("offline");
    await page.getByLabel("Source").focus();
    await page.keyboard.type("admin");
    await page.getByLabel("Until").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("+2h");
    await page.keyboard.press("Enter");
    await page.getByText("Saved.").waitFor();

    expect(await members.getAvailability(agent)).toMatchObject({
      status: "offline",
      source: "admin",
      until: expect.stringMatching(/^2026-03-02T12:20:00/),
    });
  });

  it("hours set by fields reach the server, and a program that deletes them is seen", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    await inspector.go("state", "members", agent, "edit", "hours");
    await page.getByRole("button", { name: "Add hours on Tue" }).press("Enter");
    await page.getByLabel("Tue from").fill("07:30");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByLabel("Time zone").press("Enter");
    await page.getByRole("img", { name: "Tue 07:30–17:00" }).waitFor();
    await page.getByText("Now: Mon 11:20 in Europe/Berlin").waitFor();
    // The page shows them before the server has answered.
    await expect
      .poll(async () => (await inspector.server.record("members", agent)).hours)
      .toEqual({
        timeZone: "Europe/Berlin",
        monday: [{ from: "09:00", to: "17:00" }],
        tuesday: [{ from: "07:30", to: "17:00" }],
      });

    await inspector.client().members.deleteHours(agent);
    await page.getByText("No hours are set: every time").waitFor();
  });

  it("hours are set in two presses where there are none, and Cancel sets none", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    const { owner } = demo.members;
    await inspector.go("state", "members", owner);
    await page.getByRole("button", { name: "Set hours" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("No hours are set: every time").waitFor();
    expect((await inspector.server.record("members", owner)).hours).toBeUndefined();

    await page.getByRole("button", { name: "Set hours" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    // The form shows the week too. Only stored hours can be edited.
    await page.getByRole("button", { name: "Edit hours" }).waitFor();
    await page.getByRole("img", { name: "Fri 09:00–17:00" }).waitFor();
    const window = [{ from: "09:00", to: "17:00" }];
    expect((await inspector.server.record("members", owner)).hours).toMatchObject({ monday: window, friday: window });
  });

  it("a member who was away rings again when the clock passes the end of it", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    await inspector.go("state", "members", agent);
    await page.getByText("no, the member is away").waitFor();
    await page.getByText("inside, until 17:00").waitFor();
    await inspector.server.advance(16 * 60_000);
    await page.getByText("yes, a transfer would ring now").waitFor();
    await inspector.server.advance(7 * 3_600_000);
    await page.getByText("outside, next monday 09:00–17:00").waitFor();
  });

  it("the pointer draws hours on the grid, and moves their ends", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    await inspector.go("state", "members", agent, "edit", "hours");
    const drag = async (day: string, from: number, to: number) => {
      const box = await page.getByRole("img", { name: day }).boundingBox();
      if (box === null) throw new Error(`The grid has no row ${day}.`);
      const middle = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * from, middle);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * to, middle);
      await page.mouse.up();
    };
    await drag("Sun none", 0.25, 0.5);
    await page.getByRole("img", { name: "Sun 06:00–12:00" }).waitFor();
    await drag("Sun 06:00", 0.5, 0.75);
    await page.getByRole("img", { name: "Sun 06:00–18:00" }).waitFor();
    expect(await page.getByLabel("Sun to").inputValue()).toBe("18:00");
  });

  it("an invalid value has the server's message at its field, which gets the focus", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    await inspector.go("state", "members", agent, "edit");
    const until = page.getByLabel("Until");
    await until.fill("soon");
    await until.press("Enter");
    const message = page.locator(`[id="${await until.getAttribute("aria-describedby")}"]`);
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
    expect(await until.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await message.textContent()).toMatch(/^must /);

    await until.fill("");
    await page.getByLabel("Mon to").fill("08:00");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("must be later than from").waitFor();
    expect(await page.getByLabel("Mon to").getAttribute("aria-invalid")).toBe("true");
    expect(await until.getAttribute("aria-invalid")).toBe("false");
    expect((await inspector.server.record("members", agent)).hours).toEqual({
      monday: [{ from: "09:00", to: "17:00" }],
    });
  });
});

describe("records", () => {
  it("a group that a program creates appears, is marked, and is not marked a while later", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    await inspector.go("state", "groups");
    // The mark stays for a moment only.
    const marked = page.locator(".record-row.changed", { hasText: "Day shift" }).waitFor();
    await inspector.client().destinationGroups.create({
      name: "Day shift",
      members: [{ destinationId: demo.destinations.phone }],
    });
    await marked;
    await page.locator(".record-row:not(.changed)", { hasText: "Day shift" }).waitFor();
  });

  it("a duplicated destination has an id and a secret of its own", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    await inspector.go("state", "destinations", demo.destinations.app);
    await page.getByRole("button", { name: "Duplicate" }).click();
    await page.getByLabel("Name").fill("Second app");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "Second app" }).waitFor();
    const copy = (await inspector.server.records("destinations")).find(({ name }) => name === "Second app");
    expect(copy?.config).toEqual({ url: "http://127.0.0.1:4011/offers" });
    expect(copy?.signingSecret).toMatch(/^.{16,}$/);
    expect(copy?.signingSecret).not.toBe(demo.signingSecret);
  });

  it("a record that others use is kept, and the dialog links to those", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    await inspector.go("state", "users", demo.users.agent);
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("is in use").waitFor();
    await dialog.getByRole("link", { name: "Aron Agent" }).click();
    await page.getByRole("heading", { name: "Availability" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("a record that nothing uses is deleted after a question", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    await inspector.go("state", "groups", demo.groups.existing);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No groups").waitFor();
    expect(await inspector.server.records("groups")).toEqual([]);
  });

  it("JSON edits what the form has no field for", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    await inspector.go("state", "roles", "agent", "edit");
    await page.getByRole("button", { name: "Edit as JSON" }).click();
    const json = page.getByLabel("Record as JSON");
    await json.fill("{");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is not JSON").waitFor();
    await json.fill('{ "role": "agent", "permissions": ["call:read"] }');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    expect((await inspector.server.record("roles", "agent")).permissions).toEqual(["call:read"]);
  });

  it("no secret reaches the page before the user asks for it", async () => {
    await using inspector = await open({ server, screen: "state" });
    const { page } = inspector;
    const bodies: Promise<string>[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/records/")) bodies.push(response.text().catch(() => ""));
    });
    await page.reload();
    await inspector.go("state", "destinations", demo.destinations.app);
    const secret = page.getByRole("button", { name: "Show the Signing secret" });
    await secret.waitFor();
    expect(await page.content()).not.toContain(demo.signingSecret);
    const texts = await Promise.all(bodies);
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.filter((text) => text.includes(demo.signingSecret) || text.includes(demo.apiKey))).toEqual([]);

    await secret.click();
    await page.getByText(demo.signingSecret).waitFor();
    await page.getByRole("button", { name: "Hide the Signing secret" }).click();
    expect(await page.content()).not.toContain(demo.signingSecret);
  });

  it("5,000 groups draw only the rows in view, and a filter finds one of them", async () => {
    await using inspector = await open({ server: { ...server, seed: manyGroups(5000) }, screen: "state" });
    const { page } = inspector;
    await inspector.go("state", "groups");
    await page.getByRole("link", { name: "Groups 5000" }).waitFor();
    const rows = page.getByRole("listbox", { name: "Groups" }).getByRole("option");
    expect(await rows.count()).toBeLessThan(80);
    await page.keyboard.press("/");
    await page.keyboard.type("number 4711");
    await page.getByRole("option", { name: "Group number 4711" }).waitFor();
    expect(await rows.count()).toBe(1);
  });
});

it("a list at rest is not measured and drawn again", async () => {
  await using inspector = await open({ server, screen: "state" });
  await inspector.go("state", "groups");
  const measured = await inspector.page.evaluate(async () => {
    let count = 0;
    const { observe } = ResizeObserver.prototype;
    ResizeObserver.prototype.observe = function (...input) {
      count += 1;
      observe.apply(this, input);
    };
    for (let frame = 1; frame <= 30; frame += 1) await new Promise(requestAnimationFrame);
    return count;
  });
  expect(measured).toBe(0);
});

const places = [
  ["members", agent, "edit"],
  ["groups", demo.groups.existing, "edit"],
];

it.each(places)("%s has no serious finding of axe-core, wide and narrow", async (...place) => {
  await using inspector = await open({ server, screen: "state" });
  expect(await inspector.findingsInLooks(() => inspector.go("state", ...place))).toEqual([]);
});

/** Groups of one phone. */
function manyGroups(count: number): Seed {
  const { accountId } = demo;
  const destinationId = demo.destinations.phone;
  return {
    accounts: [{ id: accountId, name: "Example Dental" }],
    destinations: [{ id: destinationId, accountId, name: "Reception", kind: "phone" }],
    groups: Array.from({ length: count }, (_, index) => ({
      id: `e0000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      accountId,
      name: `Group number ${index}`,
      members: [{ destinationId }],
    })),
  };
}
