// Runs the program that docs/migrating.md links. The page must show its output.
import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";

const page = readFileSync(new URL("../../docs/migrating.md", import.meta.url), "utf8");

it("migrating/compare.ts prints what the page shows", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  await import("../../examples/migrating/compare.ts");
  const [, shown] = /migrating\.test\.ts -->\n\n```text\n(.*?)```/s.exec(page) ?? [];
  expect(`${log.mock.calls.flat().join("\n")}\n`).toBe(shown);
});
