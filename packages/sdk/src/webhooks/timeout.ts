// Pauses, time limits and retention.
import { CodedError, type WebhookErrorCode } from "./errors.ts";

/** Runs a task after so many milliseconds. Returns a function that cancels it. */
export function after(ms: number, task: () => void): () => void {
  const timer = setTimeout(task, Math.ceil(ms));
  return () => clearTimeout(timer);
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve));

export const firstPauseMs = 15;

/** Milliseconds between two questions to a store or an inbox: each pause is 1.5 times as long as the one before, up to 200. */
export function* pauses(): Generator<number> {
  for (let ms = firstPauseMs; ; ms = Math.min(ms * 1.5, 200)) yield ms;
}

/** Runs a step that may take so many milliseconds. `what` names what does the step, for the error. */
export async function withTimeout<Result>(
  step: () => Promise<Result>,
  limitMs: number,
  what: string,
  code: WebhookErrorCode,
): Promise<Result> {
  let cancel = (): void => {};
  const timeout = new Promise<never>((_, reject) => {
    // In two parts: after a stall, a due timer may run before an answer that has arrived meanwhile is read.
    const halfMs = limitMs / 2;
    cancel = after(halfMs, () => {
      cancel = after(halfMs, () => {
        reject(new CodedError(`${what} did not answer within ${limitMs} ms.`, code));
      });
    });
  });
  try {
    return await Promise.race([step(), timeout]);
  } finally {
    cancel();
  }
}

/** Returns the checked `retentionMs` of a store or an inbox. */
export function checkRetention({ retentionMs = 86_400_000 }: { retentionMs?: number }): number {
  if (Number.isSafeInteger(retentionMs) && retentionMs > 0) return retentionMs;
  throw new TypeError("retentionMs must be an integer above 0");
}
