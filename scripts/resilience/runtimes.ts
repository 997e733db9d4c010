// How each runtime is found and made to run the shared program. They live in a folder with a lockfile of their own.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Case, Seen } from "./place-calls.ts";

/** A runtime at hand. */
export interface Runtime {
  readonly name: string;
  readonly version: string;
  /** Whether docs/resilience.md promises that it sends a placement once. */
  readonly isPromised: boolean;
  /** Runs the program, a script that leaves `program` behind, on the cases. */
  run(program: string, baseUrl: string, cases: readonly Case[]): Promise<Seen[]>;
}

const folder = fileURLToPath(new URL("./runtimes", import.meta.url));
const chromiumPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const runFile = promisify(execFile);

/** The path of what is installed of a runtime. */
function installed(name: string, file: string): string {
  const path = join(folder, "node_modules", file);
  if (!existsSync(path)) throw new Error(`${name} is missing: run npm ci in scripts/resilience/runtimes`);
  return path;
}

const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(installed(name, `${name}/package.json`), "utf8")) as { version: string }).version;

/** A runtime that is a program and takes a file. */
function command(name: string, packageName: string, file: string, isPromised: boolean, ...options: string[]): Runtime {
  const binary = installed(name, file);
  return {
    name,
    version: versionOf(packageName),
    isPromised,
    async run(program, baseUrl, cases) {
      const script = `${program}.${packageName}.mjs`;
      const input = `${JSON.stringify(baseUrl)}, ${JSON.stringify(cases)}`;
      writeFileSync(
        script,
        `${readFileSync(program, "utf8")}\nconsole.log(JSON.stringify(await program.placeCalls(${input})));\n`,
      );
      const { stdout } = await runFile(binary, [...options, script], { timeout: 120_000 });
      return JSON.parse(stdout) as Seen[];
    },
  };
}

interface Miniflare {
  dispatchFetch(url: string): Promise<Response>;
  dispose(): Promise<void>;
}

/** Cloudflare's runtime, by way of the tool that its developers start it with. */
function workerd(): Runtime {
  installed("workerd", "miniflare");
  return {
    name: "workerd",
    version: versionOf("workerd"),
    isPromised: true,
    async run(program, baseUrl, cases) {
      const require = createRequire(join(folder, "package.json"));
      const { Miniflare } = require("miniflare") as { Miniflare: new (options: object) => Miniflare };
      const input = `${JSON.stringify(baseUrl)}, ${JSON.stringify(cases)}`;
      const handler = `export default { fetch: async () => Response.json(await program.placeCalls(${input})) };`;
      const script = `${readFileSync(program, "utf8")}\n${handler}\n`;
      const miniflare = new Miniflare({ modules: true, script, compatibilityDate: "2026-07-01" });
      try {
        return (await (await miniflare.dispatchFetch("http://localhost/")).json()) as Seen[];
      } finally {
        await miniflare.dispose();
      }
    },
  };
}

interface Page {
  goto(url: string): Promise<unknown>;
  addScriptTag(script: { path: string }): Promise<unknown>;
  evaluate<T>(expression: string): Promise<T>;
}

interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/** A browser of the system, since browsers do not come from npm. */
function chromium(): Runtime {
  installed("Chromium's driver", "playwright-core");
  if (!existsSync(chromiumPath)) {
    throw new Error(`Chromium is missing at ${chromiumPath}: install it, or name another place in CHROMIUM`);
  }
  const background = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return {
    name: "Chromium",
    isPromised: false,
    version: execFileSync(chromiumPath, ["--version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).replace(/^\D*([\d.]+).*$/s, "$1"),
    async run(program, baseUrl, cases) {
      const require = createRequire(join(folder, "package.json"));
      const playwright = require("playwright-core") as { chromium: { launch(options: object): Promise<Browser> } };
      const browser = await playwright.chromium.launch({
        executablePath: chromiumPath,
        args: ["--no-sandbox", "--disable-gpu", "--no-first-run", ...background],
      });
      try {
        const page = await browser.newPage();
        await page.goto(baseUrl);
        await page.addScriptTag({ path: program });
        return await page.evaluate(`program.placeCalls(${JSON.stringify(baseUrl)}, ${JSON.stringify(cases)})`);
      } finally {
        await browser.close();
      }
    },
  };
}

/**
 * Every runtime that is measured, installed if need be.
 *
 * @throws {Error} names the runtime that is missing.
 */
export function openRuntimes(): Runtime[] {
  const installedAt = statSync(join(folder, "node_modules", ".package-lock.json"), { throwIfNoEntry: false })?.mtimeMs;
  const lockedAt = statSync(join(folder, "package-lock.json")).mtimeMs;
  // A lockfile newer than what was installed from it names other versions.
  if (installedAt === undefined || installedAt < lockedAt)
    execFileSync("npm", ["ci"], { cwd: folder, stdio: "inherit" });
  return [
    ...[20, 22, 24, 26].map((major) => command(`Node ${major}`, `node-${major}`, `node-${major}/bin/node`, true)),
    command("Bun", "bun", ".bin/bun", true),
    command("Deno", "deno", ".bin/deno", false, "run", "--quiet", "--allow-net"),
    workerd(),
    chromium(),
  ];
}
