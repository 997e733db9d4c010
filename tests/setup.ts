// Runs beside each test file. Files share a worker, and Vitest undoes what a test replaced only before the next test of the same
// file: a clock that the last test of a file faked would stand still for the files after it.
import { afterEach, vi } from "vitest";

// A row of `check -- runtimes` names its Node: no other may have taken its place.
const { MATRIX_NODE: expected = process.version } = process.env;
if (process.version !== expected) throw new Error(`This row is for Node ${expected}, but ${process.version} runs it.`);

const timers = ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "Date"] as const;
const kept = Symbol.for("call-transfer.timers-of-this-worker");
const shared = globalThis as typeof globalThis & { [kept]?: ReadonlyMap<string, unknown> };
shared[kept] ??= new Map(timers.map((name) => [name, globalThis[name]]));
const originals = shared[kept];

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.useRealTimers();
  // A stub of a faked timer puts the faked one back when it goes after the fake.
  for (const [name, original] of originals)
    if (Reflect.get(globalThis, name) !== original) Reflect.set(globalThis, name, original);
});
