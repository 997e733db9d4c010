import { demo } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { type Inspector, inspectorTests } from "./page.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;

describe("a sandbox", () => {
  it("is created, shown and deleted", async () => {
    await using inspector = await open({ server: frozen, screen: "sandboxes" });
    const { page, server } = inspector;
    await page.getByRole("button", { name: "New sandbox" }).click();
    await page.getByLabel("Name").fill("Not A Name");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("name: must be 1 to 63", { exact: false }).waitFor();
    expect(await page.getByLabel("Name").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Name").fill("checkout");
    await page.getByLabel("Clock", { exact: true }).selectOption("frozen");
    await page.getByLabel("Time at the start").fill("2026-05-01T08:00:00Z");
    await page.getByLabel("queue-full").check();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Snapshots of checkout" }).waitFor();
    const created = server.sandbox("checkout");
    expect((await created.clock()).now).toBe("2026-05-01T08:00:00.000Z");
    expect((await created.policies()).concurrentCallLimit).toBe(0);

    await page.getByRole("button", { name: "Delete checkout", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete checkout" }).click();
    await page.getByRole("heading", { name: "Snapshots of default" }).waitFor();
    expect(await server.sandboxes()).toEqual(["default"]);
  });

  it("is created once, however often the form is submitted meanwhile", async () => {
    await using inspector = await open({ server: frozen, screen: "sandboxes" });
    const { page, server } = inspector;
    const sent: string[] = [];
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/_control/v1/sandboxes", async (route) => {
      if (route.request().method() === "POST") {
        sent.push(route.request().url());
        await released;
      }
      await route.continue();
    });
    await page.getByRole("button", { name: "New sandbox" }).click();
    await page.getByLabel("Name").fill("checkout");
    const create = page.getByRole("button", { name: "Create", exact: true });
    for (let count = 0; count < 3; count += 1) await create.click();
    expect(await create.getAttribute("aria-busy")).toBe("true");
    release();
    await page.getByRole("heading", { name: "Snapshots of checkout" }).waitFor();
    expect(sent).toHaveLength(1);
    expect(await server.sandboxes()).toEqual(["default", "checkout"]);
  });

  it("is reset after a question", async () => {
    await using inspector = await open({ server: frozen, screen: "sandboxes" });
    const { page, server } = inspector;
    await server.updatePolicies({ callDurationSecs: 5 });
    await page.getByRole("button", { name: "Reset default", exact: true }).click();
    expect((await server.policies()).callDurationSecs).toBe(5);
    await page.getByRole("dialog").getByRole("button", { name: "Reset default" }).click();
    await page.getByText("default is reset.").waitFor();
    expect((await server.policies()).callDurationSecs).toBe(60);
  });
});

describe("a snapshot", () => {
  it("taken before comes back after a program changed the state, and shows what the program changed", async () => {
    await using inspector = await open({ server: frozen, screen: "sandboxes" });
    const { page, server } = inspector;
    await page.getByRole("button", { name: "Take a snapshot" }).click();
    await page.getByText("Snapshot 1").waitFor();
    const before = (await server.records("groups")).length;
    await inspector.client().destinationGroups.create({
      name: "Late shift of the test",
      members: [{ destinationId: demo.destinations.app }],
    });
    await page.getByRole("button", { name: "Compare snapshot 1 with now" }).click();
    const differences = page.getByRole("list", { name: "What is different now" });
    await differences.getByText("added").waitFor();
    expect(await differences.textContent()).toContain("groups");
    expect(await page.content()).not.toContain(demo.signingSecret);
    await page.getByRole("button", { name: "Restore snapshot 1" }).click();
    expect((await server.records("groups")).length).toBe(before + 1);
    await page.getByRole("dialog", { name: "Restore snapshot 1?" }).getByRole("button", { name: "Restore" }).click();
    await page.getByText("default is as in snapshot 1.").waitFor();
    expect((await server.records("groups")).length).toBe(before);
  });

  it("is downloaded, and taken in from its file", async () => {
    await using inspector = await open({ server: frozen, screen: "sandboxes" });
    const { page, server } = inspector;
    await page.getByRole("button", { name: "Take a snapshot" }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download snapshot 1" }).click();
    const file = await (await downloading).path();
    await server.updatePolicies({ callDurationSecs: 5 });
    await page.getByLabel("From a file").setInputFiles(file);
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await expect.poll(async () => (await server.policies()).callDurationSecs).toBe(60);
  });

  it("that is a seed adds records, and a file that is no JSON says so", async () => {
    await using inspector = await open({ server: frozen, screen: "sandboxes" });
    const { page, server } = inspector;
    const id = "a0000000-0000-4000-8000-0000000000ff";
    const choose = (name: string, text: string) =>
      page.getByLabel("From a file").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
    await choose("notes.json", "hello");
    await page.getByText("notes.json is not JSON.", { exact: false }).waitFor();
    await choose("seed.json", JSON.stringify({ accounts: [{ id, name: "Another" }] }));
    await page.getByText("The records of seed.json are added.").waitFor();
    expect((await server.records("accounts")).map((account) => account.id)).toContain(id);
  });
});

describe("a credential", () => {
  const withClipboard = async (inspector: Inspector) => {
    await inspector.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await inspector.go("sandboxes", "credentials");
  };

  it("is copied without being shown, and a program works with it", async () => {
    await using inspector = await open({ server: frozen });
    await withClipboard(inspector);
    const { page } = inspector;
    await page.getByRole("button", { name: "Create a token of the admin" }).click();
    await page.getByText("valid until 13:00:00").waitFor();
    const copy = page.getByRole("button", { name: "Copy as environment with the token of the admin" });
    await Promise.all([page.getByText("Copied").waitFor(), copy.click()]);
    const lines = await page.evaluate(() => navigator.clipboard.readText());
    const environment = new Map(lines.split("\n").map((line) => [line.split("=")[0], line.split("=")[1]]));
    const accessToken = environment.get("CALL_TRANSFER_ACCESS_TOKEN_ADMIN") ?? "";
    const accountId = environment.get("CALL_TRANSFER_ACCOUNT_ID") ?? "";
    expect(environment.get("CALL_TRANSFER_BASE_URL")).toBe(inspector.server.url);
    expect((await inspector.client().withOptions({ accessToken, accountId }).roles.list()).roles).toBeDefined();
    expect(await page.content()).not.toContain(accessToken);

    await page.getByRole("button", { name: "Show the token of the admin" }).click();
    expect(await page.content()).toContain(accessToken);
    await page.getByRole("button", { name: "Hide the token of the admin" }).click();
    expect(await page.content()).not.toContain(accessToken);
  });

  it.each([
    ["expired", "api_key_expired"],
    ["revoked", "api_key_revoked"],
    ["ip_restricted", "api_key_ip_restricted"],
    ["insufficient_scope", "api_key_insufficient_scope"],
  ])("that is an API key in the state %s is refused with %s", async (state, code) => {
    await using inspector = await open({ server: frozen });
    await withClipboard(inspector);
    const { page } = inspector;
    const item = page.getByRole("listitem").filter({ has: page.getByText(state, { exact: true }) });
    await item.getByRole("button", { name: "Create" }).click();
    const copy = item.getByRole("button", { name: "Copy the", exact: false });
    await Promise.all([item.getByText("Copied").waitFor(), copy.click()]);
    const apiKey = await page.evaluate(() => navigator.clipboard.readText());
    const refused = await inspector
      .client({ apiKey })
      .roles.list()
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code });
    expect(await page.content()).not.toContain(apiKey);
  });

  it("expires on the sandbox's clock, and the page says so", async () => {
    await using inspector = await open({ server: frozen });
    await inspector.go("sandboxes", "credentials");
    const { page, server } = inspector;
    await page.getByLabel("Tokens are valid for").selectOption("60");
    await page.getByRole("button", { name: "Create a token of the agent" }).click();
    await page.getByText("valid until 12:01:00").waitFor();
    await server.advance(120_000);
    await page.getByText("expired 12:01:00").waitFor();
  });

  it("without a user in the account says why", async () => {
    await using inspector = await open({ server: frozen });
    const [, other] = await inspector.server.records("accounts");
    await inspector.go("sandboxes", "credentials");
    const { page } = inspector;
    await page.getByLabel("Account").selectOption(other?.id ?? "");
    await page.getByRole("button", { name: "Create a token of the agent" }).click();
    await page.getByText("no member of the account has the role agent", { exact: false }).waitFor();
  });
});

it.each(["sandboxes", "credentials"])("the part %s has no serious finding, wide and narrow", async (part) => {
  await using inspector = await open({ server: frozen });
  const { page } = inspector;
  await inspector.go("sandboxes", part);
  const press = part === "credentials" ? "Create a token of the owner" : "Take a snapshot";
  await page.getByRole("button", { name: press }).click();
  await page
    .getByText(part === "credentials" ? "valid until" : "Snapshot 1", { exact: false })
    .first()
    .waitFor();
  expect(await inspector.findingsInLooks()).toEqual([]);
});
