// The time and the timers of Node, taken once, when this module loads: a test may put fakes in their place, which no one moves
// while a request waits.
import perfHooks from "node:perf_hooks";
import timers from "node:timers";

/** What stands behind one of Sinon's fakes, which Vitest and Jest have too: they may be there before this module loads. */
function original<Value>(current: Value, name: string): Value {
  const { clock }: { readonly clock?: Readonly<Record<string, unknown>> } = Object(current);
  return (clock?.[`_${name}`] as Value | undefined) ?? current;
}

export const setTimeout: typeof timers.setTimeout = original(timers.setTimeout, "setTimeout");
export const clearTimeout: typeof timers.clearTimeout = original(timers.clearTimeout, "clearTimeout");
export const setImmediate: typeof timers.setImmediate = original(timers.setImmediate, "setImmediate");

const performance = original(perfHooks.performance, "performance");

/** Milliseconds since the process began. */
export const elapsed = (): number => performance.now();
