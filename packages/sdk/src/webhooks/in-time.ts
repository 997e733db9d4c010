import { CodedError, type WebhookErrorCode } from "./codes.ts";

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
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
