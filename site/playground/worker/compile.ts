import { transform } from "sucrase";

/** The name of the program in stack traces. */
const programName = "program.ts";

/** A program as a function. Its imports are calls of the first argument. */
type Main = (require: (name: string) => unknown, exports: object) => Promise<void>;

/** A mistake in the text of a program. */
class ProgramSyntaxError extends SyntaxError {
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

/** Makes a function of compiled code. */
export function evaluate(code: string): Main {
  return evaluateText(`(async (require, exports) => {${code}\n})\n//# sourceURL=${programName}`) as Main;
}

/** The line of a program that an error comes from; undefined if the error does not say. */
export function lineOf(error: unknown): number | undefined {
  if (error instanceof ProgramSyntaxError) return error.line;
  const stack = error instanceof Error ? error.stack : undefined;
  const [, line] = /\bprogram\.ts:(\d+)/.exec(stack ?? "") ?? [];
  return line === undefined ? undefined : Number(line);
}
