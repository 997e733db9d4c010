// Runs one program (program.mjs) with the packed SDK and OpenTelemetry's SDKs 2 and 3, as CommonJS and, beside
// instrumentation of fetch, as ES modules.
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { operations } from "@call-transfer/spec";
import { ensureInstalled } from "../../../scripts/packed.ts";
import type { Runtime } from "../runtimes/runtimes.ts";

const paths = Object.fromEntries(Object.values(operations).map(({ id, path }) => [id, path]));
const here = fileURLToPath(new URL("./", import.meta.url));

/** A version of the OpenTelemetry SDK, installed in the folder of its name. */
const versions = [
  { name: "sdk-2", tracing: "@opentelemetry/sdk-trace-base", nodes: ["Node 20", "Node 24"] },
  { name: "sdk-3", tracing: "@opentelemetry/sdk-trace", nodes: ["Node 22", "Node 26"] },
] as const;

/** The formats, and whether instrumentation of fetch is there too. */
const ways = [
  ["cjs", false],
  ["mjs", true],
] as const;

/** The parameters of the program, and what each loads. */
const modulesOf = (tracing: string, undici: boolean): Record<string, string> => ({
  sdk: "@call-transfer/sdk",
  raw: "@call-transfer/sdk/raw",
  otel: "@call-transfer/sdk/otel",
  api: "@opentelemetry/api",
  tracing,
  measuring: "@opentelemetry/sdk-metrics",
  contexts: "@opentelemetry/context-async-hooks",
  core: "@opentelemetry/core",
  ...(undici && { undici: "@opentelemetry/instrumentation-undici" }),
});

/** Writes a script that loads the modules in a format and defines `run(paths)`. */
function writeScript(place: string, format: "mjs" | "cjs", modules: Readonly<Record<string, string>>): string {
  const names = Object.keys(modules).join(", ");
  const loaded = Object.entries(modules).map(([name, from]) =>
    format === "mjs" ? `import * as ${name} from "${from}";` : `const ${name} = require("${from}");`,
  );
  const run = `const run = async (paths) => (await import("./program.mjs")).trace({ ${names} }, paths);`;
  const script = join(place, `${"undici" in modules ? "beside" : "alone"}.${format}`);
  writeFileSync(script, [...loaded, run, ""].join("\n"));
  return script;
}

/** Creates a project with a version of the OpenTelemetry SDK and the packed SDK. */
function prepare(place: string, version: string, project: string): void {
  ensureInstalled(join(here, version));
  mkdirSync(place);
  cpSync(join(here, version, "node_modules"), join(place, "node_modules"), { recursive: true });
  for (const name of ["@call-transfer/sdk", "openapi-fetch", "openapi-typescript-helpers"])
    cpSync(join(project, "node_modules", name), join(place, "node_modules", name), { recursive: true });
  copyFileSync(join(here, "program.mjs"), join(place, "program.mjs"));
}

/**
 * Runs the program on each Node. Returns whether all succeeded.
 *
 * @param project Has the packed SDK installed.
 */
export async function checkOpenTelemetry(
  folder: string,
  project: string,
  runtimes: readonly Runtime[],
): Promise<boolean> {
  let isGood = true;
  for (const { name: version, tracing, nodes } of versions) {
    const place = join(folder, version);
    prepare(place, version, project);
    for (const runtime of runtimes.filter(({ name }) => nodes.some((node) => node === name))) {
      for (const [format, undici] of ways) {
        const title = `${runtime.name} ${runtime.version}, OpenTelemetry ${version}`.padEnd(40);
        try {
          const script = writeScript(place, format, modulesOf(tracing, undici));
          console.log(`ok      ${title} ${await runtime.run(script, `run(${JSON.stringify(paths)})`, "")}`);
        } catch (error) {
          isGood = false;
          console.log(`failed  ${title} ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    }
  }
  return isGood;
}
