import { type Command, optionsOf } from "../options/command.ts";
import type { OptionTable } from "../options/option-entry.ts";
import { attackOptions, startOptions } from "../options/options.ts";

/** A word that a shell can complete, with its explanation. */
export interface Word {
  readonly word: string;
  readonly help: string;
}

/** What may stand at one place of a command line. */
export interface Place {
  /** The operands before it, `*` for any: `["state", "set"]`. The first is the command. */
  readonly before: readonly string[];
  readonly words: readonly Word[];
  /** Whether files may stand there. */
  readonly hasFiles: boolean;
}

export interface CompletedOption extends Word {
  readonly takesValue: boolean;
  readonly values: readonly string[];
  readonly takesFile: boolean;
}

/** Everything that a shell needs to complete a command line. */
export interface CompletionWords {
  readonly places: readonly Place[];
  /** The options by command; those of `start` also stand behind the program's name alone. */
  readonly options: ReadonlyMap<string, readonly CompletedOption[]>;
}

/** Derives the words from the table of commands. `values` has the words for each placeholder, such as `COLLECTION`. */
export function completionWords(
  commands: readonly Command[],
  values: Readonly<Record<string, readonly string[]>>,
): CompletionWords {
  const others = [
    { word: "start", help: "start a server" },
    { word: "attack", help: "attack a webhook receiver and report what it does wrong" },
    { word: "help", help: "print the help of a command" },
  ];
  const names = [...commands.map(({ name, summary }) => ({ word: name, help: summary })), ...others];
  const places = new Map<string, { before: readonly string[]; words: Map<string, Word>; hasFiles: boolean }>();
  const place = (before: readonly string[]) => {
    const key = before.join(" ");
    const found = places.get(key) ?? { before, words: new Map<string, Word>(), hasFiles: false };
    places.set(key, found);
    return found;
  };
  for (const name of names) {
    place([]).words.set(name.word, name);
    if (name.word !== "help") place(["help"]).words.set(name.word, name);
  }
  for (const { usages } of commands)
    for (const { form, help } of usages) {
      const [name = "", ...operands] = form.split(" ");
      let before = [name];
      for (const operand of operands) {
        const here = place(before);
        const alternatives = operand.replace(/[[\]…]/g, "").split("|");
        for (const alternative of alternatives) {
          const placeholder = alternative.replace(/=.*/, "");
          if (placeholder === "FILE") here.hasFiles = true;
          const words = isPlaceholder(placeholder) ? (values[placeholder] ?? []) : [alternative];
          for (const word of words) if (!here.words.has(word)) here.words.set(word, { word, help });
        }
        const [only = ""] = alternatives;
        before = [...before, alternatives.length === 1 && !isPlaceholder(only) ? only : "*"];
      }
    }
  return {
    places: [...places.values()].map(({ before, words, hasFiles }) => ({
      before,
      words: [...words.values()],
      hasFiles,
    })),
    options: new Map([
      ["start", describe(startOptions)],
      ["attack", describe(attackOptions)],
      ...commands.map((command) => [command.name, describe(optionsOf(command))] as const),
    ]),
  };
}

function isPlaceholder(word: string): boolean {
  return /^[A-Z]/.test(word);
}

function describe(options: OptionTable): CompletedOption[] {
  return Object.entries(options).map(([name, { type, help = "", choices = [], value, kind }]) => ({
    word: `--${name}`,
    help,
    takesValue: type === "string",
    values: choices,
    takesFile: value === "FILE" || kind === "path" || kind === "json" || kind === "faults",
  }));
}
