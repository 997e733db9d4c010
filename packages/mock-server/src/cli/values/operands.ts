import { suggestion, UsageError } from "./command-line.ts";

/** A missing operand. The command writes its example with the options that it had. */
export class MissingOperand extends UsageError {
  readonly example: string;

  constructor(what: string, example: string) {
    super(`Missing ${what}.`);
    this.example = example;
  }
}

/** Checks that there are at most `count` operands, and returns them. Throws UsageError that names the first extra one. */
export function expectAtMost(count: number, operands: readonly string[]): readonly string[] {
  if (operands.length > count) throw new UsageError(`Unexpected argument "${operands[count]}". Remove it.`);
  return operands;
}

/** Returns an operand. Throws MissingOperand with an example if there is none. */
export function required(operand: string | undefined, what: string, example: string): string {
  if (operand !== undefined && operand !== "") return operand;
  throw new MissingOperand(what, example);
}

/** An error for a word that is none of the possible ones, with the closest. */
export function unknownWord(what: string, word: string, known: readonly string[]): UsageError {
  return new UsageError(`Unknown ${what} "${word}".${suggestion(word, known)} Possible: ${known.join(", ")}.`);
}
