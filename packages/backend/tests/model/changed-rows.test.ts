import { expect, it } from "vitest";
import { ReportingMap } from "../../src/model/indexes.ts";
import { ChangedRows } from "../../src/model/state-writer.ts";

/** Records whose changes are noted. */
function noted() {
  const changes = new ChangedRows();
  const records = new ReportingMap<object>("t", { record: (change) => changes.add(change) });
  return { changes, records };
}

it("keeps the changes of a history", () => {
  const changes = new ChangedRows();
  changes.add({ collection: "h", key: "1", after: { value: 1 } });
  changes.add({ collection: "t", key: "1", after: { value: 1 } });
  changes.clear(new Set(["h"]));
  expect([...changes.list()].map(({ table }) => table)).toEqual(["h"]);
});

it("forgets a row that came and went between two commits", () => {
  const { changes, records } = noted();
  records.set("1", {});
  records.delete("1");
  expect([...changes.list()]).toEqual([]);
});
