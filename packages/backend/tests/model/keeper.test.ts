import { expect, it } from "vitest";
import { memoryStores } from "../../src/conformance.ts";
import { systemClock } from "../../src/model/clock.ts";
import { Keeper, NotStoredError } from "../../src/model/state-writer.ts";

/** A keeper that is on, and the keys of the table `t` in its store, with their values. */
function keeping() {
  const store = memoryStores().open("default", "{}");
  let failures = 0;
  let isFull = false;
  const commit: typeof store.commit = (changes) => {
    if (isFull) throw new Error("full");
    store.commit(changes);
  };
  const keeper = new Keeper({ ...store, commit }, systemClock);
  keeper.start(() => {
    failures += 1;
    return () => {};
  });
  return {
    keeper,
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
  const { keeper, stored } = keeping();
  keeper.change({ collection: "t", key: "1", after: a });
  keeper.change({ collection: "t", key: "2", after: a });
  keeper.change({ collection: "t", key: "1", before: a });
  keeper.change({ collection: "t", key: "1", after: b });
  await keeper.saved();
  expect(stored()).toEqual([
    ["2", textA],
    ["1", textB],
  ]);
});

it("moves a stored row to the end that was removed and added again in one turn", async () => {
  const { keeper, stored } = keeping();
  keeper.change({ collection: "t", key: "1", after: a });
  keeper.change({ collection: "t", key: "2", after: a });
  await keeper.saved();
  keeper.change({ collection: "t", key: "1", before: a });
  keeper.change({ collection: "t", key: "1", after: a });
  keeper.change({ collection: "t", key: "1", before: a, after: b });
  await keeper.saved();
  expect(stored()).toEqual([
    ["2", textA],
    ["1", textB],
  ]);
});

it("leaves a row where it is that was only replaced", async () => {
  const { keeper, stored } = keeping();
  keeper.change({ collection: "t", key: "1", after: a });
  keeper.change({ collection: "t", key: "2", after: a });
  await keeper.saved();
  keeper.change({ collection: "t", key: "1", before: a, after: b });
  keeper.change({ collection: "t", key: "1", before: b, after: b });
  await keeper.saved();
  expect(stored()).toEqual([
    ["1", textB],
    ["2", textA],
  ]);
});

it("drops what it could not commit", async () => {
  const { keeper, stored, fill, failures } = keeping();
  fill(true);
  keeper.change({ collection: "t", key: "1", after: a });
  await expect(keeper.saved()).rejects.toThrow(NotStoredError);
  fill(false);
  keeper.change({ collection: "t", key: "2", after: b });
  await keeper.saved();
  expect([stored(), failures()]).toEqual([[["2", textB]], 1]);
});

it("rejects a task during which a commit failed, even if a later one succeeded", async () => {
  const { keeper, fill } = keeping();
  const task = async () => {
    fill(true);
    keeper.change({ collection: "t", key: "1", after: a });
    await keeper.saved()?.catch(() => {});
    fill(false);
    keeper.change({ collection: "t", key: "2", after: b });
  };
  await expect(keeper.storing(task)).rejects.toThrow("full");
  await expect(keeper.storing(async () => "done")).resolves.toBe("done");
});

it("keeps what could not be flushed for the next commit", async () => {
  const { keeper, stored, fill } = keeping();
  fill(true);
  keeper.change({ collection: "t", key: "1", after: a }, "soon");
  expect(() => keeper.flush()).toThrow("full");
  fill(false);
  keeper.flush();
  expect(stored()).toEqual([["1", textA]]);
});

it("says what it could not commit on closing, also to those that wait for it already", async () => {
  const { keeper, fill } = keeping();
  keeper.change({ collection: "t", key: "1", after: a });
  const waiting = keeper.saved();
  fill(true);
  keeper.close();
  await expect(waiting).rejects.toThrow("full");
  await expect(keeper.saved()).rejects.toThrow("full");
});

it("stores nothing that was changed before it stopped", async () => {
  const { keeper, stored } = keeping();
  keeper.change({ collection: "t", key: "1", after: a });
  const waiting = keeper.saved();
  keeper.stop();
  await waiting;
  expect(stored()).toEqual([]);
});

it("notes nothing while it is quiet, and after it stopped", () => {
  const { keeper, stored } = keeping();
  keeper.withoutNoting(() => keeper.change({ collection: "t", key: "1", after: a }));
  keeper.stop();
  keeper.change({ collection: "t", key: "2", after: a });
  expect([keeper.saved(), stored()]).toEqual([undefined, []]);
});

it("refuses changes after it closed, but not those that may be lost", async () => {
  const { keeper, stored } = keeping();
  keeper.close();
  keeper.change({ collection: "t", key: "1", after: a }, "soon");
  expect(keeper.saved()).toBeUndefined();
  keeper.change({ collection: "t", key: "2", after: a });
  await expect(keeper.saved()).rejects.toThrow("the backend is closed");
  expect(stored()).toEqual([]);
});
