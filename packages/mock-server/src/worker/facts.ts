import type { BackendOptions } from "@call-transfer/backend";
import type { ObjectStorage } from "./platform.ts";
import { SqlStore } from "./sql-store.ts";

/** What an object stores of its sandbox besides the sandbox's state. */
export interface Facts {
  readonly name: string;
  readonly options: BackendOptions;
  /** When it was last used, in milliseconds since the epoch. */
  readonly usedAt: number;
}

const table = "object";

/** Reads the facts; undefined if the object has no sandbox. */
export function readFacts(storage: ObjectStorage): Facts | undefined {
  const rows = new SqlStore(storage, table).load();
  if (rows === undefined) return undefined;
  return Object.fromEntries([...rows].map(({ key, text }) => [key, JSON.parse(text)])) as unknown as Facts;
}

export function writeFacts(storage: ObjectStorage, facts: Partial<Facts>): void {
  const changes = Object.entries(facts).map(([key, value]) => ({ table, key, text: JSON.stringify(value) }));
  new SqlStore(storage, table).commit(changes);
}
