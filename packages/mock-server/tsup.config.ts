import { cpSync, rmSync } from "node:fs";
import { defineConfig, type Options } from "tsup";
import { licences } from "../../build/licences.ts";
import { asModules, shared, sourcesOfModules } from "../../build/options.ts";

// Here and not by `clean`: two builds write into the folder, and neither may remove what the other wrote.
rmSync("dist", { recursive: true, force: true });
// The page of the server, and the inspector for pages of apps. `npm run build` builds them before.
cpSync("../inspector/dist", "dist", { recursive: true });

const library: Options = {
  ...shared,
  clean: false,
  entry: ["index", "attack", "backend", "msw", "playwright", "unstable", "vitest", "worker"].map(
    (name) => `src/${name}.ts`,
  ),
  format: ["esm"],
  // The document is taken in, since importing JSON still warns on Node 20.
  noExternal: ["@call-transfer/spec/openapi.json"],
};

/** The command contains what it needs, because a few files start faster than many. See docs/decisions/0016. */
const command: Options = {
  ...shared,
  clean: false,
  dts: false,
  // Otherwise tsup resolves `node:process` before the aliases below do.
  removeNodeProtocol: false,
  entry: ["src/cli.ts"],
  format: ["esm"],
  noExternal: [/^@call-transfer\//, /^@noble\/hashes\//, "openapi-fetch", "commander", /^yaml$/, /^zod$/],
  esbuildPlugins: [licences],
  // First, because the others shorten the paths.
  plugins: [sourcesOfModules, ...shared.plugins],
  esbuildOptions(options) {
    shared.esbuildOptions(options);
    // From the sources of our other packages, to which the maps then lead.
    options.conditions = ["@call-transfer/source"];
    options.alias = asModules;
    options.chunkNames = "cli/[name]-[hash]";
  },
};

export default defineConfig([library, command]);
