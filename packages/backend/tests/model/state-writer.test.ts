import { expect, it } from "vitest";
import { systemClock } from "../../src/model/clock.ts";
import { NotStoredError, StateWriter } from "../../src/model/state-writer.ts";
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

it("leaves a row where it is that was only replaced", async () => {
  const { writer, stored } = keeping();
  writer.change({ collection: "t", key: "1", after: a });
  writer.change({ collection: "t", key: "2", after: a });
  await writer.saved();
  writer.change({ collection: "t", key: "1", before: a, after: b });
  writer.change({ collection: "t", key: "1", before: b, after: b });
  await writer.saved();
  expect(stored()).toEqual([
    ["1", textB],
    ["2", textA],
  ]);
});

it("drops what it could not commit", async () => {
  const { writer, stored, fill, failures } = keeping();
  fill(true);
  writer.change({ collection: "t", key: "1", after: a });
  await expect(writer.saved()).rejects.toThrow(NotStoredError);
  fill(false);
  writer.change({ collection: "t", key: "2", after: b });
  await writer.saved();
  expect([stored(), failures()]).toEqual([[["2", textB]], 1]);
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

it("keeps what could not be flushed for the next commit", async () => {
  const { writer, stored, fill } = keeping();
  fill(true);
  writer.change({ collection: "t", key: "1", after: a }, "soon");
  expect(() => writer.flush()).toThrow("full");
  fill(false);
  writer.flush();
  expect(stored()).toEqual([["1", textA]]);
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

it("stores nothing that was changed before it stopped", async () => {
  const { writer, stored } = keeping();
  writer.change({ collection: "t", key: "1", after: a });
  const waiting = writer.saved();
  writer.stop();
  await waiting;
  expect(stored()).toEqual([]);
});

it("notes nothing while it is quiet, and after it stopped", () => {
  const { writer, stored } = keeping();
  writer.withoutRecording(() => writer.change({ collection: "t", key: "1", after: a }));
  writer.stop();
  writer.change({ collection: "t", key: "2", after: a });
  expect([writer.saved(), stored()]).toEqual([undefined, []]);
});

it("refuses changes after it closed, but not those that may be lost", async () => {
  const { writer, stored } = keeping();
  writer.close();
  writer.change({ collection: "t", key: "1", after: a }, "soon");
  expect(writer.saved()).toBeUndefined();
  writer.change({ collection: "t", key: "2", after: a });
  await expect(writer.saved()).rejects.toThrow("the backend is closed");
  expect(stored()).toEqual([]);
});
