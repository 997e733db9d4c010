import { demo } from "@call-transfer/backend";
import { limits } from "@call-transfer/spec";
import { expect, it } from "vitest";
import { inspectorTests } from "./page.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;

it("a step over the end of the overlap of two secrets makes the second signature disappear", async () => {
  await using inspector = await open({ server: frozen, screen: "clock" });
  const { page, server } = inspector;
  await server.applyScenario("secret-rotated");
  /** The number of signatures of a new offer. It is signed before it is listed. */
  const signatures = async () => {
    const { deliveryId } = (await server.startTransfer({ destinationId: demo.destinations.app })).rings[0] ?? {};
    const delivery = async () => (await server.deliveries()).find(({ id }) => id === deliveryId);
    await expect.poll(delivery).toBeDefined();
    return (await delivery())?.signature?.v1.length;
  };
  expect(await signatures()).toBe(2);
  await page.getByText("Previous secret expires").first().waitFor();
  if (limits.previousSecretOverlapHours > 24)
    await server.advance((limits.previousSecretOverlapHours - 24) * 3_600_000);
  await page.getByRole("button", { name: "+24 h" }).click();
  await page.getByText("Previous secret expired").waitFor();
  expect(await signatures()).toBe(1);
});

it("freezes the clock, lets it flow, and runs it at 60×", async () => {
  await using inspector = await open({ server: frozen, screen: "clock" });
  const { page, server } = inspector;
  const now = page.getByRole("region", { name: "Now" });
  await now.getByText("Frozen").waitFor();
  await page.getByRole("button", { name: "Run at 60×" }).click();
  await now.getByText("Flowing at 60×").waitFor();
  expect(await server.clock()).toMatchObject({ mode: "running", rate: 60 });
  await expect.poll(() => now.locator("strong").textContent()).not.toBe("12:00:00");
  await page.getByRole("button", { name: "Freeze", exact: true }).click();
  await now.getByText("Frozen").waitFor();
  expect((await server.clock()).mode).toBe("frozen");
});

it("jumps to a timer by keyboard and lists what happened on the way", async () => {
  await using inspector = await open({ server: frozen, screen: "clock" });
  const { page, server } = inspector;
  await server.startTransfer({ destinationId: demo.destinations.phone });
  await page.getByRole("button", { name: "Jump here: Ring ends, Reception" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Reception · missed").waitFor();
  expect((await server.clock()).now).toBe("2026-03-02T12:00:30.000Z");
  await page.getByLabel("Duration").fill("1h 30m");
  await page.keyboard.press("Enter");
  await page.getByText("13:30:30").first().waitFor();
  expect((await server.clock()).now).toBe("2026-03-02T13:30:30.000Z");
});

it("has no serious finding of axe-core, wide and narrow", async () => {
  await using inspector = await open({ server: frozen, screen: "clock" });
  await inspector.server.startTransfer({ destinationId: demo.destinations.phone });
  await inspector.page.getByText("Ring ends").first().waitFor();
  expect(await inspector.findingsInLooks()).toEqual([]);
});
