// Opens the inspector in a real Chromium, for tests of its screens.
//
//   const open = inspectorTests();                        // once in each test file, at its top level
//
//   it("shows a retry", async () => {
//     await using inspector = await open({ server: { clockMode: "frozen" }, screen: "events" });
//     const { page, server } = inspector;
//     await inspector.client().roles.list();               // a real program of the SDK, against the same server
//     await page.getByText("/api/v1/roles").waitFor();     // Playwright waits; never sleep
//     expect(await inspector.findings()).toEqual([]);      // axe-core's serious and critical findings
//   });
//
// A page fails its test if it logged an error, threw one, or broke its policy (CSP). `allow` is for tests in which an error is right.
// Without a browser the tests fail, also outside CI.
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { demo } from "@call-transfer/backend";
import { type ApiKeyOptions, CallTransfer } from "@call-transfer/sdk";
import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { findingsOf, launchBrowser } from "../../../../build/browser.ts";
import { type Server, type ServerOptions, startServer } from "./server.ts";

/** How long a page may take for anything; long enough for a busy machine. */
const withinMs = 240_000;
const starting = fileURLToPath(new URL("../../../../scripts/start.ts", import.meta.url));
/** An answer that the API or the control plane meant. Browsers log each as an error. */
const meantAnswer =
  /^Failed to load resource: the server responded with a status of \d+ .* \(https?:\/\/[^)]*\/(?:api|_control)\//;

/** The colors of a page. */
export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The widths at which the page must work, with their heights. */
export const sizes = {
  phone: { width: 400, height: 800 },
  laptop: { width: 1280, height: 800 },
} as const;

export interface OpenOptions {
  /** The options of the mock server that is started, or a running one. */
  readonly server?: ServerOptions | Server;
  /** The screen to begin with; the first one by default. */
  readonly screen?: string;
  readonly theme?: Theme;
  /** Errors of the page that this test provokes. */
  readonly allow?: RegExp;
}

/** An open inspector with its server. Declare it with `await using`. */
export interface Inspector extends AsyncDisposable {
  readonly server: Server;
  readonly page: Page;
  /** Shows a screen of the sandbox `default`, and optionally what is selected on it, and waits until it is settled. */
  go(screen: string, ...rest: readonly string[]): Promise<void>;
  /** Waits until the page has no request under way, and has had none for a moment. */
  settled(): Promise<void>;
  /** The ids of all screens, from the page's navigation. */
  screens(): Promise<readonly string[]>;
  theme(theme: Theme): Promise<void>;
  resize(size: keyof typeof sizes): Promise<void>;
  /** A client of the server's API with the demo's API key, unless the options say otherwise. */
  client(options?: Partial<ApiKeyOptions>): CallTransfer;
  /** axe-core's serious and critical findings in the page as it is, one text each. */
  findings(): Promise<readonly string[]>;
  /** The errors of the page so far. */
  readonly troubles: readonly string[];
}

/** Builds the page and starts a browser for the tests of a file. Returns the function that opens inspectors in it. */
export function inspectorTests(browserOptions: readonly string[] = []): (options?: OpenOptions) => Promise<Inspector> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    // As `npm start` does: builds the page unless it is current.
    execFileSync(process.execPath, ["--conditions=@call-transfer/source", starting, "--version"]);
    browser = await launchBrowser(browserOptions);
  });
  afterAll(() => browser?.close());
  return (options = {}) => {
    if (browser === undefined) throw new Error("The browser is started before the first test. Open pages in tests.");
    return openInspector(browser, options);
  };
}

async function openInspector(browser: Browser, options: OpenOptions): Promise<Inspector> {
  const { server: given = {}, screen, theme = "light", allow } = options;
  const isRunning = "close" in given;
  const server = isRunning ? given : await startServer(given);
  const context = await browser.newContext({ viewport: sizes.laptop, colorScheme: theme, reducedMotion: "reduce" });
  // Also for the tabs that a test opens.
  context.setDefaultTimeout(withinMs);
  const page = await context.newPage();
  const troubles = watch(page, allow);
  const settled = settling(page);
  const go = async (name: string, ...rest: readonly string[]) => {
    await page.goto(`${server.url}/_inspector/#/${["default", name, ...rest].map(encodeURIComponent).join("/")}`);
    await page.getByRole("main").waitFor();
    await settled();
  };
  const close = async () => {
    await context.close();
    if (!isRunning) await server.close();
  };
  try {
    await go(screen ?? "");
  } catch (cause) {
    await close();
    throw new Error(`The inspector did not open. ${troubles.join("\n") || "It logged no error."}`, { cause });
  }
  const resize = (name: keyof typeof sizes) => page.setViewportSize(sizes[name]);
  const useTheme = (colorScheme: Theme) => page.emulateMedia({ colorScheme });
  return {
    server,
    page,
    troubles,
    settled,
    go,
    screens: () =>
      page
        .locator('nav[aria-label="Screens"] a')
        .evaluateAll((links) => links.map((link) => link.getAttribute("href")?.split("/")[2] ?? "")),
    theme: useTheme,
    resize,
    client: (more) => new CallTransfer({ baseUrl: server.url, apiKey: demo.apiKey, ...more }),
    findings: () => findingsOf(page),
    async [Symbol.asyncDispose]() {
      await close();
      if (troubles.length > 0) throw new Error(`The page had errors:\n${troubles.join("\n")}`);
    },
  };
}

/** Collects what goes wrong in a page. */
function watch(page: Page, allow: RegExp | undefined): readonly string[] {
  const troubles: string[] = [];
  const add = (text: string) => {
    if (!meantAnswer.test(text) && allow?.test(text) !== true) troubles.push(text);
  };
  page.on("pageerror", (error) => add(`Error: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") add(`${message.text()} (${message.location().url})`);
  });
  return troubles;
}

/** How long a page must be without a request to count as settled. */
const quietMs = 100;

/** Follows the requests that a page sends for its data. The returned function waits until there are none. */
function settling(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let lastAt = 0;
  page.on("request", (request) => {
    // The stream of events never ends. Requests of workers have no end here.
    if (request.resourceType() === "fetch" && !request.url().includes("/events")) open.add(request);
  });
  // Of what a page had asked for when another replaces it, some requests have no end either.
  page.on("response", (response) => {
    if (response.request().isNavigationRequest()) open.clear();
  });
  const end = (request: Request) => {
    if (open.delete(request)) lastAt = performance.now();
  };
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  return async () => {
    for (
      const limit = performance.now() + withinMs;
      open.size > 0 || performance.now() < lastAt + quietMs;
      await sleep(20)
    )
      if (performance.now() > limit)
        throw new Error(`The page waits for ${[...open].map((request) => request.url()).join(", ")}`);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  };
}
