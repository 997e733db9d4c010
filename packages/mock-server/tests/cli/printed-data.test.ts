import { demo } from "@call-transfer/backend";
import { expect, it, onTestFinished } from "vitest";
import { startMockServer } from "../../src/server/server.ts";
import { runLine } from "./run-line.ts";

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
