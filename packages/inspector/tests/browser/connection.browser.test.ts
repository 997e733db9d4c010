import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { freePort } from "../../../../build/free-port.ts";
import { inspectorTests, themes } from "./page.ts";
import { type Server, startServer } from "./server.ts";

// A name that other machines could know, which leads to this one.
const open = inspectorTests(["--host-resolver-rules=MAP mock.example.com 127.0.0.1"]);

const token = "a-control-token-of-32-characters";

/** What browsers say about a page of another machine without TLS. */
const withoutTls = /^The Cross-Origin-Opener-Policy header has been ignored/;

/** The options of a server on a public host. */
async function publicServer() {
  // The public URL must name it before the server listens.
  const port = await freePort();
  return { port, controlToken: token, publicUrl: `http://mock.example.com:${port}` };
}

const enterToken = async (page: Page, text: string) => {
  await page.getByLabel("Control token", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Connect" }).click();
};
const live = (page: Page) => page.getByText("Live", { exact: true });

/** A tab more, in the same browser as an open inspector. */
async function openTab(page: Page, { url }: Server): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(`${url}/_inspector/#/default/records`);
  return tab;
}

describe("the control token", () => {
  it("is asked for, named when it is wrong, and stays out of addresses and storage", async () => {
    await using inspector = await open({ server: await publicServer(), allow: withoutTls });
    const { page } = inspector;
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    for (const theme of themes) {
      await inspector.theme(theme);
      expect(await inspector.findings()).toEqual([]);
    }
    await enterToken(page, "another-token-of-32-characters-x");
    await page.getByText("The server does not accept this token").waitFor();
    await enterToken(page, token);
    await live(page).waitFor();
    await page.getByLabel("Clock of the sandbox").waitFor();
    expect(addresses.filter((address) => address.includes(token))).toEqual([]);
    expect(page.url()).not.toContain(token);
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie);
    expect(stored).toBe("{}");
  });

  it("is not asked for again in another tab, but after the last tab is closed", async () => {
    await using inspector = await open({ server: await publicServer(), allow: withoutTls });
    const { page, server } = inspector;
    await enterToken(page, token);
    await live(page).waitFor();
    const tab = await openTab(page, server);
    await live(tab).waitFor();
    await page.close();
    await tab.close();
    const later = await inspector.page.context().newPage();
    await later.goto(`${server.url}/_inspector/`);
    await later.getByLabel("Control token", { exact: true }).waitFor();
  });
});

it("a server that is started again is found again, and nothing of the one before is shown", async () => {
  await using inspector = await open({
    // Another process must not take it before the second start.
    server: { port: await freePort() },
    screen: "events",
    allow: /ERR_|Failed to fetch/,
  });
  const { page, server } = inspector;
  await inspector.client().roles.list();
  await page.getByRole("option").filter({ hasText: "/api/v1/roles" }).first().waitFor();
  await server.close();
  await page.getByText("Connection lost.").waitFor();
  const again = await startServer({ port: Number(new URL(server.url).port) });
  try {
    await live(page).waitFor();
    await expect.poll(() => page.getByRole("option").filter({ hasText: "/api/v1/roles" }).count()).toBe(0);
    await inspector.client().accounts.list();
    await page.getByRole("option").filter({ hasText: "/api/v1/accounts" }).first().waitFor();
  } finally {
    await again.close();
  }
});

it("ten tabs follow a request live, although a browser opens only six connections to a server", async () => {
  await using inspector = await open({ screen: "events" });
  const { page } = inspector;
  const others = await Promise.all(Array.from({ length: 9 }, () => page.context().newPage()));
  for (const other of others) await other.goto(page.url());
  for (const tab of [page, ...others]) await live(tab).waitFor();
  await inspector.client().roles.list();
  for (const tab of [page, ...others]) await tab.getByRole("option", { name: "listRoles" }).waitFor();
});

it("a path of a proxy has the page below it, at the public URL, with the control token that it asks for", async () => {
  let port = 0;
  // A reverse proxy takes its own path off, and keeps the Host header that the browser sent.
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    const sent = request({ port, method, headers, path: url.replace(/^\/mock/, "") }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    outgoing.on("close", () => sent.destroy());
    incoming.pipe(sent);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const publicUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mock`;
  const server = await startServer({ port: await freePort(), publicUrl, controlToken: token });
  try {
    port = server.port;
    await using inspector = await open({ server, screen: "events" });
    const { page } = inspector;
    await enterToken(page, token);
    await live(page).waitFor();
    await page.getByRole("link", { name: "Records" }).click();
    expect(page.url()).toContain("/mock/_inspector/#/");
    expect(page.url()).not.toContain(token);
  } finally {
    proxy.close();
    proxy.closeAllConnections();
    await server.close();
  }
});

it("a sandbox that is created and deleted while the page is open is offered, then named, and the default one is offered", async () => {
  await using inspector = await open({ screen: "records", allow: /404/ });
  const { page, server } = inspector;
  await server.createSandbox("short-lived");
  await page.getByRole("button", { name: /^default/ }).click();
  await page.getByRole("button", { name: "Show short-lived" }).click();
  await live(page).waitFor();
  await fetch(`${server.url}/_control/v1/sandboxes/short-lived`, { method: "DELETE" });
  await page.getByText("The sandbox short-lived does not exist").waitFor();
  expect(await inspector.findings()).toEqual([]);
  await page.getByRole("button", { name: "Show the sandbox default" }).click();
  await live(page).waitFor();
});
