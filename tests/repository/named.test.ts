import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
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

it("all parts of a command run, and it fails if one of them does", () => {
  const main = programOf(`console.log("first"); process.exitCode = 3;`, `console.log("second");`);
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

it.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends a command with its parts, also where a part ends well",
  async (signal) => {
    const wait = `process.on("${signal}", () => process.exit(0)); setInterval(() => {}, 1000); console.log("waiting");`;
    const main = programOf(wait, `console.log("second");`);
    const child = spawn(process.execPath, [main, "both"], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (text.includes("waiting")) child.kill(signal);
    });
    await once(child, "close");
    expect(output).toBe("waiting\n");
  },
);
