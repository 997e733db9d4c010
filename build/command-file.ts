import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { asModules } from "./options.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const source = (name: string): string => fileURLToPath(new URL(`../packages/mock-server/src/${name}`, import.meta.url));
let built: string | undefined;

/**
 * Path of the program `call-transfer-mock`, bundled from the sources of now as its package does. It starts in a third of the
 * time of the sources, and tests start it some 200 times. `main.js` beside it runs a command line in the process of a test.
 */
export function commandFile(): string {
  built ??= bundle();
  return built;
}

function bundle(): string {
  const { outputFiles } = buildSync({
    ...{ entryPoints: [source("cli.ts"), source("cli/main.ts")], entryNames: "[name]", outdir: "/" },
    ...{ absWorkingDir: root, write: false, bundle: true, splitting: true },
    ...{ platform: "node", format: "esm", target: "es2022", conditions: ["@call-transfer/source"] },
    external: ["@stoplight/*"],
    alias: asModules,
  });
  const hash = createHash("sha256");
  for (const { hash: one } of outputFiles) hash.update(one);
  // In the workspace, where the command finds its peers. A name by content lets Node keep the compiled code.
  const cache = join(root, "node_modules/.cache/mock-server-command");
  const folder = join(cache, hash.digest("hex").slice(0, 16));
  mkdirSync(cache, { recursive: true });
  const written = mkdtempSync(`${folder}-`);
  for (const { path, contents } of outputFiles) writeFileSync(join(written, basename(path)), contents);
  // As in the package. Otherwise Node parses each file at each start to find out that it is a module.
  writeFileSync(join(written, "package.json"), '{ "type": "module" }');
  try {
    renameSync(written, folder);
  } catch {
    // Another worker was first.
    rmSync(written, { recursive: true });
  }
  return join(folder, "cli.js");
}
