/** Writes a text and calls `done` when it is written, with an error if the output is closed. */
export type Sink = (text: string, done: (error?: Error | null) => void) => void;

/** Writes lines to an output that may be slow or have no reader, without ever waiting for it. */
export interface LineWriter {
  write(line: string): void;
  /** Resolves when all lines are written, the output is closed, or `limitMs` of real time have passed. */
  flush(limitMs: number): Promise<void>;
}

/** Characters that wait for a slow output: about 10,000 lines. */
export const maxWaiting = 1_000_000;
/** Characters of one write, so that an output that is read slowly shows its progress. */
const maxChunk = 65_536;

/**
 * Creates a writer with at most one write in flight. Lines of one turn of the event loop are written together. When too
 * many wait, further lines are dropped, and the line of `droppedLine` says how many.
 */
export function createLineWriter(sink: Sink, droppedLine: (count: number) => string): LineWriter {
  let waiting: string[] = [];
  let characters = 0;
  let dropped = 0;
  let state: "idle" | "scheduled" | "writing" | "closed" = "idle";
  let settled = (): void => {};

  const add = (line: string): void => {
    waiting.push(line);
    characters += line.length + 1;
  };
  const writeNext = (): void => {
    if (dropped > 0 && characters < maxWaiting / 2) {
      add(droppedLine(dropped));
      dropped = 0;
    }
    if (waiting.length === 0) {
      state = "idle";
      settled();
      return;
    }
    const text = takeChunk(waiting);
    characters -= text.length;
    state = "writing";
    sink(text, (error) => {
      if (error) close();
      else writeNext();
    });
  };
  // The reader is gone, as after `| head`.
  const close = (): void => {
    state = "closed";
    waiting = [];
    settled();
  };
  return {
    write(line) {
      if (state === "closed") return;
      if (characters + line.length > maxWaiting || dropped > 0) dropped += 1;
      else add(line);
      if (state !== "idle") return;
      state = "scheduled";
      setImmediate(writeNext);
    },
    flush(limitMs) {
      if (state === "idle" || state === "closed") return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        settled = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}

/** Removes the first lines, for one write. */
function takeChunk(waiting: string[]): string {
  let [count, size] = [0, 0];
  while (count < waiting.length && size < maxChunk) {
    size += (waiting[count]?.length ?? 0) + 1;
    count += 1;
  }
  return `${waiting.splice(0, count).join("\n")}\n`;
}
