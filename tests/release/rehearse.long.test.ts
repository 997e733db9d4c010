import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const withinMs = 5_400_000;

it("every kind of release leaves the registry and the customers as they must be", { timeout: withinMs }, () => {
  const { status, stdout, stderr } = spawnSync("node", ["scripts/release/rehearse.ts"], {
    cwd: root,
    encoding: "utf8",
    timeout: withinMs,
    maxBuffer: 1 << 28,
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
