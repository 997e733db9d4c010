import { demo } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { type Inspector, inspectorTests } from "./page.ts";

const open = inspectorTests();
const frozen = { clock: "frozen", now: "2026-03-02T12:00:00Z" } as const;

/** Runs a program of the SDK that reads the roles. Returns the statuses that made it try again. */
async function readRoles(inspector: Inspector): Promise<readonly unknown[]> {
  const retries: unknown[] = [];
  const client = inspector.client({
    random: () => 0,
    onRetry: ({ attempt }) => {
      retries.push(attempt.status);
    },
  });
  await client.roles.list();
  return retries;
}

const textOf = (inspector: Inspector) => inspector.page.getByLabel("As a text");
const add = (inspector: Inspector) => inspector.page.getByRole("button", { name: "Add the fault" }).click();

describe("a fault", () => {
  it("written as a text makes a program try again, and the page shows the hit", async () => {
    await using inspector = await open({ server: frozen, screen: "faults" });
    const { page } = inspector;
    await textOf(inspector).fill("listRoles 503, pass always");
    await textOf(inspector).press("Enter");
    await page.getByText("No hit yet").waitFor();
    expect(await readRoles(inspector)).toEqual([503]);
    await page.getByText("Hit once").waitFor();
    // The second attempt was let through, so the fault changed one request of two.
    await page.getByRole("link", { name: "Show the requests" }).click();
    await page.getByText("1 of 2").waitFor();
  });

  it("is added once by Enter pressed twice", async () => {
    await using inspector = await open({ server: frozen, screen: "faults" });
    const { page, server } = inspector;
    let release = () => {};
    const isHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/_control/v1/faults", async (route) => {
      if (route.request().method() === "POST") await isHeld;
      await route.continue();
    });
    await textOf(inspector).press("Enter");
    await textOf(inspector).press("Enter");
    release();
    await page.getByText("The fault is added.").waitFor();
    expect(await server.faults()).toHaveLength(1);
  });

  it("moves to the ended ones when it is used up", async () => {
    await using inspector = await open({ server: frozen, screen: "faults" });
    const { page } = inspector;
    await textOf(inspector).fill("listRoles 503 2 times");
    await add(inspector);
    await page.getByText("2 more requests").waitFor();
    expect(await readRoles(inspector)).toEqual([503, 503]);
    await page.getByText("Ended (1)").click();
    await page.getByText("Used up").waitFor();
    await page.getByText("Hit 2 times").waitFor();
    await page.getByText("No faults").waitFor();
  });

  it("of several steps takes one after the other", async () => {
    await using inspector = await open({ server: frozen, screen: "faults" });
    const { page } = inspector;
    await textOf(inspector).fill("listRoles 503, pass");
    await add(inspector);
    await page.getByText("1 more run through the steps").waitFor();
    expect(await readRoles(inspector)).toEqual([503]);
    await page.getByText("Ended (1)").waitFor();
  });

  it("with a mistake shows what the server says, and is not added", async () => {
    await using inspector = await open({ server: frozen, screen: "faults" });
    await textOf(inspector).fill("creatCall 503");
    await add(inspector);
    await inspector.page.getByText('"creatCall" is not understood here. Did you mean createCall?').waitFor();
    expect(await inspector.server.faults()).toEqual([]);
  });

  it("of webhooks is built, hits a delivery and leads to it", async () => {
    await using inspector = await open({ server: frozen, screen: "faults" });
    const { page, server } = inspector;
    await page.getByLabel("What fails").selectOption("webhooks");
    await page.getByLabel("Signature of step 1").selectOption("none");
    await page.getByLabel("Until removed").check();
    await add(inspector);
    await page.getByText("sent without a signature").waitFor();
    await server.trigger(demo.destinations.app);
    await page.getByText("Hit once").waitFor();
    const [delivery] = await server.deliveries();
    expect(await page.getByRole("link", { name: "Show the latest delivery" }).getAttribute("href")).toContain(
      `/webhooks/${delivery?.id}`,
    );
  });

  it("is added and removed by the keyboard alone", async () => {
    await using inspector = await open({ server: frozen, screen: "faults" });
    const { page, server } = inspector;
    await page.keyboard.press("/");
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("listRoles 503");
    await page.keyboard.press("Enter");
    await page.getByText("No hit yet").waitFor();
    expect(await server.faults()).toHaveLength(1);
    await page.getByRole("button", { name: "Remove all" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("No faults").waitFor();
    expect(await server.faults()).toEqual([]);
  });
});

describe("a scenario", () => {
  it("is applied with a button, is marked, and has an effect on a program", async () => {
    await using inspector = await open({ server: frozen });
    await inspector.go("faults", "scenarios");
    const { page, server } = inspector;
    const card = page.getByRole("listitem").filter({ hasText: "queue-full" });
    await card.getByRole("button", { name: "Apply queue-full" }).click();
    await card.getByText("Applied", { exact: false }).waitFor();
    const refused = await inspector
      .client({ maxRetries: 0 })
      .calls.create({
        flowId: demo.flows.published,
        fromNumber: demo.numbers.working,
        toNumber: demo.recipients.anyone,
      })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "queue_full" });
    await server.reset();
    await card.getByText("Applied", { exact: false }).waitFor({ state: "detached" });
  });
});

describe("a policy", () => {
  it("with an invalid value shows the server's message and stays as it is", async () => {
    await using inspector = await open({ server: frozen });
    await inspector.go("faults", "policies");
    const { page, server } = inspector;
    const row = page.getByRole("row").filter({ hasText: "callDurationSecs" });
    await row.getByLabel("callDurationSecs", { exact: true }).fill("-1");
    await row.getByLabel("callDurationSecs", { exact: true }).press("Enter");
    await row.getByText("callDurationSecs: must be seconds from 0").waitFor();
    expect((await server.policies()).callDurationSecs).toBe(60);
  });

  it("that is changed comes first, names its assumption, and is reset to its default", async () => {
    await using inspector = await open({ server: frozen });
    await inspector.go("faults", "policies");
    const { page, server } = inspector;
    const row = page.getByRole("row").filter({ hasText: "callDurationSecs" });
    await row.getByLabel("callDurationSecs", { exact: true }).fill("5");
    await row.getByLabel("callDurationSecs", { exact: true }).press("Enter");
    await row.getByRole("button", { name: "Reset callDurationSecs to its default" }).waitFor();
    expect((await server.policies()).callDurationSecs).toBe(5);
    expect(await page.getByRole("row").nth(1).textContent()).toContain("callDurationSecs");
    expect(await row.getByRole("link").textContent()).toBe("Assumption A-25");
    await row.getByRole("button", { name: "Reset callDurationSecs to its default" }).click();
    await expect.poll(async () => (await server.policies()).callDurationSecs).toBe(60);
  });
});

it.each(["faults", "scenarios", "policies"])("the part %s has no serious finding, wide and narrow", async (part) => {
  await using inspector = await open({ server: frozen });
  await inspector.server.addFault("createCall 503, 503, pass");
  await inspector.server.applyScenario("queue-full");
  await inspector.go("faults", part);
  expect(await inspector.findingsInLooks()).toEqual([]);
});

it("shows stubs, what they answered, and removes one", async () => {
  await using inspector = await open({ server: frozen });
  const { page, server } = inspector;
  await inspector.go("faults", "stubs");
  await page.getByText("No stubs").waitFor();
  await server.addStub({ method: "GET", path: "/api/v1/contacts/{id}", response: { body: { name: "Ada" } } });
  await page.getByText("No request yet").waitFor();
  await fetch(`${server.url}/api/v1/contacts/1`, { headers: { authorization: `Bearer ${demo.apiKey}` } });
  await page.getByText("Answered once").waitFor();
  await page.getByRole("link", { name: "Show the requests" }).click();
  await page.getByText("/api/v1/contacts/1").first().waitFor();
  await inspector.go("faults", "stubs");
  await page.getByRole("button", { name: "Remove stub-1" }).click();
  await page.getByText("No stubs").waitFor();
});

it("adds a stub for a request that no operation matches", async () => {
  await using inspector = await open({ server: frozen, screen: "traffic" });
  const { page, server } = inspector;
  const status = async () =>
    (await fetch(`${server.url}/api/v1/contacts/1`, { headers: { authorization: `Bearer ${demo.apiKey}` } })).status;
  expect(await status()).toBe(404);
  await page.getByRole("listbox").getByRole("option").first().click();
  await page.getByRole("button", { name: "Answer with a stub" }).click();
  await page.getByText("GET /api/v1/contacts/1").first().waitFor();
  expect(await status()).toBe(200);
});
