// Bundles one file for browsers and prints the result: node bundle.mjs <rollup | webpack> <file>
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const bundlers = {
  async rollup(input) {
    const [{ rollup }, { nodeResolve }] = await Promise.all([import("rollup"), import("@rollup/plugin-node-resolve")]);
    const bundle = await rollup({ input, plugins: [nodeResolve({ browser: true })], logLevel: "silent" });
    const { output } = await bundle.generate({ format: "es" });
    return output.map(({ code }) => code).join("");
  },
  async webpack(entry) {
    const { default: webpack } = await import("webpack");
    const path = mkdtempSync(join(tmpdir(), "call-transfer-webpack-"));
    try {
      const stats = await new Promise((resolve, reject) => {
        const output = { path, filename: "bundle.js" };
        webpack({ mode: "production", entry, output }, (error, done) => (error ? reject(error) : resolve(done)));
      });
      if (stats.hasErrors()) throw new Error(stats.toString());
      return readFileSync(join(path, "bundle.js"), "utf8");
    } finally {
      rmSync(path, { recursive: true });
    }
  },
};

const [name, file] = process.argv.slice(2);
process.stdout.write(await bundlers[name](file));
