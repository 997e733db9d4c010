// Builds the inspector's page with Vite into the mock server's package.
import { randomUUID } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestOf, isRecorded, record } from "./digest.ts";

const dist = fileURLToPath(new URL("../packages/mock-server/dist/", import.meta.url));
const configFile = fileURLToPath(new URL("../packages/mock-server/vite.config.ts", import.meta.url));
const name = "inspector";

/** The page shows the contract, so its sources are more than its own folder. */
const inputs = () =>
  digestOf([
    ...["package-lock.json", "scripts/licences.ts", "packages/spec/openapi.json", "openapi/control"],
    ...["packages/spec/src", "packages/backend/src", "packages/mock-server/src", "packages/mock-server/vite.config.ts"],
  ]);
const state = () => ({ inputs: inputs(), outputs: digestOf(["packages/mock-server/dist/inspector"]) });

/** Builds the page unless it is current. Calls `onBuild` before it does. */
export async function buildInspector(onBuild = () => {}): Promise<void> {
  if (isRecorded(name, state())) return;
  onBuild();
  const before = inputs();
  const { build } = await import("vite");
  // Beside the final folder, because tests that run side by side may build at the same time.
  const outDir = join(dist, `inspector-${randomUUID()}`);
  try {
    await build({ configFile, logLevel: "warn", build: { outDir } });
    if (isRecorded(name, state())) return;
    rmSync(join(dist, name), { recursive: true, force: true });
    renameSync(outDir, join(dist, name));
    record(name, { ...state(), inputs: before });
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}
