import { transform } from "sucrase";

/** The name of the program in stack traces. */
export const programName = "program.ts";

/**
 * A program as a function. Its imports are calls of the first argument. `at` gets what it awaits, with the line; see
 * `markAwaits`.
 */
export type Main = (
  require: (name: string) => unknown,
  exports: object,
  at: (line: number, awaited: unknown) => unknown,
) => Promise<void>;

/** A mistake in the text of a program. */
export class ProgramSyntaxError extends SyntaxError {
  readonly line: number | undefined;

  constructor(message: string, line: number | undefined) {
    super(message);
    this.name = "SyntaxError";
    this.line = line;
  }
}

/**
 * JavaScript of a program in TypeScript. Each statement keeps its line.
 *
 * @throws {ProgramSyntaxError} if it is not a program.
 */
export function compile(source: string): string {
  try {
    return transform(source, {
      transforms: ["typescript", "imports"],
      disableESTransforms: true,
      filePath: programName,
    }).code;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, text = message, line] = /^(?:Error transforming [^:]+: )?(.*?)(?: \((\d+):\d+\))?$/s.exec(message) ?? [];
    throw new ProgramSyntaxError(text, line === undefined ? undefined : Number(line));
  }
}

// biome-ignore lint/security/noGlobalEval: the worker exists to run what the user writes, and reaches nothing else.
const evaluateText: (text: string) => unknown = globalThis.eval;

/**
 * Makes a function of compiled code.
 *
 * @throws {ProgramSyntaxError} if it is not a program.
 */
export async function evaluate(code: string): Promise<Main> {
  const text = `(async (require, exports, __at) => {${code}\n})\n//# sourceURL=${programName}`;
  try {
    return evaluateText(text) as Main;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ProgramSyntaxError(error.message, await lineOfSyntaxError(text));
  }
}

/** The line of a syntax error, which only an error event contains. */
function lineOfSyntaxError(text: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const seen = (event: ErrorEvent) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      resolve(event.lineno || undefined);
    };
    addEventListener("error", seen, { once: true, capture: true });
    setTimeout(() => evaluateText(text));
  });
}

/** The lines at which errors reached a program. */
export interface Lines {
  /** Follows what a program awaits at a line. Returns what to await in its place. */
  at(line: number, awaited: unknown): unknown;
  /** The line of a program that an error comes from: where it was created, or where the program first awaited it. */
  of(error: unknown): number | undefined;
}

/** Creates the lines of a program's errors. */
export function createLines(): Lines {
  const lines = new WeakMap<object, number>();
  return {
    at(line, awaited) {
      const note = (error: unknown) => {
        if (typeof error === "object" && error !== null && !lines.has(error)) lines.set(error, line);
      };
      // A second handler of a promise leaves the order of a program as it is.
      if (awaited instanceof Promise) awaited.then(undefined, note);
      if (awaited instanceof Promise || typeof Object(awaited).then !== "function") return awaited;
      const { then } = Object(awaited);
      const followed: PromiseLike<unknown>["then"] = (resolve, reject) =>
        then.call(awaited, resolve, (error: unknown) => {
          note(error);
          reject?.(error);
        });
      // biome-ignore lint/suspicious/noThenProperty: it stands for a thenable, which may begin its work when it is awaited.
      return { then: followed };
    },
    of(error) {
      if (error instanceof ProgramSyntaxError) return error.line;
      const stack = error instanceof Error ? error.stack : undefined;
      const [, line] = /\bprogram\.ts:(\d+)/.exec(stack ?? "") ?? [];
      return line === undefined ? lines.get(Object(error)) : Number(line);
    },
  };
}
