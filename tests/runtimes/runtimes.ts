// Finds each runtime of tests/tools and runs scripts on it.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import { browserHere, launchBrowser } from "../../build/browser.ts";
import { ensureInstalled, tools } from "../../scripts/packed.ts";
import { openMiniflare } from "../hosting/workerd.ts";

export interface Runtime {
  readonly name: string;
  readonly version: string;
  /** Whether docs/resilience.md promises that it sends a createCall request only once. */
  readonly isPromised: boolean;
  /** Whether its errors have codes that prove that nothing was sent (docs/resilience.md). */
  readonly hasErrorCodes: boolean;
  /** Whether it loads installed packages. Other runtimes need one bundled script. */
  readonly resolves: boolean;
  /**
   * Runs the script in a file, then an expression in its scope.
   *
   * @param page address for the browser to open
   * @returns the value of the expression, passed as JSON
   */
  run(script: string, expression: string, page: string): Promise<unknown>;
}

const withinMs = 600_000;
const runFile = promisify(execFile);

/** The path of an installed file. */
function installed(name: string, file: string): string {
  const path = join(tools, "node_modules", file);
  if (!existsSync(path)) throw new Error(`${name} is missing. Run npm run check -- runtimes.`);
  return path;
}

const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(installed(name, `${name}/package.json`), "utf8")) as { version: string }).version;

/** A runtime with a command that takes a file. */
function command(name: string, packageName: string, file: string, isPromised: boolean, ...options: string[]): Runtime {
  const binary = installed(name, file);
  return {
    name,
    version: versionOf(packageName),
    // Deno's errors have only a message.
    hasErrorCodes: name !== "Deno",
    isPromised,
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

/** Cloudflare's runtime, started with miniflare. */
function workerd(): Runtime {
  installed("workerd", "miniflare");
  return {
    name: "workerd",
    version: versionOf("workerd"),
    isPromised: true,
    hasErrorCodes: false,
    resolves: false,
    async run(script, expression) {
      const handler = `export default { fetch: async () => Response.json(await ${expression}) };`;
      const worker = `${readFileSync(script, "utf8")}\n${handler}\n`;
      const miniflare = await openMiniflare({ modules: true, script: worker, compatibilityDate: "2026-07-01" });
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

/** The browser of this machine. Undefined without a browser, which browserHere() reports. */
async function chromium(): Promise<Runtime | undefined> {
  if (!(await browserHere())) return undefined;
  const first = await launchBrowser();
  const version = first.version();
  await first.close();
  return {
    name: "Chromium",
    isPromised: false,
    hasErrorCodes: false,
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
 * Every supported runtime, installed if necessary. Without a browser on this machine, it leaves the browser out.
 *
 * @throws {Error} names a missing runtime
 */
export async function openRuntimes(): Promise<Runtime[]> {
  ensureInstalled(tools);
  const browser = await chromium();
  return [
    ...[20, 22, 24, 26].map((major) => command(`Node ${major}`, `node-${major}`, `node-${major}/bin/node`, true)),
    command("Bun", "bun", ".bin/bun", true),
    command("Deno", "deno", ".bin/deno", false, "run", "--quiet", "--allow-net"),
    workerd(),
    ...(browser ? [browser] : []),
  ];
}
