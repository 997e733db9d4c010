import type { JournalEntry } from "../../generated/models.gen.ts";
import type { Keeper } from "../../model/state-writer.ts";
import type { RowChange } from "../../model/store.ts";
import { factTable, type StoredState } from "../../model/store.ts";
import { type KeptJournal, maxEntries, type WritableJournal } from "./journal.ts";

/** The table of the entries. A row holds those of one flush; its key is the last id. */
const table = "journal";

/** Stores a journal at each flush, without the details of its requests. `stored` is what the store held. */
export function keepJournal(journal: WritableJournal, keeper: Keeper, stored: StoredState | undefined): void {
  const rows = stored?.rows<readonly JournalEntry[]>(table) ?? [];
  const position = stored?.fact<KeptJournal>(table);
  if (position !== undefined)
    journal.resume(
      position,
      rows.flatMap(([, entries]) => entries.filter(({ id }) => isKept(id, position))),
    );
  /** The keys of the stored rows. */
  let keys = rows.map(([key]) => Number(key));
  let last = position?.last ?? 0;
  let cleared = position?.cleared ?? 0;
  keeper.addSource(() => {
    const now = journal.keep();
    if (now.last === last && now.cleared === cleared) return { rows: [], done() {} };
    const entries = journal.entriesAfter(last);
    const dropped = keys.filter((key) => !isKept(key, now));
    const changes: RowChange[] = dropped.map((key) => ({ table, key: String(key), text: undefined }));
    if (entries.length > 0) changes.push({ table, key: String(now.last), text: JSON.stringify(entries) });
    changes.push({ table: factTable, key: table, text: JSON.stringify(now) });
    return {
      rows: changes,
      done() {
        keys = keys.filter((key) => isKept(key, now));
        if (entries.length > 0) keys.push(now.last);
        [last, cleared] = [now.last, now.cleared];
      },
    };
  });
}

/** Whether a journal still holds an entry. */
function isKept(id: number, { last, cleared }: KeptJournal): boolean {
  return id > Math.max(cleared, last - maxEntries);
}
