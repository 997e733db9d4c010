// The store of the built packages that needs no server: the mock server's data file.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { demo } from "@call-transfer/backend";
import { StoreError, startMockServer } from "@call-transfer/mock-server";

/** Runs a test with the path of a data file that does not exist yet. */
async function withDataFile(use: (data: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-stores-"));
  try {
    await use(join(folder, "mock.db"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("a data file of the mock server", () => {
  const isThere = process.getBuiltinModule?.("node:sqlite") !== undefined;

  it("keeps a change over a restart", { skip: isThere ? false : "this Node has no node:sqlite" }, () =>
    withDataFile(async (data) => {
      const first = await startMockServer({ port: 0, dataFile: data });
      first.backend.collections.update("groups", demo.groups.existing, { name: "Kept" });
      await first.close();
      const second = await startMockServer({ port: 0, dataFile: data });
      const name = second.backend.state.groups.get(demo.groups.existing)?.name;
      await second.close();
      assert.equal(name, "Kept");
    }),
  );

  it("is refused with the way out where Node cannot keep it", { skip: isThere && "this Node has node:sqlite" }, () =>
    withDataFile(async (data) => {
      await assert.rejects(
        () => startMockServer({ port: 0, dataFile: data }),
        (error) => error instanceof StoreError && /^A data file requires Node 22\.13 or newer, /.test(error.message),
      );
    }),
  );
});
