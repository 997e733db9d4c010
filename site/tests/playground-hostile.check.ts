// Programs that harm the playground, or try to leave it, in a browser.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import type { Frame, Page } from "playwright-core";
import { editor, openPlayground, press, run } from "./playground-page.ts";
import { type ServedSite, serveSite } from "./served-site.ts";

let site: ServedSite;
before(async () => {
  site = await serveSite();
});
after(() => site[Symbol.asyncDispose]());

const open = (source: string) => openPlayground(site, source);

describe("a program that does not end", () => {
  const endless = [
    ["an endless loop that prints", "for (;;) console.log('again');"],
    ["an endless loop", "for (;;);"],
    ["a promise that nothing settles", "await new Promise(() => {});"],
    [
      "an endless loop that creates backends",
      'import { createBackend } from "@call-transfer/mock-server/backend"; for (;;) createBackend();',
    ],
  ] as const;
  for (const [name, source] of endless)
    it(`can be stopped, and another one run: ${name}`, async () => {
      await using opened = await open(source);
      const { page } = opened;
      await press(page, /^Run/);
      await press(page, /^Stop/);
      await page.getByRole("status").getByText("Stopped").waitFor();
      await editor(page).fill("console.log('next')");
      assert.equal(await run(page), "next");
    });
});

const attempts = `
async function attempt(name, escape) {
  try {
    await escape();
    report(name + " succeeded");
  } catch {
    report(name + " failed");
  }
}
const opened = (target) => new Promise((resolve, reject) => {
  target.addEventListener("open", resolve);
  target.addEventListener("message", resolve);
  target.addEventListener("error", reject);
});
await attempt("fetch", () => fetch(url));
await attempt("original fetch", () => Object.getPrototypeOf(self).fetch.call(self, url));
await attempt("XMLHttpRequest", () => {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.send();
});
await attempt("importScripts", () => importScripts(url));
await attempt("WebSocket", () => opened(new WebSocket(url.replace("http", "ws"))));
await attempt("WebTransport", () => new WebTransport(url.replace("http", "https")).ready);
await attempt("EventSource", () => opened(new EventSource(url)));
await attempt("import", () => new Function("url", "return import(url)")(url));
await attempt("worker", () => new Promise((resolve, reject) => {
  const script = \`fetch("\${url}").then(() => postMessage(true), () => postMessage(false))\`;
  const worker = new Worker("data:text/javascript," + encodeURIComponent(script));
  worker.onmessage = ({ data }) => (data ? resolve(data) : reject(data));
}));
await attempt("indexedDB", () => indexedDB.open("site"));
await attempt("caches", () => caches.keys());
await attempt("localStorage", () => localStorage.length);
await attempt("document", () => document.cookie);
await attempt("parent", () => parent.document);
await attempt("origin", () => { if (self.origin === "null") throw new Error("It is opaque.") });
`;

/** Makes the attempts in a worker of a page or a frame that the playground has not prepared. */
const attemptInWorker = (frame: Page | Frame, url: string): Promise<string[]> =>
  frame.evaluate(
    (program) =>
      new Promise<string[]>((resolve) => {
        const worker = new Worker(`data:text/javascript,${encodeURIComponent(program)}`);
        worker.onmessage = ({ data }) => resolve(data);
      }),
    `const url = ${JSON.stringify(url)}; const texts = []; const report = (text) => texts.push(text);
(async () => { ${attempts} })().finally(() => postMessage(texts));`,
  );

describe("a hostile program", () => {
  it("prints markup as text", async () => {
    const markup = `</script><img src=x onerror="document.title='taken'"><b id="taken">`;
    await using opened = await open(
      `const markup = ${JSON.stringify(markup)}; console.log(markup); console.log({ [markup]: markup }); throw new Error(markup);`,
    );
    const { page } = opened;
    assert.ok((await run(page)).startsWith(markup));
    assert.equal(await page.locator("#taken, .pg-lines img").count(), 0);
  });

  it("reaches neither the network, nor the page, nor what the site stores", async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/javascript" }).end("1");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await using opened = await open(`const url = ${JSON.stringify(url)}; const report = console.log; ${attempts}`);
    const { page } = opened;
    await page.evaluate(() => localStorage.setItem("secret", "1"));
    // The server of this test decides what is reached.
    await page.context().unrouteAll();
    const tried = (await run(page)).split("\n");
    const frame = page.frames().find((each) => each !== page.mainFrame());
    assert.ok(frame);
    // The policy of the frame is enough, without what the worker removes.
    tried.push(...(await attemptInWorker(frame, url)));
    const refused = requests;
    // A page without the frame does reach the server.
    const reached = await attemptInWorker(page, url);
    // The policy of the frame reports what it refused.
    opened.troubles.length = 0;
    server.closeAllConnections();
    server.close();
    assert.equal(tried.length, 2 * 15);
    assert.deepEqual(
      tried.filter((text) => !text.endsWith(" failed")),
      [],
    );
    assert.equal(refused, 0);
    for (const name of ["fetch", "XMLHttpRequest", "import", "worker"])
      assert.ok(reached.includes(`${name} succeeded`), `${name} of a page`);
  });

  for (const number of ["0", "9".repeat(12)])
    it(`cannot mark line ${number}`, async () => {
      await using opened = await open(
        `const error = new Error("forged"); error.stack = "forged program.ts:${number}"; throw error;`,
      );
      const { page } = opened;
      assert.match(await run(page), /forged/);
      assert.equal(await page.locator(".pg-marked-line, .pg-line").count(), 0);
    });
});
