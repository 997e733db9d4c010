/**
 * Runs a task when asked, at most once at a time and then not before `pauseMs` later. Asking while it runs makes it run
 * once more.
 */
export function throttled(pauseMs: number, task: () => Promise<void>): () => void {
  let isBusy = false;
  let isAsked = false;
  const run = async () => {
    isBusy = true;
    while (isAsked) {
      isAsked = false;
      await task().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    isBusy = false;
  };
  return () => {
    isAsked = true;
    if (!isBusy) void run();
  };
}
