import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { build } from "vite";
import { cases } from "../../src/cases/index.ts";
import type { TargetRunner } from "../runner.ts";
import { launchBrowser } from "./launch-browser.ts";
import type { MswPage } from "./msw-page.ts";

// Long enough for a busy machine.
const startWithinMs = 300_000;

/** A page in Chromium, controlled through the functions that its script sets as `globalThis.page`. */
export interface OpenPage<Functions> {
  call<Name extends keyof Functions & string>(
    name: Name,
    ...given: Given<Functions[Name]>
  ): Promise<Result<Functions[Name]>>;
  /** The page itself, for its keys, its mouse and what it shows. */
  readonly page: Page;
  /** Takes the page off the network, or puts it back. MSW's worker answers in both cases. */
  setOffline(isOffline: boolean): Promise<void>;
  close(): Promise<void>;
}
type Given<Called> = Called extends (...given: infer Values) => unknown ? Values : never;
type Result<Called> = Called extends (...given: never) => infer Value ? Awaited<Value> : never;

/** Opens the suite's page under MSW. */
export const openMswPage = () => openPage<MswPage>(new URL("msw-page.ts", import.meta.url));

/**
 * Opens a page with a script and MSW's worker in a real Chromium. Rejects without a browser, and when the script fails
 * before it has set its functions.
 */
export async function openPage<Functions>(script: URL): Promise<OpenPage<Functions>> {
  const browser = await launchBrowser();
  try {
    const site = await serve({
      "/": ["text/html", '<!doctype html><title>MSW</title><script type="module" src="/page.js"></script>'],
      "/page.js": ["text/javascript", await bundle(script)],
      "/mockServiceWorker.js": [
        "text/javascript",
        readFileSync(fileURLToPath(import.meta.resolve("msw/mockServiceWorker.js")), "utf8"),
      ],
    });
    browser.once("disconnected", site.close);
    const page = await browser.newPage();
    page.setDefaultTimeout(startWithinMs);
    const troubles: string[] = [];
    page.on("pageerror", (error) => troubles.push(String(error)));
    await page.goto(site.url);
    await page.waitForFunction("globalThis.page").catch((cause) => {
      throw new Error(`The page did not start: ${troubles.join("; ") || "no error was reported"}`, { cause });
    });
    const call: OpenPage<Functions>["call"] = (name, ...given) =>
      page.evaluate(`globalThis.page[${JSON.stringify(name)}](...${JSON.stringify(given)})`);
    const setOffline = (isOffline: boolean) => page.context().setOffline(isOffline);
    return { call, page, setOffline, close: () => browser.close() };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** Bundles the page's script from the sources. */
async function bundle(script: URL): Promise<string> {
  const built = await build({
    configFile: false,
    root: fileURLToPath(new URL("../../../..", import.meta.url)),
    logLevel: "error",
    resolve: { conditions: ["@call-transfer/source", "module", "browser", "import", "default"] },
    build: {
      write: false,
      target: "esnext",
      minify: false,
      rollupOptions: {
        input: fileURLToPath(script),
        output: { codeSplitting: false },
      },
    },
  });
  const outputs = [built].flat().flatMap((each) => ("output" in each ? each.output : []));
  const chunk = outputs.find((output) => output.type === "chunk");
  if (chunk === undefined) throw new Error("Vite did not build a script");
  return chunk.code;
}

async function serve(files: Readonly<Record<string, readonly [type: string, text: string]>>) {
  const server = createServer(({ url = "" }, response) => {
    const [type, text] = files[url] ?? ["text/plain", undefined];
    response.writeHead(text === undefined ? 404 : 200, { "content-type": `${type}; charset=utf-8` }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => server.close().closeAllConnections(),
  };
}

/** The suite inside Chromium, with MSW's worker between its fetch and the backend. */
export const mswBrowser: TargetRunner = {
  name: "msw-browser",
  async run(wanted, onRun) {
    const page = await openMswPage();
    try {
      for (const contractCase of wanted) onRun(await page.call("runCase", cases.indexOf(contractCase)));
    } finally {
      await page.close();
    }
  },
};
