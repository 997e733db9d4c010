/** Writes a text and calls `done` when it is written, with an error if the output is closed. */
export type Sink = (text: string, done: (error?: Error | null) => void) => void;

/** Writes lines to an output that may be slow or have no reader, without ever waiting for it. */
export interface LineWriter {
  write(line: string): void;
  /** Resolves when all lines are written, the output is closed, or `limitMs` of real time have passed. */
  flush(limitMs: number): Promise<void>;
  /** Ends the writer. Returns the lines of which no write has begun, as one text. */
  end(): string;
}

/** Characters that wait for a slow output: about 10,000 lines. */
export const maxWaiting = 1_000_000;
/** Characters of one write, so that an output that is read slowly shows its progress. */
const maxChunk = 65_536;
/** Milliseconds between two writes: waking the thread that writes takes as long as many lines, and people read more slowly. */
const pauseMs = 25;

/**
 * Creates a writer with at most one write in flight. The first line after a pause is written at the end of its turn of the event
 * loop, the next ones together. When too many wait, further lines are dropped, and the line of `droppedLine` says how many.
 */
export function createLineWriter(sink: Sink, droppedLine: (count: number) => string): LineWriter {
  return new PacedWriter(sink, droppedLine);
}

class PacedWriter implements LineWriter {
  readonly #sink: Sink;
  readonly #droppedLine: (count: number) => string;
  #waiting: string[] = [];
  #characters = 0;
  #dropped = 0;
  #state: "idle" | "scheduled" | "writing" | "pausing" | "closed" = "idle";
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** Ends the flush under way. */
  #flushed: (() => void) | undefined;

  constructor(sink: Sink, droppedLine: (count: number) => string) {
    this.#sink = sink;
    this.#droppedLine = droppedLine;
  }

  write(line: string): void {
    if (this.#state === "closed") return;
    if (this.#characters + line.length > maxWaiting || this.#dropped > 0) this.#dropped += 1;
    else this.#add(line);
    if (this.#state === "pausing" && this.#isUrgent) this.#writeNext();
    if (this.#state !== "idle") return;
    this.#state = "scheduled";
    setImmediate(() => this.#writeNext());
  }

  flush(limitMs: number): Promise<void> {
    if (this.#state === "idle" || this.#state === "closed") return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#flushed = () => {
        this.#flushed = undefined;
        clearTimeout(timer);
        resolve();
      };
      if (this.#state === "pausing") this.#writeNext();
    });
  }

  end(): string {
    const rest = this.#waiting.map((line) => `${line}\n`).join("");
    this.#settle("closed");
    return rest;
  }

  get #isUrgent(): boolean {
    return this.#flushed !== undefined || this.#characters >= maxChunk;
  }

  #add(line: string): void {
    this.#waiting.push(line);
    this.#characters += line.length + 1;
  }

  #writeNext(): void {
    clearTimeout(this.#pause);
    if (this.#state === "closed") return;
    if (this.#dropped > 0 && this.#characters < maxWaiting / 2) {
      this.#add(this.#droppedLine(this.#dropped));
      this.#dropped = 0;
    }
    if (this.#waiting.length === 0) {
      this.#settle("idle");
      return;
    }
    const text = takeChunk(this.#waiting);
    this.#characters -= text.length;
    this.#state = "writing";
    this.#sink(text, (error) => this.#written(error));
  }

  #written(error: Error | null | undefined): void {
    // The reader is gone, as after `| head`.
    if (error) this.#settle("closed");
    else if (this.#isUrgent) this.#writeNext();
    else if (this.#state === "writing") {
      this.#state = "pausing";
      this.#pause = setTimeout(() => this.#writeNext(), pauseMs);
    }
  }

  #settle(ended: "idle" | "closed"): void {
    this.#state = ended;
    this.#waiting = [];
    this.#flushed?.();
  }
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
