// What runtimes print of an error.
import { isInstance, isText } from "./guards.ts";

/** What Node, Deno, Bun and Workers call to print an object. */
export const inspectKey: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** The frames of an error's stack that are the caller's: without those of the runtime, the SDK and other packages. */
export const callerFrames = (error: unknown): string[] =>
  isInstance(error, Error) && isText(error.stack)
    ? error.stack
        .split("\n")
        .filter((line) => /^ +at (?!.*(?:node:|[\\/]node_modules[\\/]|[\\/]sdk[\\/]src[\\/]))/.test(line))
    : [];

/** The stack of an error with the first frames of the caller's code alone. */
export const shortStack = (error: Error): string => [String(error), ...callerFrames(error).slice(0, 3)].join("\n");

/** Prints an error with the first two of some frames, and lines about it. */
export const printLines = (
  { name, message }: Error,
  frames: readonly string[],
  facts: readonly unknown[] = [],
): string => [`${name}: ${message}`, ...[...new Set(frames)].slice(0, 2), ...facts.filter(Boolean)].join("\n");
