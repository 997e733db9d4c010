import { resolve } from "node:path";
import type { SandboxStores } from "@call-transfer/backend";
import { fileParts, openDataFile, rollBack } from "./data-file.ts";
import { type OpenSandbox, openStore } from "./sqlite-store.ts";
import { prepareStatements } from "./statements.ts";
import { explained } from "./store-error.ts";

/**
 * Keeps sandboxes in a SQLite file, which it creates if it does not exist. Requires Node 22.13 or newer. Throws StoreError that
 * says why the file cannot be used.
 */
export function openSqliteStores(path: string, parts = fileParts): SandboxStores {
  const database = openDataFile(path, parts);
  const statements = prepareStatements(database);
  const sandboxes = new Map<string, OpenSandbox>();
  let isOpen = true;
  let lastId = 0;
  for (const facts of statements.sandboxes()) {
    sandboxes.set(facts.name, { facts, isDeleted: false });
    lastId = facts.id;
  }
  const change = (apply: () => void): void => {
    try {
      statements.begin();
      apply();
      statements.commit();
    } catch (error) {
      rollBack(database);
      throw explained(error, resolve(path));
    }
  };
  const create = (name: string, options: string): OpenSandbox => {
    const facts = { id: lastId + 1, name, options, isNew: 1 };
    change(() => statements.addSandbox(facts));
    lastId = facts.id;
    const sandbox = { facts, isDeleted: false };
    sandboxes.set(name, sandbox);
    return sandbox;
  };
  return {
    list: () => [...sandboxes.values()].map(({ facts: { name, options } }) => ({ name, options })),
    open: (name, options) => openStore(sandboxes.get(name) ?? create(name, options), statements, change),
    delete(name) {
      const sandbox = sandboxes.get(name);
      if (sandbox === undefined) return;
      change(() => statements.removeSandbox(sandbox.facts));
      sandboxes.delete(name);
      sandbox.isDeleted = true;
    },
    close() {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}
