// Runs on each version of Node, in a project with the packed mock server. Keeps a state in a file over a restart.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo } from "@call-transfer/backend";
import { StoreError, startMockServer } from "@call-transfer/mock-server";

/** Returns what was seen: "kept", or why this version of Node cannot keep it. Rejects with a warning or what was lost. */
export async function keepState() {
  const warnings = [];
  process.on("warning", (warning) => warnings.push(String(warning)));
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-data-file-"));
  try {
    const data = join(folder, "mock.db");
    const first = await startMockServer({ port: 0, dataFile: data });
    first.backend.collections.update("groups", demo.groups.existing, { name: "Kept" });
    await first.close();
    const second = await startMockServer({ port: 0, dataFile: data });
    const { name } = second.backend.state.groups.get(demo.groups.existing);
    await second.close();
    if (name !== "Kept") throw new Error(`The group is named ${name} after the restart.`);
    if (warnings.length > 0) throw new Error(`Node warned: ${warnings.join(", ")}`);
    return "kept";
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
