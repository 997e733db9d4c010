import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { demo } from "@call-transfer/backend";
import { createWebhookHandler, toNodeHandler } from "@call-transfer/sdk/webhooks";
import { limits } from "@call-transfer/spec";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { type Inspector, inspectorTests } from "./page.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const details = (page: Page) => page.getByRole("region", { name: "Details" });

/** The names of the secrets beside the signatures in the details. */
const secretsIn = (page: Page) => details(page).locator(".signatures .secret-mark").allTextContents();

/** A receiver as the SDK's documentation shows it. */
async function startReceiver({ secret, clock }: { readonly secret: string; readonly clock: { now(): number } }) {
  const received: string[] = [];
  const receive = createWebhookHandler({ secret, clock, onEvent: (event) => void received.push(event.type) });
  const server = createServer(toNodeHandler(receive)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/offers`,
    received,
    [Symbol.dispose]: () => void server.close(),
  };
}

/** Gives the demo's app another address. */
async function pointAppTo({ server }: Inspector, url: string): Promise<void> {
  const response = await fetch(`${server.url}/_control/v1/records/destinations/${demo.destinations.app}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ config: { url } }),
  });
  expect(response.status).toBe(200);
}

it("gets the first signed webhook with one press, and takes its signature apart", async () => {
  await using inspector = await open({ server: frozen, screen: "webhooks" });
  const { page, server } = inspector;
  await button(page, "Send a signed webhook to the inbox").click();
  await details(page).getByText("Accepted 204").waitFor();
  const [delivery] = await server.deliveries();
  const { t, v1 } = delivery?.signature ?? { t: 0, v1: [] };
  const region = page.getByRole("region", { name: "The text that is hashed" });
  await region.waitFor();
  expect(await region.textContent()).toBe(`${t}.${delivery?.body}`);
  expect(await details(page).textContent()).toContain(`t=${t},v1=${v1[0]?.value}`);
  expect(await secretsIn(page)).toEqual(["current"]);
  await button(page, /^Hash it here/).click();
  await details(page).getByText("The current secret made v1 number 1.").waitFor();
});

it("shows two signatures after a rotation, and one again at the end of the overlap", async () => {
  await using inspector = await open({ server: frozen });
  const { page, server } = inspector;
  await inspector.go("webhooks", "receivers", demo.destinations.app);
  const send = async () => {
    await inspector.go("webhooks", "receivers", demo.destinations.app);
    await button(page, "Send an offer").click();
    await button(page, "Sign and send").click();
    await details(page).getByText("No answer").first().waitFor();
    await details(page).locator(".signatures").waitFor();
  };
  await button(page, "Rotate the secret").click();
  await page.getByText(/ left: each webhook has two signatures/).waitFor();
  await send();
  expect(await secretsIn(page)).toEqual(["current", "previous"]);

  await inspector.go("webhooks", "receivers", demo.destinations.app);
  await button(page, "Jump to the end of the overlap").click();
  await page.getByText(/^Overlap: over since/).waitFor();
  const overlapMs = limits.previousSecretOverlapHours * 3_600_000;
  expect(Date.parse((await server.clock()).now)).toBe(Date.parse(frozen.now) + overlapMs);
  await send();
  expect(await secretsIn(page)).toEqual(["current"]);
});

it("hides secrets until they are asked for", async () => {
  await using inspector = await open({ server: frozen });
  const { page } = inspector;
  await inspector.go("webhooks", "receivers");
  expect(await page.content()).not.toContain(demo.signingSecret);
  await button(page, "Show the current secret").click();
  await page.getByText(demo.signingSecret).waitFor();
  await button(page, "Hide the current secret").click();
  expect(await page.content()).not.toContain(demo.signingSecret);
});

it("shows that a receiver with the SDK accepts an offer, and refuses one with a wrong signature", async () => {
  await using inspector = await open({ server: frozen, screen: "webhooks" });
  const { page, server } = inspector;
  using receiver = await startReceiver({ secret: demo.signingSecret, clock: { now: () => Date.parse(frozen.now) } });
  await pointAppTo(inspector, receiver.url);
  const sendOffer = async () => {
    await button(page, "Send an offer").click();
    await button(page, "Sign and send").click();
  };
  await sendOffer();
  await details(page).getByText("Accepted 204").waitFor();
  expect(receiver.received).toEqual(["transfer.offer"]);

  await server.addFault("webhooks sign wrong_secret");
  await sendOffer();
  await details(page)
    .getByText(/^Refused 4\d\d$/)
    .waitFor();
  await details(page).getByText("A fault changed how the offer was sent.", { exact: false }).waitFor();
  expect(await secretsIn(page)).toEqual(["other"]);
  expect(receiver.received).toHaveLength(1);
});

it("sends an event again, and counts the attempts", async () => {
  await using inspector = await open({ server: frozen, screen: "webhooks" });
  const { page } = inspector;
  await button(page, "Send a signed webhook to the inbox").click();
  await button(page, "Send again").click();
  await details(page).getByText("2 of 2").waitFor();
  await page.getByRole("option", { name: /1 of 2/ }).waitFor();
});

it("changes the answer of the inbox, and shows what it received", async () => {
  await using inspector = await open({ server: frozen });
  const { page, server } = inspector;
  await inspector.go("webhooks", "inbox");
  await page.getByLabel("Answers with status").fill("503");
  await button(page, "Set the answer").click();
  await page.getByText("The inbox answers 503.").waitFor();
  await button(page, "Send an offer to it").click();
  await details(page).getByText("Refused 503").waitFor();
  expect((await server.deliveries()).map(({ status }) => status)).toEqual([503]);
  await inspector.go("webhooks", "inbox");
  await page.getByRole("heading", { name: "Received: 1" }).waitFor();
});

it("is used by the keyboard alone", async () => {
  await using inspector = await open({ server: frozen, screen: "traffic" });
  const { page } = inspector;
  await Promise.all([page.keyboard.press("g"), page.keyboard.press("w")]);
  await button(page, "Send a signed webhook to the inbox").press("Enter");
  await details(page).getByText("Accepted 204").waitFor();
  await button(page, "Send again").press("Space");
  await details(page).getByText("2 of 2").waitFor();
  await page.keyboard.press("Escape");
  await details(page).waitFor({ state: "detached" });
  await page.keyboard.press("j");
  await details(page).getByText("2 of 2").waitFor();
  await page.keyboard.press("j");
  await details(page).getByText("1 of 2").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("nothing has this");
  await page.getByText("No delivery contains these words").waitFor();
});

it("has no serious finding of axe-core, wide and narrow", async () => {
  await using inspector = await open({ server: frozen, screen: "webhooks" });
  const { page } = inspector;
  await button(page, "Send a signed webhook to the inbox").click();
  await details(page).getByText("Accepted 204").waitFor();
  const address = page.url().split("/").at(-1) ?? "";
  await inspector.go("webhooks", "receivers");
  await button(page, "Rotate the secret").first().click();
  await page.getByRole("group", { name: "Overlap of the secrets" }).waitFor();
  for (const rest of [[address], ["receivers"]])
    expect(await inspector.findingsInLooks(() => inspector.go("webhooks", ...rest))).toEqual([]);
});
