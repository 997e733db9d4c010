/** How an answer's body comes over the wire. */
export interface BodyPlan {
  readonly chunks: readonly string[];
  /** What follows the last chunk: its end, a broken connection, or nothing. */
  readonly finish: "close" | "break" | "stall";
  /** What a broken connection throws. */
  failure(): Error;
  /** Runs a task after some time, unless the exchange is over by then. */
  after(task: () => void): void;
  /** Told before each chunk. */
  onChunk(): void;
  /** Told once: the body came to its end, broke, or was cancelled by its reader. */
  onEnd(how: "closed" | "broken" | "cancelled"): void;
}

/** A body that is on its way. */
export interface OpenBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Whether somebody would have to read on or cancel. */
  isOpen(): boolean;
  /** Breaks the connection. */
  breakOff(error: unknown): void;
}

const encoder = new TextEncoder();

/** An answer that came whole. */
export interface WholeAnswer {
  readonly response: Response;
  /** Whether somebody would have to read on or cancel. */
  isUnread(): boolean;
}

/**
 * Makes an answer whose body is there in one piece. It has what a client needs to read it once, since a genuine
 * stream costs as much as the rest of an exchange; answers that come in pieces have one.
 */
export function wholeAnswer(text: string, status: number, headers: HeadersInit): WholeAnswer {
  let [isRead, isOver] = [false, text === ""];
  const end = async (): Promise<void> => {
    isOver = true;
  };
  const read = async (): Promise<ReadableStreamReadResult<Uint8Array>> => {
    if (isRead || isOver) {
      isOver = true;
      return { done: true, value: undefined };
    }
    isRead = true;
    return { done: false, value: encoder.encode(text) };
  };
  const body = text === "" ? null : { getReader: () => ({ read, cancel: end }), cancel: end };
  const response = { status, ok: status >= 200 && status < 300, headers: new Headers(headers), body };
  return { response: response as unknown as Response, isUnread: () => !isOver };
}

/** Opens a body that comes piece by piece. */
export function openBody(plan: BodyPlan): OpenBody {
  let over = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const end = (how: "closed" | "broken" | "cancelled"): void => {
    over = true;
    plan.onEnd(how);
  };
  const step = (index: number): void => {
    if (over) return;
    const chunk = plan.chunks[index];
    if (chunk !== undefined) {
      plan.onChunk();
      controller?.enqueue(encoder.encode(chunk));
      plan.after(() => step(index + 1));
    } else if (plan.finish === "close") {
      end("closed");
      controller?.close();
    } else if (plan.finish === "break") {
      end("broken");
      controller?.error(plan.failure());
    }
  };
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      plan.after(() => step(0));
    },
    cancel() {
      if (!over) end("cancelled");
    },
  });
  return {
    stream,
    isOpen: () => !over,
    breakOff(error) {
      if (over) return;
      over = true;
      controller?.error(error);
    },
  };
}
