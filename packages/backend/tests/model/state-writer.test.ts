import { expect, it } from "vitest";
import { systemClock } from "../../src/model/clock.ts";
import { StateWriter } from "../../src/model/state-writer.ts";
import { createMemoryStorage } from "../store/cases.ts";

/** A writer that is on, and the keys of the table `t` in its store, with their values. */
function keeping() {
  const store = createMemoryStorage().open("default", "{}");
  let failures = 0;
  let isFull = false;
  const commit: typeof store.commit = (changes) => {
    if (isFull) throw new Error("full");
    store.commit(changes);
  };
  const writer = new StateWriter({ ...store, commit }, systemClock);
  writer.start(() => {
    failures += 1;
    return () => {};
  });
  return {
    writer,
    stored: () => [...(store.load() ?? [])].filter(({ table }) => table === "t").map(({ key, text }) => [key, text]),
    failures: () => failures,
    fill: (full: boolean) => {
      isFull = full;
    },
  };
}
const [a, b] = [{ value: "a" }, { value: "b" }];
const [textA, textB] = [JSON.stringify(a), JSON.stringify(b)];

it("writes new rows in the order of adding, also one that was removed and added again in between", async () => {
  const { writer, stored } = keeping();
  writer.change({ collection: "t", key: "1", after: a });
  writer.change({ collection: "t", key: "2", after: a });
  writer.change({ collection: "t", key: "1", before: a });
  writer.change({ collection: "t", key: "1", after: b });
  await writer.saved();
  expect(stored()).toEqual([
    ["2", textA],
    ["1", textB],
  ]);
});

it("moves a stored row to the end that was removed and added again in one turn", async () => {
  const { writer, stored } = keeping();
  writer.change({ collection: "t", key: "1", after: a });
  writer.change({ collection: "t", key: "2", after: a });
  await writer.saved();
  writer.change({ collection: "t", key: "1", before: a });
  writer.change({ collection: "t", key: "1", after: a });
  writer.change({ collection: "t", key: "1", before: a, after: b });
  await writer.saved();
  expect(stored()).toEqual([
    ["2", textA],
    ["1", textB],
  ]);
});

it("rejects a task during which a commit failed, even if a later one succeeded", async () => {
  const { writer, fill } = keeping();
  const task = async () => {
    fill(true);
    writer.change({ collection: "t", key: "1", after: a });
    await writer.saved()?.catch(() => {});
    fill(false);
    writer.change({ collection: "t", key: "2", after: b });
  };
  await expect(writer.storing(task)).rejects.toThrow("full");
  await expect(writer.storing(async () => "done")).resolves.toBe("done");
});

it("says what it could not commit on closing, also to those that wait for it already", async () => {
  const { writer, fill } = keeping();
  writer.change({ collection: "t", key: "1", after: a });
  const waiting = writer.saved();
  fill(true);
  writer.close();
  await expect(waiting).rejects.toThrow("full");
  await expect(writer.saved()).rejects.toThrow("full");
});
