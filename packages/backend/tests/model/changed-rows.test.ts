import { expect, it } from "vitest";
import { ChangedRows, undoRecords } from "../../src/model/changed-rows.ts";
import { ReportingMap } from "../../src/model/indexes.ts";
import { createRandom } from "../../src/utils/random.ts";

/** Records whose changes are noted. */
function noted() {
  const changes = new ChangedRows();
  const records = new ReportingMap<object>("t", { record: (change) => changes.add(change) });
  return { changes, records };
}

it("undoes any changes, and leaves the rows in their order", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = createRandom(seed);
    const pick = (most: number): number => random.next() % most;
    const { changes, records } = noted();
    for (let at = 0; at < pick(9); at += 1) records.set(`k${pick(12)}`, { at });
    changes.clear();
    const before = [...records];
    const steps: string[] = [];
    for (let at = 0; at < 1 + pick(14); at += 1) {
      const key = `k${pick(12)}`;
      const kind = pick(20);
      steps.push(`${kind} ${key}`);
      if (kind === 0) records.clear();
      else if (kind < 10) records.delete(key);
      else records.set(key, { seed, at });
    }
    const undo = changes.undo(new Set()).get("t");
    if (undo !== undefined) undoRecords(records, undo);
    expect([seed, steps, [...records]]).toEqual([seed, steps, before]);
  }
});

it("keeps the changes of a history", () => {
  const changes = new ChangedRows();
  changes.add({ collection: "h", key: "1", after: { value: 1 } });
  changes.add({ collection: "t", key: "1", after: { value: 1 } });
  expect([...changes.undo(new Set(["h"])).keys()]).toEqual(["t"]);
  expect([...changes.list()].map(({ table }) => table)).toEqual(["h"]);
});

it("forgets a row that came and went between two commits", () => {
  const { changes, records } = noted();
  records.set("1", {});
  records.delete("1");
  expect([...changes.list()]).toEqual([]);
});
