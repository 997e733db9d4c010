import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLineWriter, maxWaiting } from "../../src/log/line-writer.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Ends the pause after a write. */
const endPause = () => vi.advanceTimersToNextTimer();

/** An output that takes each write only when `finish` is called. */
function slowOutput() {
  const writes: string[] = [];
  let finish = (_error?: Error): void => {};
  const writer = createLineWriter(
    (text, done) => {
      writes.push(text);
      finish = done;
    },
    (count) => `${count} left out`,
  );
  return { writer, writes, finish: (error?: Error) => finish(error) };
}

it("writes the lines of one turn together, and the next ones together after that write and a pause", async () => {
  const { writer, writes, finish } = slowOutput();
  writer.write("a");
  writer.write("b");
  expect(writes).toEqual([]);
  await nextTurn();
  writer.write("c");
  await nextTurn();
  expect(writes).toEqual(["a\nb\n"]);
  finish();
  writer.write("d");
  await nextTurn();
  expect(writes).toEqual(["a\nb\n"]);
  endPause();
  expect(writes).toEqual(["a\nb\n", "c\nd\n"]);
});

it("writes a line that comes after a pause at the end of its turn", async () => {
  const { writer, writes, finish } = slowOutput();
  writer.write("a");
  await nextTurn();
  finish();
  endPause();
  writer.write("b");
  await nextTurn();
  expect(writes).toEqual(["a\n", "b\n"]);
});

it("does not pause while enough for a write waits", async () => {
  const { writer, writes, finish } = slowOutput();
  writer.write("a");
  await nextTurn();
  finish();
  writer.write("x".repeat(65_536));
  expect(writes).toHaveLength(2);
});

it("ends a pause to flush", async () => {
  const { writer, writes, finish } = slowOutput();
  writer.write("a");
  await nextTurn();
  finish();
  writer.write("b");
  const flushed = writer.flush(60_000);
  expect(writes).toEqual(["a\n", "b\n"]);
  finish();
  await flushed;
});

it("hands over what no write has taken, and writes nothing more", async () => {
  const { writer, writes, finish } = slowOutput();
  writer.write("a");
  await nextTurn();
  writer.write("b");
  writer.write("c");
  expect(writer.end()).toBe("b\nc\n");
  finish();
  writer.write("d");
  await nextTurn();
  expect(writes).toEqual(["a\n"]);
  expect(writer.end()).toBe("");
});

it("drops lines when too many wait, and says how many when there is room again", async () => {
  const { writer, writes, finish } = slowOutput();
  const line = "x".repeat(999);
  const all = maxWaiting / 1000 + 7;
  for (let index = 0; index < all; index += 1) writer.write(line);
  await nextTurn();
  for (let done = 0; done < all; done += 1) {
    finish();
    endPause();
  }
  const lines = writes.join("").trimEnd().split("\n");
  expect(lines.filter((one) => one === line)).toHaveLength(all - 7);
  expect(lines).toHaveLength(all - 6);
  expect(lines.at(-1)).toBe("7 left out");
  writer.write("later");
  await nextTurn();
  expect(writes.at(-1)).toBe("later\n");
});

it("resolves a flush when everything is written, or when its time is over", async () => {
  const { writer, writes, finish } = slowOutput();
  await writer.flush(0);
  writer.write("a");
  await nextTurn();
  const over = writer.flush(1);
  vi.advanceTimersByTime(1);
  await over;
  expect(writes).toEqual(["a\n"]);
  let isFlushed = false;
  const flushed = writer.flush(60_000).then(() => {
    isFlushed = true;
  });
  await nextTurn();
  expect(isFlushed).toBe(false);
  finish();
  await flushed;
});

it("writes nothing more once the reader is gone", async () => {
  const { writer, writes, finish } = slowOutput();
  writer.write("a");
  await nextTurn();
  writer.write("b");
  finish(new Error("EPIPE"));
  writer.write("c");
  await nextTurn();
  await writer.flush(60_000);
  expect(writes).toEqual(["a\n"]);
});
