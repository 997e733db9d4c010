// Measures an installed package as a customer has it: bytes, bundles and the time of import().
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { run } from "../../scripts/packed.ts";

/** Installs packages from the registry or from tarballs, with what they depend on. Returns megabytes. */
export function install(project, dependencies) {
  mkdirSync(project);
  const description = { name: "customer", private: true, type: "module", dependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(description));
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--workspaces=false"];
  run(project, "npm", "install", "--omit=dev", ...quiet);
  const folder = join(project, "node_modules");
  const files = readdirSync(folder, { recursive: true }).map((path) => statSync(join(folder, path)));
  const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  return bytes / 1e6;
}

/** Kilobytes of 1,000 bytes of a bundle for browsers, minified, after gzip -9. */
export async function bundled(project, contents) {
  const options = { bundle: true, minify: true, format: "esm", platform: "browser", write: false, logLevel: "silent" };
  const external = ["node:*"];
  const { outputFiles } = await build({ ...options, external, stdin: { contents, resolveDir: project } });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000;
}

/** Milliseconds of processor time of `import()` in new processes: the fastest of each, in turns, because other load only adds time. */
export function importTimes(projects, rounds) {
  const fastest = Object.fromEntries(Object.keys(projects).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, project] of Object.entries(projects)) {
      const script = `const start = performance.now(), used = process.cpuUsage(); await import("${name}");
        const passed = performance.now() - start, { user, system } = process.cpuUsage(used);
        console.log(Math.min(passed, (user + system) / 1000));`;
      const ms = Number(run(project, process.execPath, "--input-type=module", "-e", script));
      fastest[name] = Math.min(fastest[name], ms);
    }
  return fastest;
}
