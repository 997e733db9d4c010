import { AbortError, type FailureKind, TimeoutError } from "../errors/request-error.ts";
import { abortReason } from "../options/runtime.ts";
import type { Call, Failure } from "./call.ts";

/** Milliseconds by which a timer is late if the process was suspended, such as a frozen Lambda or a closed laptop. */
const lateMs = 100;
/** Milliseconds by which a timer may be early. A clock that is further back does not follow its timers. */
const earlyMs = 2;
/** Milliseconds that a late timer leaves for answers that arrived meanwhile: runtimes run timers before they read sockets. */
const graceMs = 50;

/** What waits for each signal of the caller's. It gets one listener for all: Node 20 warns of a leak after ten. */
const waiting = new WeakMap<AbortSignal, { readonly callbacks: Set<() => void>; readonly onAbort: () => void }>();

/** Calls back when a signal aborts. Returns what takes that back. */
function listen(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = new Set<() => void>();
  const onAll = () => {
    for (const one of [...callbacks]) one();
  };
  const all = waiting.get(signal) ?? { callbacks, onAbort: onAll };
  waiting.set(signal, all);
  if (all.callbacks.size === 0) signal.addEventListener("abort", all.onAbort, { once: true });
  all.callbacks.add(callback);
  return () => {
    all.callbacks.delete(callback);
    if (all.callbacks.size === 0) signal.removeEventListener("abort", all.onAbort);
  };
}

/**
 * Runs work until it ends, its time is up, or the caller aborts. At 0 ms it is not started. It may ignore its signal.
 * `onFailure` turns its error, or the interruption, into another result.
 */
export function withDeadline<T, Result>(
  { signal, settings: { timers, elapsed } }: Call,
  limitMs: number,
  work: (stop: AbortController) => Promise<T>,
  onFailure: (thrown: unknown, interruption?: Failure) => Result,
): Promise<{ readonly value: T } | Result> {
  const stop = new AbortController();
  return new Promise((resolve, reject) => {
    let timer: unknown;
    let over = false;
    let unlisten: (() => void) | undefined;
    const end = (result: () => { readonly value: T } | Result) => {
      if (over) return;
      over = true;
      try {
        if (timer !== undefined) timers.clearTimeout(timer);
        unlisten?.();
      } catch {
        // The caller's clock or signal failed. The result still counts.
      }
      try {
        resolve(result());
      } catch (error) {
        reject(error);
      }
    };
    const interrupt = (kind: FailureKind, message: string, cause: unknown) =>
      end(() => {
        stop.abort(cause);
        return onFailure(undefined, { kind, message, cause });
      });
    const onAbort = () => interrupt(AbortError, "was aborted by the caller", signal?.reason);
    const onTimeout = () => {
      const message = `no complete response within ${Math.ceil(limitMs)} ms`;
      interrupt(TimeoutError, `got ${message}`, abortReason("TimeoutError", message));
    };
    const onTimer = (dueAt: number) => {
      try {
        const late = elapsed() - dueAt;
        if (late > lateMs) timer = timers.setTimeout(onTimeout, graceMs);
        else if (late < 0 && late >= -earlyMs) timer = timers.setTimeout(onTimeout, earlyMs - late);
        else onTimeout();
      } catch {
        // The caller's clock failed.
        onTimeout();
      }
    };
    unlisten = signal && listen(signal, onAbort);
    if (signal?.aborted) return onAbort();
    if (limitMs === 0) return onTimeout();
    const dueAt = elapsed() + limitMs;
    timer = timers.setTimeout(() => onTimer(dueAt), limitMs);
    work(stop).then(
      (value) => end(() => ({ value })),
      (error: unknown) => end(() => onFailure(error)),
    );
  });
}
