const { setImmediate } = globalThis as { readonly setImmediate?: (task: () => void) => unknown };

/** Resolves at the end of the current turn of the event loop, where the platform has turns, and else at once. */
export const endOfTurn: () => Promise<void> =
  setImmediate === undefined ? () => Promise.resolve() : () => new Promise((resolve) => void setImmediate(resolve));
