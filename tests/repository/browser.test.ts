import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBrowser, installedBrowser, type Machine, thisMachine } from "../../build/browser.ts";

const fromNpm = { executablePath: "/cache/chromium", env: { LD_LIBRARY_PATH: "/cache/lib" } };

interface Given extends Partial<Machine> {
  /** The files that can be executed. */
  readonly files?: readonly string[];
  /** Those of them that do not start. */
  readonly broken?: readonly string[];
}

/** A machine with only the given files, and the warnings that were printed. */
function machineWith({ files = [], broken = [], ...rest }: Given = {}) {
  const warnings: string[] = [];
  const machine: Machine = {
    platform: "linux",
    arch: "x64",
    env: { PATH: "/usr/local/sbin:/usr/bin" },
    isExecutable: (path) => files.includes(path),
    starts: ({ executablePath }) => !broken.includes(executablePath),
    fetchBrowser: async () => fromNpm,
    warn: (line) => warnings.push(line),
    ...rest,
  };
  return { machine, warnings };
}

const foundWith = async (set: Given) => (await findBrowser(machineWith(set).machine))?.executablePath;

describe("a browser is searched for", () => {
  const shell = "/usr/bin/chromium-headless-shell";
  const chromium = "/usr/bin/chromium";
  const chrome = "/usr/bin/google-chrome";
  const edge = "/usr/bin/microsoft-edge";
  const named = "/opt/mine/chrome";

  it.each<[string, Given, string]>([
    ["in CHROMIUM_PATH first", { env: { CHROMIUM_PATH: named }, files: [chromium, named] }, named],
    ["as a headless shell before Chromium", { files: [chromium, shell] }, shell],
    ["as Chromium before Chrome", { files: [edge, chrome, chromium] }, chromium],
    ["as Chrome before Edge", { files: [edge, chrome] }, chrome],
    ["as Edge before npm", { files: [edge] }, edge],
    ["on npm last", {}, fromNpm.executablePath],
    ["anywhere on the PATH", { env: { PATH: "/a:/b" }, files: ["/b/chromium"] }, "/b/chromium"],
    ["in its usual places without a PATH", { env: {}, files: [chromium] }, chromium],
    ["in a package's own folder", { files: ["/opt/google/chrome/chrome"] }, "/opt/google/chrome/chrome"],
    [
      "with an empty CHROMIUM_PATH, which counts as unset",
      { env: { CHROMIUM_PATH: "", PATH: "" }, files: [chromium] },
      chromium,
    ],
    ["past one that does not start", { files: [chromium, chrome], broken: [chromium] }, chrome],
    ["on npm after one that does not start", { files: [chromium], broken: [chromium] }, fromNpm.executablePath],
  ])("%s", async (_, set, path) => {
    expect(await foundWith(set)).toBe(path);
  });

  it.each([
    ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"],
    ["/Volumes/me/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"],
    ["/opt/homebrew/bin/chromium"],
  ])("on macOS at %s", async (path) => {
    expect(await foundWith({ platform: "darwin", env: { HOME: "/Volumes/me" }, files: [path] })).toBe(path);
  });

  it.each([
    ["C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe"],
    ["C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe"],
    ["C:\\Users\\me\\AppData\\Local\\Chromium\\Application\\chrome.exe"],
    ["D:\\tools\\chrome.exe"],
  ])("on Windows at %s", async (path) => {
    const env = {
      PATH: "C:\\Windows;D:\\tools",
      PROGRAMFILES: "C:\\Program Files",
      "PROGRAMFILES(X86)": "C:\\Program Files (x86)",
      LOCALAPPDATA: "C:\\Users\\me\\AppData\\Local",
    };
    expect(await foundWith({ platform: "win32", env, files: [path] })).toBe(path);
  });

  it("never on npm for what is installed", () => {
    const fetchBrowser = () => Promise.reject(new Error("fetched"));
    expect(installedBrowser(machineWith({ fetchBrowser }).machine)).toBeUndefined();
  });
});

describe("without a browser", () => {
  const bare: [string, Given, string][] = [
    ["on macOS", { platform: "darwin" }, "none is installed"],
    ["on Windows", { platform: "win32" }, "none is installed"],
    ["on Linux on arm64", { arch: "arm64" }, "none is installed"],
    [
      "when npm does not answer",
      { fetchBrowser: () => Promise.reject(new Error("no network\nat work")) },
      "the one from npm is not available: no network at work.",
    ],
    ["when the one from npm does not start", { broken: [fromNpm.executablePath] }, "does not start here"],
  ];

  it.each(bare)("%s, prints one warning", async (_, set, reason) => {
    const { machine, warnings } = machineWith(set);
    expect(await findBrowser(machine)).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/^NO BROWSER: .*\. Install .*NOT CHECKED\.$/)]);
    expect(warnings[0]).toContain(reason);
  });

  it.each(bare)("%s, fails in CI", async (_, set, reason) => {
    const { machine, warnings } = machineWith({ ...set, env: { CI: "true" } });
    await expect(findBrowser(machine)).rejects.toThrow(reason);
    expect(warnings).toEqual([]);
  });

  it("fails with a wrong CHROMIUM_PATH, even if another browser is installed", async () => {
    const { machine } = machineWith({ env: { CHROMIUM_PATH: "/no/where" }, files: ["/usr/bin/chromium"] });
    await expect(findBrowser(machine)).rejects.toThrow("CHROMIUM_PATH=/no/where is not an executable file");
  });
});

describe("a program is", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "find-browser-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const written = (name: string, text: string, mode: number): string => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
    return join(folder, name);
  };

  it("a file that may be executed", () => {
    expect(thisMachine.isExecutable(written("program", "#!/bin/sh\n", 0o755))).toBe(true);
  });

  it.each([
    ["a file without the right", () => written("text", "text", 0o644)],
    ["an empty file", () => written("empty", "", 0o755)],
    ["a folder", () => mkdirSync(join(folder, "folder"), { recursive: true }) ?? join(folder, "folder")],
    ["a device", () => "/dev/null"],
    ["a path where nothing is", () => join(folder, "nothing")],
  ])("not %s", (_, path) => {
    expect(thisMachine.isExecutable(path())).toBe(false);
  });

  it("accepted only if it prints its version", () => {
    expect(thisMachine.starts({ executablePath: process.execPath })).toBe(true);
    expect(thisMachine.starts({ executablePath: written("stub", "#!/bin/sh\nexit 1\n", 0o755) })).toBe(false);
  });
});
