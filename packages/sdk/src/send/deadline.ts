import { AbortError, type FailureKind, TimeoutError } from "../errors/errors.ts";
import type { Call } from "./call.ts";

/** Why there is no usable answer. */
export interface Failure {
  readonly kind: FailureKind;
  readonly words: string;
  readonly cause?: unknown;
}

/**
 * Does work until it is done, its time is up, or the caller aborts. Some work never looks at its signal.
 *
 * @param limitMs Milliseconds; at 0 nothing begins any more, not even for the moment that a timer would leave it.
 * @param onFailure Turns what the work threw, or what interrupted it, into the result. Called at most once.
 */
export function withinLimit<T>(
  { signal, clock }: Call,
  limitMs: number,
  work: (stop: AbortController) => Promise<T>,
  onFailure: (thrown: unknown, interruption?: Failure) => T,
): Promise<T> {
  const stop = new AbortController();
  return new Promise<T>((resolve, reject) => {
    let timer: unknown;
    let over = false;
    const end = (give: () => T) => {
      if (over) return;
      over = true;
      if (timer !== undefined) clock.clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      try {
        resolve(give());
      } catch (error) {
        reject(error);
      }
    };
    const interrupt = (kind: FailureKind, words: string, cause: unknown) =>
      end(() => {
        stop.abort(cause);
        return onFailure(undefined, { kind, words, cause });
      });
    const onAbort = () => interrupt(AbortError, "was aborted by the caller", signal?.reason);
    const onTimeout = () => {
      const words = `no whole answer within ${Math.ceil(limitMs)} ms`;
      interrupt(TimeoutError, `got ${words}`, new DOMException(words, "TimeoutError"));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) return onAbort();
    if (limitMs === 0) return onTimeout();
    timer = clock.setTimeout(onTimeout, limitMs);
    work(stop).then(
      (value) => end(() => value),
      (error: unknown) => end(() => onFailure(error)),
    );
  });
}
