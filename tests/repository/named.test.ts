import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

/** A program with a command whose two parts are these programs. */
function programOf(first: string, second: string): string {
  const folder = mkdtempSync(join(tmpdir(), "named-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const parts = { first: [write("first.mjs", first)], second: [write("second.mjs", second)] };
  const named = new URL("../../scripts/commands/named.ts", import.meta.url).href;
  const commands = JSON.stringify({ both: { does: "both", parts } });
  const text = `import { runNamed } from ${JSON.stringify(named)};\nawait runNamed("try", ${commands});\n`;
  return write("main.mjs", text);
}

const run = (main: string, ...words: string[]) => spawnSync(process.execPath, [main, ...words], { encoding: "utf8" });

it("all parts of a command run, and it fails if one of them does", () => {
  const main = programOf(`console.log("first"); process.exitCode = 3;`, `console.log("second");`);
  expect(run(main, "both")).toMatchObject({ status: 3, stdout: "first\nsecond\n", stderr: "Failed: first.\n" });
  expect(run(main, "both", "second")).toMatchObject({ status: 0, stdout: "second\n" });
});
