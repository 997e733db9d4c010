import { spawn, spawnSync } from "node:child_process";
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

/** Runs a program to its end. */
function run(main: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], { encoding: "utf8" });
  return { status, stdout, stderr };
}

it("all parts of a command run, and it fails if one of them does", () => {
  const main = programOf(`console.log("first"); process.exitCode = 3;`, `console.log("second");`);
  expect(run(main, "both")).toMatchObject({ status: 3, stdout: "first\nsecond\n" });
  expect(run(main, "both", "second")).toMatchObject({ status: 0, stdout: "second\n" });
});

it("a command says at its end which parts failed", () => {
  const failing = (status: number) => `console.error("error"); process.exitCode = ${status};`;
  const main = programOf(failing(3), failing(4));
  expect(run(main, "both")).toMatchObject({ status: 3, stderr: "error\nerror\nFailed: first, second.\n" });
  expect(run(main, "both", "second")).toMatchObject({ status: 4, stderr: "error\nFailed: second.\n" });
});

it("a command whose parts end well says nothing of failures", () => {
  const main = programOf("", "");
  expect(run(main, "both")).toEqual({ status: 0, stdout: "", stderr: "" });
});

/** Runs both parts, and sends a signal when one of them waits. */
async function interrupt(main: string, signal: NodeJS.Signals): Promise<{ status: unknown; output: string }> {
  const child = spawn(process.execPath, [main, "both"], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (text.includes("waiting")) child.kill(signal);
  });
  const [status] = await once(child, "close");
  return { status, output };
}

const waitFor = (signal: NodeJS.Signals, status: number): string =>
  `process.on("${signal}", () => process.exit(${status})); setInterval(() => {}, 1000); console.log("waiting");`;

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends a command with its parts and status %i, also where a part ends well", async (signal, status) => {
  const main = programOf(waitFor(signal, 0), `console.log("second");`);
  expect(await interrupt(main, signal)).toEqual({ status, output: "waiting\n" });
});

it("a command that is interrupted keeps the status of a part that failed, and says which", async () => {
  const main = programOf("process.exitCode = 3;", waitFor("SIGTERM", 0));
  expect(await interrupt(main, "SIGTERM")).toEqual({ status: 3, output: "waiting\nFailed: first.\n" });
});
