import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { freePort } from "../../../../build/free-port.ts";
import { inspectorTests } from "./page.ts";
import { startServer } from "./server.ts";

const open = inspectorTests();

it("follows a request live in ten tabs, although a browser opens only six connections to a server", async () => {
  await using inspector = await open({ screen: "traffic" });
  const address = inspector.page.url();
  const others = await Promise.all(Array.from({ length: 9 }, () => inspector.page.context().newPage()));
  for (const page of others) await page.goto(address);
  const tabs = [inspector.page, ...others];
  for (const tab of tabs) await tab.getByText("Live", { exact: true }).waitFor();
  await inspector.client().roles.list();
  for (const tab of tabs) await tab.getByRole("option", { name: "listRoles" }).waitFor();
  expect(inspector.troubles).toEqual([]);
});

it("is used below a path of a proxy, at the public URL, with the control token that it asks for", async () => {
  let port = 0;
  // What a reverse proxy does: it takes its own path off, and keeps the Host header that the browser sent.
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
  const token = "a-token-of-this-test";
  const server = await startServer({ port: await freePort(), publicUrl, controlToken: token });
  try {
    port = server.port;
    await using inspector = await open({ server, screen: "traffic" });
    const { page } = inspector;
    await page.getByLabel("Control token").fill(token);
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Clock" }).click();
    expect(page.url()).toContain("/mock/_inspector/#/");
    expect(page.url()).not.toContain(token);
    expect(
      await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])),
    ).not.toContain(token);
  } finally {
    proxy.close();
    proxy.closeAllConnections();
    await server.close();
  }
});
