// The time and the timers of the runtime. They are taken once, when this module loads: a test may put fakes in their place,
// which no one moves while a server works. The linter forbids the global ones in everything that serves.

/** A function or an object of the runtime, or a fake one that knows what it stands for. */
interface Replaceable {
  readonly clock?: Readonly<Record<string, unknown>>;
  readonly _isMockFunction?: boolean;
}

const globals = globalThis as { readonly setImmediate?: (task: () => void) => unknown };

/** What stands behind a fake: fakes may be there before this module loads, such as by a setting of the test runner. */
function original<Value>(name: string, current: Value): Value {
  const { clock, _isMockFunction }: Replaceable = Object(current);
  // Sinon's fakes, which Vitest and Jest have too.
  const behind = clock?.[`_${name}`] ?? (current === undefined || _isMockFunction ? fromNode(name) : undefined);
  return (behind as Value | undefined) ?? current;
}

/** One of Node's timers. Some runtimes have the function for it and let it throw. */
function fromNode(name: string): unknown {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(id: string): unknown } };
  try {
    return Object(process?.getBuiltinModule?.("node:timers"))[name];
  } catch {
    return undefined;
  }
}

/** The runtime's own `setTimeout`. */
export const setTimeout: typeof globalThis.setTimeout = original("setTimeout", globalThis.setTimeout);
/** The runtime's own `clearTimeout`. */
export const clearTimeout: typeof globalThis.clearTimeout = original("clearTimeout", globalThis.clearTimeout);
const setImmediate = original("setImmediate", globals.setImmediate);

const { now: readDate } = original("Date", Date);
const performance = original("performance", globalThis.performance);

/** Milliseconds since the epoch. */
export const realNow = (): number => readDate();

/** Milliseconds since the process or the page began. */
export const elapsed = (): number => performance.now();

/** Lets the process end before a timer; only Node's timers keep it alive. */
export function letProcessEnd(timer: unknown): void {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    timer.unref();
}

/** Resolves at the end of the current turn of the event loop, where the platform has turns, and else at once. */
export const endOfTurn = (): Promise<void> =>
  setImmediate === undefined ? Promise.resolve() : new Promise((resolve) => void setImmediate?.(resolve));
