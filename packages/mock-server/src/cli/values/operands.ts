import { program } from "../terminal/program.ts";
import { suggestion, UsageError } from "./command-line.ts";

/** Checks that there are at most `count` operands, and returns them. Throws UsageError that names the first extra one. */
export function expectAtMost(count: number, operands: readonly string[]): readonly string[] {
  if (operands.length > count) throw new UsageError(`Unexpected argument "${operands[count]}".`);
  return operands;
}

/** Returns an operand. Throws UsageError with an example if it is missing. */
export function required(operand: string | undefined, what: string, example: string): string {
  if (operand !== undefined && operand !== "") return operand;
  throw new UsageError(`Missing ${what}. Usage: ${program} ${example}`);
}

/** An error for a word that is none of the possible ones, with the closest. */
export function unknownWord(what: string, word: string, known: readonly string[]): UsageError {
  return new UsageError(`Unknown ${what} "${word}".${suggestion(word, known)} Possible: ${known.join(", ")}.`);
}
