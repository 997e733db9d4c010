import { expect, it } from "vitest";
import { findBrowser, type Machine } from "../../build/browser.ts";

/** A machine with only these executable files, and without npm's Chromium. */
const machineWith = (files: readonly string[], env: Machine["env"] = {}): Machine & { readonly warnings: string[] } => {
  const warnings: string[] = [];
  return {
    ...{ platform: "linux", arch: "x64", env, warnings, starts: () => true },
    isExecutable: (path) => files.includes(path),
    fetchBrowser: () => Promise.reject(new Error("no network")),
    warn: (line) => warnings.push(line),
  };
};

it("without a browser, one line says what is not checked, and CI fails", async () => {
  const machine = machineWith([]);
  expect(await findBrowser(machine)).toBeUndefined();
  expect(machine.warnings).toEqual([expect.stringMatching(/^NO BROWSER: .*no network\. Install .*NOT CHECKED\.$/)]);
  await expect(findBrowser(machineWith([], { CI: "true" }))).rejects.toThrow("NO BROWSER");
});

it("a wrong CHROMIUM_PATH fails, even if another browser is installed", async () => {
  const machine = machineWith(["/usr/bin/chromium"], { CHROMIUM_PATH: "/no/where" });
  await expect(findBrowser(machine)).rejects.toThrow("CHROMIUM_PATH=/no/where is not an executable file");
});
