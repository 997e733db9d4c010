// A page of another site in a real browser, beside a running mock server: whatever the page sends, nothing of it may remain.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { demo } from "@call-transfer/backend";
import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../build/browser.ts";
import { buildInspector } from "../../scripts/build-inspector.ts";

let browser: Browser;
let pages: Server;
let server: MockServer;

beforeAll(async () => {
  await buildInspector();
  browser = await launchBrowser(["--host-resolver-rules=MAP foreign.test 127.0.0.1"]);
  pages = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html>"));
  await once(pages.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => server.close());
afterAll(async () => {
  await browser.close();
  pages.close().closeAllConnections();
});

/** Opens a page at a host that leads to this machine. */
async function openPage(host: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`http://${host}:${(pages.address() as AddressInfo).port}/`);
  return page;
}

/** Sends what a page can send without a permission: images, scripts, frames, forms, beacons, and requests without CORS. */
async function sendEverything(page: Page, base: string): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().includes("/last/"));
  await page.evaluate(async (url) => {
    const settled = (element: HTMLElement) =>
      new Promise<void>((resolve) => {
        element.onload = element.onerror = () => resolve();
        document.body.append(element);
      });
    const paths = ["/api/v1/roles", "/_control/v1/clock", "/health", "/"];
    for (const [index, path] of paths.entries()) {
      const target = `${url}/_sandbox/page-${index}${path}`;
      for (const address of [url + path, target]) {
        await fetch(address, { mode: "no-cors" }).catch(() => {});
        await fetch(address, { mode: "no-cors", method: "POST", body: "{}" }).catch(() => {});
        await fetch(address).catch(() => {});
        navigator.sendBeacon(address, "{}");
        await settled(Object.assign(new Image(), { src: address }));
        await settled(Object.assign(document.createElement("script"), { src: address }));
        await settled(Object.assign(document.createElement("iframe"), { src: address }));
      }
    }
    const form = Object.assign(document.createElement("form"), {
      action: `${url}/_sandbox/form/last/`,
      method: "post",
    });
    document.body.append(form);
    form.submit();
  }, base);
  expect((await answered).status()).toBe(403);
}

it.each(["foreign.test", "localhost"])("a page of %s changes and spends nothing", async (host) => {
  server = await startMockServer({ port: 0, autoSandboxes: true, faults: ["* 503"] });
  const { url, backend, sandboxes } = server;
  const announced: string[] = [];
  sandboxes.follow((_, event) => void announced.push(JSON.stringify(event)));
  const before = backend.snapshot();
  const page = await openPage(host);
  await sendEverything(page, url);
  // Links, which open a page in the tab.
  for (const path of ["/api/v1/roles", "/_sandbox/link/api/v1/roles", "/_control/v1/clock"]) {
    const next = await openPage(host);
    const answer = next.waitForResponse(url + path);
    await next.evaluate((address) => location.assign(address), url + path);
    expect((await answer).status()).toBe(403);
    await next.context().close();
  }
  await page.context().close();
  expect(sandboxes.list()).toEqual(["default"]);
  expect(backend.requests.list()).toEqual([]);
  expect({ ...backend.snapshot(), now: 0 }).toEqual({ ...before, now: 0 });
  expect(announced.length).toBeLessThanOrEqual(20);
  expect(announced).toContainEqual(
    expect.stringContaining(`Add it with --cors-origin ${new URL(page.url()).protocol}//`),
  );
  const headers = { authorization: `Bearer ${demo.apiKey}` };
  expect((await fetch(`${url}/api/v1/roles`, { headers })).status).toBe(503);
});

it("a page of another site opens the inspector by a link, and the inspector works", async () => {
  server = await startMockServer({ port: 0 });
  for (const path of ["/", "/_inspector", "/_inspector/"]) {
    const page = await openPage("foreign.test");
    await page.evaluate((address) => location.assign(address), server.url + path);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.context().close();
  }
});
