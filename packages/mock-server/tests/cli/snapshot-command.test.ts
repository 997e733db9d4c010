import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { startMockServer } from "../../src/index.ts";
import { runLine } from "./run-line.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-snapshot-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("restores its own snapshot when it is larger than 1 MiB, and prints data as one line with --json", async () => {
  const accounts = [{ id: "a0000000-0000-4000-8000-00000000000a", name: "x".repeat(2 ** 20) }];
  const server = await startMockServer({ port: 0, seed: { accounts }, clockMode: "frozen" });
  onTestFinished(() => server.close());
  const file = join(folder, "large.json");
  const snapshot = (...args: string[]) => runLine(server.url, "snapshot", ...args);
  expect(await snapshot("save", file)).toMatchObject({ status: 0, stderr: "" });
  expect(await snapshot("restore", file)).toMatchObject({ status: 0, stderr: "" });
  const { stdout } = await snapshot("--json");
  expect(stdout).not.toContain("\n");
  expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(file, "utf8")));
  const none = join(folder, "none", "kept.json");
  await expect(snapshot("save", none)).rejects.toThrow(
    `snapshot save ${none}: the folder ${join(folder, "none")} does`,
  );
  writeFileSync(file, "{");
  await expect(snapshot("restore", file)).rejects.toThrow(`snapshot restore ${file}: not valid JSON: `);
});

it("suggests --import for a snapshot that a running server rejects", async () => {
  const server = createServer((_, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ detail: "The request body is larger than 64 MiB." }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const file = join(folder, "refused.json");
  writeFileSync(file, JSON.stringify({ version: 1 }));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(runLine(url, "snapshot", "restore", file)).rejects.toThrow(`npm -s start -- --import ${file}`);
});
