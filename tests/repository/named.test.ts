import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

it("all parts of a command run, and it fails if one of them does", () => {
  const folder = mkdtempSync(join(tmpdir(), "named-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const first = write("first.mjs", `console.log("first"); process.exitCode = 3;`);
  const second = write("second.mjs", `console.log("second");`);
  const named = new URL("../../scripts/commands/named.ts", import.meta.url).href;
  const commands = JSON.stringify({ both: { does: "both", parts: { first: [first], second: [second] } } });
  const main = write(
    "main.mjs",
    `import { runNamed } from ${JSON.stringify(named)}; await runNamed("try", ${commands});`,
  );
  const run = (...words: string[]) => {
    try {
      return { status: 0, output: execFileSync(process.execPath, [main, ...words], { encoding: "utf8" }) };
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      return { status, output: stdout };
    }
  };
  expect(run("both")).toEqual({ status: 3, output: "first\nsecond\n" });
  expect(run("both", "second")).toEqual({ status: 0, output: "second\n" });
});
