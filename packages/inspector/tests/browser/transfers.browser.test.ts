import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { demo } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { inspectorTests } from "./page.ts";
import { startServer } from "./server.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;
const { owner } = demo.members;

/** Starts a server whose member Olivia and phone ring beside an app. The app answers when `answer` is called. */
async function ringing() {
  let answer = () => {};
  const app = createServer((_, response) => {
    answer = () => void response.writeHead(200).end();
  }).listen(0, "127.0.0.1");
  const isOffered = once(app, "request");
  await once(app, "listening");
  const server = await startServer({ ...frozen });
  const { accountId, destinations } = demo;
  const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}/offers`;
  await server.changeRecord("destinations", destinations.app, { config: { url } });
  const groupId = "e0000000-0000-4000-8000-000000000009";
  await server.addRecord("groups", {
    id: groupId,
    accountId,
    name: "Emergencies",
    members: [destinations.phone, destinations.availableHumans, destinations.app].map((destinationId) => ({
      destinationId,
    })),
  });
  return {
    server,
    groupId,
    isOffered,
    answer: () => answer(),
    async [Symbol.asyncDispose]() {
      await server.close();
      app.close();
      app.closeAllConnections();
    },
  };
}

it("a member answers by button, and the app's answer to its offer is too late", async () => {
  await using scene = await ringing();
  await using inspector = await open({ server: scene.server, screen: "transfers" });
  const { page, server } = inspector;
  const { id } = await server.startTransfer({ groupId: scene.groupId });
  await scene.isOffered;
  await page.getByRole("group", { name: /^Olivia Owner\. Rings until/ }).waitFor();
  await page.getByRole("button", { name: "Answer: Olivia Owner" }).click();
  await page.getByText("Answered after 0 s").waitFor();
  scene.answer();
  const app = page.getByRole("group", { name: /^Front desk app/ });
  await app.getByText("Stopped after 0 s: Olivia Owner answered").waitFor();
  await app.getByText("offer_taken").waitFor();
  expect((await server.transfers()).find((one) => one.id === id)).toMatchObject({
    status: "connected",
    answeredBy: { memberId: owner },
  });
});

it("the address of a transfer that does not exist shows no other transfer", async () => {
  await using inspector = await open({ server: frozen, screen: "transfers" });
  const { page, server } = inspector;
  await server.startTransfer({ destinationId: demo.destinations.phone });
  await page.goto(`${server.url}/_inspector/#/default/transfers/another`);
  await page.getByText("This transfer does not exist").waitFor();
  expect(await page.getByRole("button", { name: "Answer: Reception" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Answer: Reception" }).waitFor();
});

it("an answer after the end of its ring shows the code that it received", async () => {
  await using inspector = await open({ server: frozen, screen: "transfers" });
  const { page, server } = inspector;
  await server.startTransfer({ destinationId: demo.destinations.phone });
  await page.getByRole("button", { name: "Let it ring", exact: true }).click();
  await page.getByText("Missed after 30 s").waitFor();
  await page.getByRole("button", { name: "Answer late: Reception" }).click();
  await page.getByText("The answer of Reception came too late and received offer_expired.").waitFor();
  await page.getByRole("img", { name: "Late answer at 12:00:30: offer_expired" }).waitFor();
});

it("a ring that answered has no button for another answer, which could only be refused", async () => {
  await using inspector = await open({ server: frozen, screen: "transfers" });
  const { page, server } = inspector;
  await server.startTransfer({ destinationId: demo.destinations.phone });
  await page.getByRole("button", { name: "Answer: Reception" }).click();
  await page.getByText("Answered after 0 s").waitFor();
  expect(await page.getByRole("button", { name: /^Answer.*Reception/ }).count()).toBe(0);
});

it("missed calls are counted on the way to away, at the policy's limit", async () => {
  await using inspector = await open({ server: frozen, screen: "transfers" });
  const { page, server } = inspector;
  for (const count of [1, 2, 3]) {
    const { id } = await server.startTransfer({ destinationId: demo.destinations.availableHumans });
    await inspector.go("transfers", id);
    await page.getByRole("button", { name: "Let it ring", exact: true }).click();
    await page
      .getByRole("group", { name: /^Olivia Owner/ })
      .getByText(`${count} of 3 missed calls`)
      .waitFor();
  }
  const members = page.getByRole("region", { name: "Members" });
  await members
    .getByText(/after missed calls/)
    .first()
    .waitFor();
  expect((await server.record("members", owner))?.availability).toMatchObject({ reason: "missed_calls" });
});

it("works by keyboard alone: starts with one press, answers, declines, and starts with a script", async () => {
  await using inspector = await open({ server: frozen, screen: "transfers" });
  const { page, server } = inspector;
  const last = async () => (await server.transfers()).at(-1);
  await page.getByRole("button", { name: "Ring Night shift" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("group", { name: /^Reception\. Rings/ }).focus();
  await page.keyboard.press("a");
  await page.getByText("Answered after 0 s").waitFor();
  expect((await last())?.status).toBe("connected");

  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "Start a transfer" });
  await dialog.getByLabel("Ring").selectOption({ label: "Reception · Example Dental" });
  await dialog.getByLabel("What Reception does").selectOption("Answers after");
  await dialog.getByLabel("Seconds until Reception does so").fill("7");
  await dialog.getByRole("button", { name: "Start" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "Will answer at 12:00:07" }).waitFor();
  await page.getByRole("group", { name: /^Reception\. Rings/ }).focus();
  await page.keyboard.press("d");
  await page.getByText("Declined after 0 s").waitFor();
  expect((await last())?.status).toBe("unanswered");
});

it("the line at now stands still on a frozen clock and moves on a running one", async () => {
  await using inspector = await open({ server: frozen, screen: "transfers" });
  const { page, server } = inspector;
  await server.startTransfer({ destinationId: demo.destinations.phone });
  const line = page.getByRole("group", { name: "Rings", exact: true });
  const place = () => line.evaluate((element) => Number(element.style.getPropertyValue("--now")));
  await line.waitFor();
  expect([await place(), await place()]).toEqual([0, 0]);
  await server.updateClock({ mode: "running" });
  await expect.poll(place).toBeGreaterThan(0);
});

it("has no serious finding of axe-core, wide and narrow", async () => {
  await using scene = await ringing();
  await using inspector = await open({ server: scene.server, screen: "transfers" });
  expect(await inspector.findings()).toEqual([]);
  await scene.server.startTransfer({
    groupId: scene.groupId,
    script: [{ memberId: owner, answerAfterSecs: 9 }],
  });
  await scene.isOffered;
  await inspector.page.getByRole("group", { name: /^Front desk app/ }).waitFor();
  expect(await inspector.findingsInLooks()).toEqual([]);
});
