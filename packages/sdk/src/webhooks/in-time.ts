import { CodedError, type WebhookErrorCode } from "./codes.ts";

/** Waits. `inBackground`: it does not keep the process from ending, where a timer can say so. */
export const sleep = (ms: number, inBackground = false): Promise<void> =>
  new Promise((resolve) => {
    const timer: unknown = setTimeout(resolve, ms);
    if (inBackground) (timer as { unref?(): void }).unref?.();
  });

/** Runs a step that may take so many milliseconds. `what` names what does the step, for the error. */
export async function inTime<Result>(
  step: () => Promise<Result>,
  limitMs: number,
  what: string,
  code: WebhookErrorCode,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    // In two parts: after a stall, a due timer may run before an answer that has arrived meanwhile is read.
    const halfMs = limitMs / 2;
    timer = setTimeout(() => {
      timer = setTimeout(() => {
        reject(new CodedError(`${what} did not answer within ${limitMs} ms.`, code));
      }, halfMs);
    }, halfMs);
  });
  try {
    return await Promise.race([step(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
