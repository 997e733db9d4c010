// What runtimes print of an error.
import { isError, isText } from "./guards.ts";

/** What Node, Deno, Bun and Workers call to print an object. */
export const inspectKey: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** Frames of the SDK, in its package or its sources. */
const sdkFrame = /^ +at .*[\\/](?:@call-transfer[\\/]sdk|sdk[\\/]src)[\\/]/;

/** Frames of the runtime and of packages. */
const foreignFrame = /node:|[\\/]node_modules[\\/]/;

/** A stack without the frames of the SDK, which are the same for every error. */
export const withoutSdkFrames = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => !sdkFrame.test(line))
    .join("\n");

/** The frames of an error's stack that are the caller's: without those of the SDK, the runtime and other packages. */
export const callerFrames = (error: unknown): string[] =>
  isError(error) && isText(error.stack)
    ? withoutSdkFrames(error.stack)
        .split("\n")
        .filter((line) => /^ +at /.test(line) && !foreignFrame.test(line))
    : [];

/** The stack of an error with the first frames of the caller's code alone. */
export const shortStack = (error: Error): string => [String(error), ...callerFrames(error).slice(0, 3)].join("\n");

/** Prints an error with the first two of some frames, and lines about it. */
export const printLines = (
  { name, message }: Error,
  frames: readonly string[],
  facts: readonly unknown[] = [],
): string => [`${name}: ${message}`, ...[...new Set(frames)].slice(0, 2), ...facts.filter(Boolean)].join("\n");
