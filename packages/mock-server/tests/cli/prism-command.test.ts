import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@call-transfer/spec";
import { afterAll, expect, it } from "vitest";
import { finish, runLine } from "./run-line.ts";
import { ready, run } from "./start-command.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-prism-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("serves pages of other origins with --cors-origin, has no control plane, and exits with 0 on a signal", async () => {
  const readyFile = join(folder, "ready.json");
  const origin = "http://localhost:5173";
  const { child, output, info, url, stop } = await ready([
    ...["--prism", "--cors-origin", origin, "--ready-file", readyFile],
  ]);
  expect(readFileSync(readyFile, "utf8")).toBe(output.stdout);
  const { pid, apiKey, engine } = info;
  expect(pid).toBe(child.pid);
  const response = await fetch(url + operations.listRoles.path, {
    headers: { authorization: `Bearer ${apiKey}`, origin },
  });
  expect([engine, response.status, response.headers.get("access-control-allow-origin")]).toEqual([
    "prism",
    200,
    origin,
  ]);
  for (const command of ["requests", "clock", "api"])
    await expect(runLine(url, command)).rejects.toThrow(
      `The server at ${url} has no control plane: it is Prism or another program`,
    );
  expect(await stop()).toBe(0);
  expect(existsSync(readyFile)).toBe(false);
});

it("removes an old ready file when it does not start", async () => {
  const readyFile = join(folder, "stale.json");
  writeFileSync(readyFile, "{}");
  expect((await finish("--prism", "--ready-file", readyFile, "--port", "many")).status).toBe(2);
  expect(existsSync(readyFile)).toBe(false);
});

it("says in its banner that it is stateless", async () => {
  const { child, output } = run(["--prism", "--port", "0"]);
  await once(child.stdout, "data");
  expect(output.stdout).toContain("stateless");
});

it.each([
  [["--prism", "--seed", "demo"], "--seed does not work with --prism"],
  [["--prism", "--auto-sandboxes"], "--auto-sandboxes"],
])("rejects %j with status 2", async (args, name) => {
  const { status, stderr } = await finish(...args);
  expect([status, stderr]).toEqual([2, expect.stringContaining(name)]);
});

it("prints the command that installs Prism when it is missing", async () => {
  const hide = `import { createRequire } from "node:module";
    const Module = createRequire("file:///x.js")("node:module");
    const resolve = Module._resolveFilename;
    Module._resolveFilename = (name, ...rest) => {
      if (name.startsWith("@stoplight/")) throw new Error("missing");
      return resolve.call(Module, name, ...rest);
    };`;
  const preload = `data:text/javascript,${encodeURIComponent(hide)}`;
  const { child, output } = run(["--prism", "--port", "0"], { node: ["--import", preload] });
  expect(await once(child, "close")).toEqual([1, null]);
  expect(output.stderr).toContain("npm install --save-dev @stoplight/prism-cli");
});
