import { demo } from "@call-transfer/backend";
import { expect, it, onTestFinished } from "vitest";
import { asOneWord, commandLine, program, wrapMessage } from "../../src/cli/output.ts";
import { startMockServer } from "../../src/server/server.ts";
import { runLine } from "./run-line.ts";

const message = `No server is running at http://127.0.0.1:4010. Check --url, or start a server: ${commandLine("--port 4020")}`;

it("breaks a message between words in a terminal, below its first word", () => {
  expect(wrapMessage("--seed none.json: file not found. Check the name of the file.", 30, 7)).toBe(
    "--seed none.json: file\n       not found. Check the\n       name of the file.",
  );
});

it("keeps a command on one line, so that it can be copied", () => {
  expect(wrapMessage(message, 80, 7).split("\n").at(-1)).toContain(`${program} --port 4020`);
});

it("keeps a command in the middle of a sentence on one line", () => {
  const text = wrapMessage(
    `Advance it with ${commandLine("clock advance next")}, or start with --clock running.`,
    50,
    9,
  );
  expect(text.split("\n").map((line) => line.trim())).toContain(`${program} clock advance next, or`);
});

it("keeps a command whose words end like sentences on one line", () => {
  const text = wrapMessage(`Try ${commandLine("restore a.b. c, d")}.`, 20, 0);
  expect(text.split("\n")).toEqual(["Try", `${program} restore a.b. c, d.`]);
});

it("breaks a text that only looks like a command", () => {
  expect(wrapMessage(`${program} is the program. ${asOneWord("Not this")}.`, 20, 0)).toContain("\nNot this.");
});

it("breaks nothing outside of a terminal", () => {
  expect(wrapMessage(message, undefined, 7)).toBe(
    `No server is running at http://127.0.0.1:4010. Check --url, or start a server: ${program} --port 4020`,
  );
});

/** A server with a group of this name. */
async function startWithGroup(name: string) {
  const server = await startMockServer({ port: 0, clockMode: "frozen" });
  onTestFinished(() => server.close());
  server.backend.collections.update("groups", demo.groups.existing, { name });
  return server;
}

it("prints a snapshot that restores names with a no-break space", async () => {
  const { url, backend } = await startWithGroup("Prix\u00A05");
  const { stdout } = await runLine(url, "snapshot");
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(backend.snapshot())));
});

it("prints a snapshot that restores names with characters that could change the terminal", async () => {
  const { url, backend } = await startWithGroup("a\u009B31m\u2028\u202Eb");
  const { stdout } = await runLine(url, "snapshot");
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(backend.snapshot())));
  expect(stdout).toContain(String.raw`a\u009b31m\u2028\u202eb`);
});
