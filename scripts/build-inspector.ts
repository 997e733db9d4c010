// Builds the inspector's page with Vite and copies it into the mock server's package.
import { randomUUID } from "node:crypto";
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestOf, isRecorded, record } from "./made.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const configFile = join(root, "packages/inspector/vite.config.ts");
/** The built page, and its copy that the mock server sends. */
const pages = ["packages/inspector/dist/inspector", "packages/mock-server/dist/inspector"];
const name = "inspector";

/** The page shows the contract, so its sources are more than its own folder. */
const inputs = () =>
  digestOf([
    ...["package-lock.json", "build/licences.ts"],
    ...["packages/spec/src", "packages/backend/src", "packages/inspector/src", "packages/inspector/vite.config.ts"],
  ]);
const state = () => ({ inputs: inputs(), outputs: digestOf(pages) });

/** Builds the page unless it is current. Calls `onBuild` before it does. */
export async function buildInspector(onBuild = () => {}): Promise<void> {
  if (isRecorded(name, state())) return;
  onBuild();
  const before = inputs();
  const { build } = await import("vite");
  // Beside the final folder, because tests that run side by side may build at the same time.
  const outDir = join(root, `${pages[0]}-${randomUUID()}`);
  try {
    await build({ configFile, logLevel: "warn", build: { outDir } });
    if (isRecorded(name, state())) return;
    for (const page of pages) {
      const copy = join(root, `${page}-${randomUUID()}`);
      cpSync(outDir, copy, { recursive: true });
      rmSync(join(root, page), { recursive: true, force: true });
      renameSync(copy, join(root, page));
    }
    record(name, { ...state(), inputs: before });
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}
