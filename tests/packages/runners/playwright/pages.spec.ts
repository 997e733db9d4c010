// The tests named "fails" must fail, and their output is checked. The others must pass.
import { demo } from "@call-transfer/backend";
import { callTransferFixtures } from "@call-transfer/mock-server/playwright";
import { test as base, expect, type Page } from "@playwright/test";

// Far from where it is used: the runners print the lines around a failure.
const secret = "hidden-text";
const test = base.extend(callTransferFixtures);
const apiUrl = "https://api.example.com";
const rolesUrl = `${apiUrl}/api/v1/roles`;

test.use({ callTransferBaseUrl: apiUrl });

type Sent = Pick<RequestInit, "method" | "headers"> & { readonly body?: string };

/** Sends a request from the page. */
const send = (page: Page, url: string, init: Sent = {}) =>
  page.evaluate(
    async ([address, options]) => {
      const response = await fetch(address, options);
      const text = await response.text();
      return { status: response.status, requestId: response.headers.get("X-Request-Id"), text };
    },
    [url, init] as const,
  );

for (const count of [1, 2, 3, 4]) {
  test(`page ${count} has a sandbox of its own`, async ({ page, callTransfer, callTransferServer }) => {
    console.log(`server ${callTransferServer.url} in process ${process.pid}`);
    await page.goto("/headers");
    for (let sent = 0; sent < count; sent += 1) expect((await send(page, rolesUrl)).status).toBe(200);
    expect(callTransfer.requests.list()).toHaveLength(count);
    expect(callTransferServer.sandboxes.list()).toHaveLength(2);
  });
}

test("pages of all origins can read the answers and send every header", async ({ page, callTransfer }) => {
  await page.goto("/headers");
  const headers = { "Content-Type": "application/json", "X-Of-The-App": "1" };
  for (const base of [apiUrl, callTransfer.baseUrl]) {
    const { status, requestId } = await send(page, `${base}/api/v1/calls`, { method: "POST", headers, body: "{}" });
    expect(status).toBe(400);
    expect(requestId).toBe(callTransfer.requests.list().at(-1)?.requestId);
  }
});

test("no other address gets the credentials", async ({ page, callTransfer }) => {
  await page.goto("/headers");
  for (const url of ["/api/v1/roles", `${process.env.OTHER_URL}/api/v1/roles`]) {
    const { text } = await send(page, url);
    expect(JSON.parse(text)).not.toHaveProperty("authorization");
    expect(JSON.parse(text)).not.toHaveProperty("x-account-id");
  }
  await expect(send(page, `${apiUrl}.evil.example/api/v1/roles`)).rejects.toThrow("Failed to fetch");
  expect(callTransfer.requests.list()).toEqual([]);
});

test("an account that the page chooses stays", async ({ page, callTransfer }) => {
  await page.goto("/headers");
  const { status } = await send(page, rolesUrl, { headers: { "X-Account-Id": demo.foreignAccountId } });
  expect(status).toBe(403);
  expect(callTransfer.requests.get(1)?.headers).toMatchObject({ "x-account-id": demo.foreignAccountId });
});

test("a service worker's requests are answered from the sandbox", async ({ page, context, callTransfer }) => {
  await page.goto("/headers");
  const worker = context.waitForEvent("serviceworker");
  await page.evaluate(() => navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready));
  const status = await (await worker).evaluate(async (url) => (await fetch(url)).status, rolesUrl);
  expect(status).toBe(200);
  expect(callTransfer.requests.list()).toHaveLength(1);
});

test.describe("without a role", () => {
  test.use({ callTransferRole: null });

  test("the page sends its own credentials", async ({ page, callTransfer }) => {
    await page.goto("/headers");
    expect((await send(page, rolesUrl)).status).toBe(401);
    const { accessToken, accountId } = await callTransfer.createAccessToken("agent");
    const headers = { Authorization: `Bearer ${accessToken}`, "X-Account-Id": accountId };
    expect((await send(page, rolesUrl, { headers })).status).toBe(200);
  });
});

test("a test may end while its page waits for an answer", async ({ page, callTransfer }) => {
  await page.goto("/headers");
  callTransfer.faults.add({ do: "hang" });
  callTransfer.faults.add({ do: { latencyMs: 5000 } });
  await page.evaluate((url) => {
    void fetch(url);
    void fetch(url);
  }, rolesUrl);
  await expect.poll(() => callTransfer.faults.list()).toEqual([]);
});

test("fails after a request and a webhook", async ({ page, callTransfer }) => {
  const { deliveries, forwardWebhooksTo } = callTransfer;
  await page.goto("/headers");
  const headers = { "Content-Type": "application/json" };
  await send(page, `${apiUrl}/api/v1/calls`, { method: "POST", headers, body: JSON.stringify({ password: secret }) });
  forwardWebhooksTo(() => new Response(null, { status: 503 }));
  await deliveries.trigger({ destinationId: demo.destinations.app, token: secret });
  expect(deliveries.list()[0]?.accepted).toBe(true);
});
