import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createBackend,
  type SandboxStore,
  type StoredRow,
} from "@call-transfer/backend";
import { afterAll, expect, it } from "vitest";

/** Keeps a sandbox in a JSON file, which each commit replaces. */
function jsonFileStore(path: string): SandboxStore {
  const load = (): StoredRow[] | undefined =>
    existsSync(path)
      ? (JSON.parse(readFileSync(path, "utf8")) as StoredRow[])
      : undefined;
  const idOf = ({ table, key }: Omit<StoredRow, "text">) =>
    JSON.stringify([table, key]);
  let rows = new Map(load()?.map((row) => [idOf(row), row]));

  return {
    load,
    commit(changes) {
      // A copy, because a commit that throws must change nothing.
      const next = new Map(rows);
      for (const { table, key, text } of changes)
        if (text === undefined) next.delete(idOf({ table, key }));
        else next.set(idOf({ table, key }), { table, key, text });
      writeFileSync(`${path}.new`, JSON.stringify([...next.values()]));
      renameSync(`${path}.new`, path);
      rows = next;
    },
    close() {},
  };
}

const folder = mkdtempSync(join(tmpdir(), "stores-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("keeps a change over a restart", async () => {
  const path = join(folder, "sandbox.json");
  const first = createBackend({ store: jsonFileStore(path) });
  first.updatePolicies({ dailyCallLimit: 7 });
  await first.flush();
  first.close();
  const second = createBackend({ store: jsonFileStore(path) });
  expect(second.resumed).toBe(true);
  expect(second.policies.dailyCallLimit).toBe(7);
  second.close();
});
