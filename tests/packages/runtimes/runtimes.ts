// How each runtime is found and made to run a script. They are installed here, with a lockfile of their own.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { browserHere } from "../../../packages/contract/targets/browser/find-browser.ts";
import { launchBrowser } from "../../../packages/contract/targets/browser/launch-browser.ts";
import { ensureInstalled } from "../../../scripts/packed.ts";

/** A runtime at hand. */
export interface Runtime {
  readonly name: string;
  readonly version: string;
  /** Whether docs/resilience.md promises that it sends a placement once. */
  readonly isPromised: boolean;
  /** Whether its errors carry codes that prove that nothing was sent, as docs/resilience.md says. */
  readonly tellsCauses: boolean;
  /** Whether it loads installed packages by itself; the others take one script that holds everything. */
  readonly resolves: boolean;
  /**
   * Runs the script in a file, and then an expression in its scope.
   *
   * @param page where a browser stands; the others have no use for it
   * @returns what the expression comes to, by way of JSON.
   */
  run(script: string, expression: string, page: string): Promise<unknown>;
}

const folder = fileURLToPath(new URL("./", import.meta.url));
const withinMs = 600_000;
const runFile = promisify(execFile);

/** The path of what is installed of a runtime. */
function installed(name: string, file: string): string {
  const path = join(folder, "node_modules", file);
  if (!existsSync(path)) throw new Error(`${name} is missing: run npm ci in tests/packages/runtimes`);
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
    // Deno says what went wrong in words alone.
    tellsCauses: name !== "Deno",
    resolves: true,
    async run(script, expression) {
      const started = script.replace(/\.\w+$/, `.${packageName}${extname(script)}`);
      const printed = `Promise.resolve(${expression}).then((value) => console.log(JSON.stringify(value)));`;
      writeFileSync(started, `${readFileSync(script, "utf8")}\n${printed}\n`);
      const { stdout } = await runFile(binary, [...options, started], { timeout: withinMs, cwd: dirname(script) });
      return JSON.parse(stdout);
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
    tellsCauses: false,
    resolves: false,
    async run(script, expression) {
      const require = createRequire(join(folder, "package.json"));
      const { Miniflare } = require("miniflare") as { Miniflare: new (options: object) => Miniflare };
      const handler = `export default { fetch: async () => Response.json(await ${expression}) };`;
      const worker = `${readFileSync(script, "utf8")}\n${handler}\n`;
      const miniflare = new Miniflare({ modules: true, script: worker, compatibilityDate: "2026-07-01" });
      try {
        const response = await miniflare.dispatchFetch("http://localhost/");
        if (!response.ok) throw new Error(await response.text());
        return await response.json();
      } finally {
        await miniflare.dispose();
      }
    },
  };
}

/** The browser of this machine; undefined where there is none, which was said. */
async function chromium(): Promise<Runtime | undefined> {
  if (!(await browserHere())) return undefined;
  const first = await launchBrowser();
  const version = first.version();
  await first.close();
  return {
    name: "Chromium",
    isPromised: false,
    tellsCauses: false,
    version,
    resolves: false,
    async run(script, expression, address) {
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        page.setDefaultTimeout(withinMs);
        await page.goto(address);
        await page.addScriptTag({ path: script });
        return await page.evaluate(expression);
      } finally {
        await browser.close();
      }
    },
  };
}

/**
 * Every runtime that the SDK promises to run on, installed if need be. The browser is left out where there is none.
 *
 * @throws {Error} names the runtime that is missing.
 */
export async function openRuntimes(): Promise<Runtime[]> {
  ensureInstalled(folder);
  const browser = await chromium();
  return [
    ...[20, 22, 24, 26].map((major) => command(`Node ${major}`, `node-${major}`, `node-${major}/bin/node`, true)),
    command("Bun", "bun", ".bin/bun", true),
    command("Deno", "deno", ".bin/deno", false, "run", "--quiet", "--allow-net"),
    workerd(),
    ...(browser ? [browser] : []),
  ];
}
