import { AbortError, type FailureKind, TimeoutError } from "./errors.ts";
import type { Call } from "./send.ts";

/** Why there is no usable answer. */
export interface Failure {
  readonly kind: FailureKind;
  readonly words: string;
  readonly cause?: unknown;
}

/** What ends work from outside: the deadlines of an attempt and of its request, and the caller's abort. */
export interface Interruption {
  /** Aborts when the work must end. */
  readonly signal: AbortSignal;
  /** Why it must end; undefined while it need not. */
  readonly failure: Failure | undefined;
  /** Gives what the work gives, unless it must end before. Some work never looks at the signal. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Forgets timer and listener. */
  close(): void;
}

/** Begins to watch for what may end a piece of work of a request. */
export function watch(call: Call): Interruption {
  const { signal, timeoutMs, deadline, settings } = call;
  const { clock } = settings;
  const stop = new AbortController();
  let failure: Failure | undefined;
  const remaining = deadline === undefined ? timeoutMs : deadline - clock.elapsed();
  const limitMs = Math.max(0, Math.min(timeoutMs, remaining));
  let interrupt = (_reason: unknown): void => {};
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = reject;
  });
  interrupted.catch(() => {});
  const end = (why: Failure) => {
    failure ??= why;
    stop.abort(why.cause);
    interrupt(stop.signal.reason);
  };
  const onAbort = () => end({ kind: AbortError, words: "was aborted by the caller", cause: signal?.reason });
  const onTimeout = () => {
    const cause = new DOMException(`no whole answer within ${limitMs} ms`, "TimeoutError");
    end({ kind: TimeoutError, words: `got ${cause.message}`, cause });
  };
  const timer = limitMs === 0 ? undefined : clock.setTimeout(onTimeout, limitMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  // Nothing may begin any more, not even for the moment that a timer of 0 ms would leave it.
  else if (limitMs === 0) onTimeout();
  return {
    signal: stop.signal,
    get failure() {
      return failure;
    },
    race: (work) => Promise.race([work, interrupted]),
    close() {
      if (timer !== undefined) clock.clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
