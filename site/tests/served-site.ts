// Serves what was built, as GitHub Pages does, and opens its pages in a real Chromium without a network.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { findingsOf, launchBrowser } from "../../build/browser.ts";

/** The folder that was built. */
export const built = fileURLToPath(new URL("../dist/", import.meta.url));

/** The colours of a page. */
export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The theme in which a page of a list is opened: each in turn. */
export const themeOf = (index: number): Theme => themes[index % 2 === 0 ? 0 : 1];

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The file that answers a path: itself, with `.html`, or the index of a folder. Undefined if there is none. */
export function fileFor(pathname: string): string | undefined {
  const path = join(built, normalize(decodeURIComponent(pathname)));
  return [path, `${path}.html`, join(path, "index.html")].find(isFile);
}

/** A built site that is served, and a browser. */
export interface ServedSite extends AsyncDisposable {
  readonly url: string;
  /** Opens a page. It fails on disposal if the page logged an error, threw one, or asked another server. */
  open(path: string, options?: OpenOptions): Promise<OpenPage>;
}

export interface OpenOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
}

/** An open page. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** The errors of the page so far. */
  readonly troubles: string[];
  /** Returns whether the page is wider than a phone of 400 px. */
  scrollsSidewaysOnPhone(): Promise<boolean>;
  /** axe-core's serious and critical findings, one text each. */
  findings(): Promise<readonly string[]>;
}

/** Serves the site on a free port, and starts a browser. */
export async function serveSite(): Promise<ServedSite> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = fileFor(pathname);
    const shown = file ?? join(built, "404.html");
    response.writeHead(file ? 200 : 404, { "content-type": types[extname(shown)] ?? "application/octet-stream" });
    createReadStream(shown).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const browser = await launchBrowser();
  return {
    url,
    open: (path, options = {}) => openPage(browser, `${url}${path}`, options),
    async [Symbol.asyncDispose]() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function openPage(
  browser: Browser,
  url: string,
  { theme = "light", width = 1440, height = 900 }: OpenOptions,
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const troubles: string[] = [];
  const { origin } = new URL(url);
  await context.route(
    (target) => target.origin !== origin && target.protocol.startsWith("http"),
    (route) => {
      troubles.push(`The page asked another server: ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.setDefaultTimeout(240_000);
  page.on("pageerror", (error) => troubles.push(`Error: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(`${message.text()} (${message.location().url})`);
  });
  await page.goto(url, { waitUntil: "networkidle" });
  return {
    page,
    troubles,
    async scrollsSidewaysOnPhone() {
      await page.setViewportSize({ width: 400, height: 800 });
      return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    },
    findings: () => findingsOf(page),
    async [Symbol.asyncDispose]() {
      await context.close();
      if (troubles.length > 0) throw new Error(`${url} had errors:\n${troubles.join("\n")}`);
    },
  };
}
