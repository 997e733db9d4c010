import { vi } from "vitest";

/** Lets all faked time pass that work waits for, and gives its error or result. */
export async function settle<T>(work: PromiseLike<T>): Promise<T | Error> {
  const settled = Promise.resolve(work).catch((error: Error) => error);
  await vi.runAllTimersAsync();
  return settled;
}

/** Lets faked time pass, 60 seconds by default, and gives the result of work. */
export async function after<T>(work: Promise<T>, ms = 60_000): Promise<T> {
  work.catch(() => {});
  await vi.advanceTimersByTimeAsync(ms);
  return work;
}
