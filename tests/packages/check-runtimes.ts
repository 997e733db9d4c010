// Runs one program (runtimes/program.mjs) with the packed SDK on every runtime, against the packed mock server. Then runs
// otel/program.mjs and runtimes/data-file.mjs on Node. Fails when a runtime is missing. Requires built packages.
import { copyFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { build as bundleAsWorkersDo } from "esbuild";
import { build as bundleAsPagesDo } from "vite";
import { install, pack, temporaryFolder } from "../../scripts/packed.ts";
import { withPackedServer } from "../../scripts/packed-server.ts";
import { checkOpenTelemetry } from "./otel/check-otel.ts";
import { openLosses } from "./runtimes/losses.ts";
import { firstNodeWithSqlite, openRuntimes, type Runtime } from "./runtimes/runtimes.ts";
import { now, stage } from "./runtimes/stage.ts";

/** A way to load the SDK in a runtime. */
interface Way {
  readonly runtime: Runtime;
  readonly format: "ESM" | "CommonJS" | "bundle";
  /** The file that loads both entry points and defines `program`. */
  readonly script: string;
}

const imports = `import * as sdk from "@call-transfer/sdk";
import * as webhooks from "@call-transfer/sdk/webhooks";
import { exercise } from "./program.mjs";
`;

/** Writes the scripts into the project. */
async function prepare(project: string, runtimes: readonly Runtime[]): Promise<Way[]> {
  const write = (name: string, text: string) => {
    writeFileSync(join(project, name), text);
    return join(project, name);
  };
  copyFileSync(fileURLToPath(new URL("./runtimes/program.mjs", import.meta.url)), join(project, "program.mjs"));
  const exported = "{ run: (input) => exercise(sdk, webhooks, input) };";
  const modules = write("modules.mjs", `${imports}const program = ${exported}\n`);
  const commonjs = write(
    "commonjs.cjs",
    `const sdk = require("@call-transfer/sdk");
const webhooks = require("@call-transfer/sdk/webhooks");
const program = { run: (input) => import("./program.mjs").then(({ exercise }) => exercise(sdk, webhooks, input)) };
`,
  );
  const entry = write("bundled.mjs", `${imports}export const run = (input) => exercise(sdk, webhooks, input);\n`);
  const [worker, page] = [join(project, "worker.js"), join(project, "page.js")];
  const shared = { bundle: true, format: "iife", globalName: "program", minify: true, logLevel: "error" } as const;
  await bundleAsWorkersDo({ ...shared, entryPoints: [entry], outfile: worker, conditions: ["workerd", "worker"] });
  await bundleAsPagesDo({
    root: project,
    logLevel: "error",
    build: {
      emptyOutDir: false,
      outDir: project,
      lib: { entry, formats: ["iife"], name: "program", fileName: () => "page.js" },
    },
  });
  return runtimes.flatMap((runtime): Way[] => {
    if (!runtime.resolves) return [{ runtime, format: "bundle", script: runtime.name === "Chromium" ? page : worker }];
    const esm: Way = { runtime, format: "ESM", script: modules };
    // Deno supports CommonJS only in packages that it installed itself.
    return runtime.name === "Deno" ? [esm] : [esm, { runtime, format: "CommonJS", script: commonjs }];
  });
}

/** Serves an empty page from another origin than the API, for the browser. */
async function openPage(): Promise<{ url: string; close(): void }> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>A customer's page</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Runs the packed mock server with a data file on each version of Node. The oldest must say what it lacks. */
async function checkDataFiles(project: string, runtimes: readonly Runtime[]): Promise<boolean> {
  const script = join(project, "data-file.mjs");
  copyFileSync(fileURLToPath(new URL("./runtimes/data-file.mjs", import.meta.url)), script);
  let isGood = true;
  for (const node of [...runtimes.filter(({ name }) => name.startsWith("Node ")), firstNodeWithSqlite()]) {
    const expected =
      node.name === "Node 20"
        ? `A data file requires Node 22.13 or newer, and this is v${node.version}. Update Node, or keep the state in memory.`
        : "kept";
    const seen = await node.run(script, "keepState()", "").catch((error: unknown) => String(error));
    isGood &&= seen === expected;
    console.log(
      `${seen === expected ? "ok    " : "failed"}  ${`${node.name} ${node.version}, data file`.padEnd(40)} ${seen}`,
    );
  }
  return isGood;
}

async function check(folder: string): Promise<boolean> {
  const runtimes = await openRuntimes();
  const project = join(folder, "customer");
  install(project, pack(folder, ["spec", "sdk", "backend", "mock-server"]));
  const ways = await prepare(project, runtimes);
  const page = await openPage();
  let isGood = true;
  try {
    await withPackedServer(project, ["--clock", "frozen", "--now", now, "--cors-origin", page.url], async ({ url }) => {
      for (const { runtime, format, script } of ways) {
        const from = performance.now();
        const sandbox = `${runtime.name}-${format}`.toLowerCase().replace(" ", "-");
        const title = `${runtime.name} ${runtime.version}, ${format}`.padEnd(40);
        const { losses, close } = await openLosses(runtime.hasErrorCodes);
        try {
          const input = { ...(await stage(url, sandbox)), losses };
          const shown = (await runtime.run(script, `program.run(${JSON.stringify(input)})`, page.url)) as string[];
          console.log(`ok      ${title} ${shown.join(", ")} (${Math.round(performance.now() - from)} ms)`);
        } catch (error) {
          isGood = false;
          console.log(`failed  ${title} ${error instanceof Error ? error.message : String(error)}`);
        } finally {
          close();
        }
      }
    });
  } finally {
    page.close();
  }
  isGood = (await checkDataFiles(project, runtimes)) && isGood;
  return (await checkOpenTelemetry(folder, project, runtimes)) && isGood;
}

using folder = temporaryFolder("runtimes");
try {
  if (!(await check(folder.path))) process.exitCode = 1;
} catch (error) {
  console.error(`The check stopped. ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
