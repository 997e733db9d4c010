// A server that accepts connections and never answers must not hold a command in silence.
import { formatDuration } from "@call-transfer/backend/control-client";

/** The server did not answer, neither the command's request nor a question whether it is there. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

export interface Waiting {
  /** The server's URL, without a slash at the end. */
  readonly url: string;
  /** Receives a sentence, once, when the server takes long. */
  say(text: string): void;
  readonly fetch?: (request: Request | string, init?: RequestInit) => Promise<Response>;
  /** Milliseconds until it says so; 2 seconds by default. */
  readonly sayAfterMs?: number;
  /** Milliseconds until it gives up; 10 seconds by default. */
  readonly endAfterMs?: number;
}

/**
 * A `fetch` for commands. After 2 seconds without an answer it says what it waits for, and asks the server for its health. If
 * that is not answered either until 10 seconds have passed, it rejects with a NoAnswerError. A server that answers may take as
 * long as the request needs, such as one that waits for requests.
 */
export function createWaitingFetch(options: Waiting): (request: Request) => Promise<Response> {
  const { url, say, fetch = globalThis.fetch, sayAfterMs = 2000, endAfterMs = 10_000 } = options;
  let hasSaid = false;
  return async (request) => {
    const ending = new AbortController();
    const asking = new AbortController();
    const problem = `No answer from ${url} within ${formatDuration(endAfterMs)}. Check --url, or restart the server.`;
    const limit = setTimeout(() => ending.abort(new NoAnswerError(problem)), endAfterMs);
    const patience = setTimeout(() => {
      if (!hasSaid) say(`Waiting for ${url}, which has not answered for ${formatDuration(sayAfterMs)}.`);
      hasSaid = true;
      fetch(`${url}/health`, { signal: asking.signal })
        .then((response) => {
          clearTimeout(limit);
          return response.body?.cancel();
        })
        // Then the limit decides, or the request itself fails.
        .catch(() => undefined);
    }, sayAfterMs);
    try {
      return await fetch(request, { signal: AbortSignal.any([request.signal, ending.signal]) });
    } finally {
      clearTimeout(patience);
      clearTimeout(limit);
      // An unanswered request would keep the process running.
      asking.abort();
    }
  };
}
