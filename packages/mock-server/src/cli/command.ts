import type { ControlClient } from "@call-transfer/backend/control-client";
import type { Server } from "./connection.ts";
import type { OptionTable, Values } from "./options.ts";
import type { Hint, Terminal } from "./output.ts";

export interface CommandResult {
  /** What `--json` prints; also printed without `--json` when `text` is absent. */
  readonly data: unknown;
  readonly text?: string;
  /** Why the command failed although it has data, and what to do; the process ends with status 1. */
  readonly failure?: string | undefined;
}

/** What an action gets. */
export interface Context<Table extends OptionTable = OptionTable> extends Server {
  readonly operands: readonly string[];
  readonly values: Values<Table>;
  readonly isJson: boolean;
  readonly terminal: Terminal;
  /** Writes a command line to try, for the same server. */
  readonly hint: Hint;
}

/** One form of a command for a running server. */
export interface Action {
  /**
   * What is typed after the command's name: a word for one of its actions, then operands in upper case, `[]` around what may be
   * left out, `…` after what may be repeated. The form that begins with no word is the one that runs without an action.
   */
  readonly form: string;
  readonly help: string;
  /** Its operands to try, for a message that one is missing. */
  readonly example?: string | undefined;
  readonly options: OptionTable;
  /** Returns the result, or undefined if the action has printed everything itself. */
  run(context: Context): Promise<CommandResult | undefined>;
}

/** A command for a running server. Parsing, help and the release record derive from it. */
export interface Command {
  readonly name: string;
  /** One line for the list of all commands. */
  readonly summary: string;
  /** A command line to try, without the program's name. */
  readonly example?: string;
  readonly actions: readonly Action[];
}

/** Creates an {@link Action}. The types of its values derive from its options. */
export function action<const Table extends OptionTable>(
  form: string,
  { help, options, example }: { readonly help: string; readonly options?: Table; readonly example?: string },
  run: (context: Context<Table>) => Promise<CommandResult | undefined>,
): Action {
  // Its options are parsed by the same table.
  return { form, help, example, options: options ?? {}, run: (context) => run(context as unknown as Context<Table>) };
}

/** Reads what an action needs, without its options. */
export type ControlContext = { readonly control: ControlClient };

/** The word of an action, and its operands as commander writes them: `advance`, `["<STEP>"]`. */
export function partsOf({ form }: Action): { readonly word: string; readonly operands: readonly string[] } {
  const words = form.split(" ").filter((part) => part !== "");
  const [first = ""] = words;
  const word = /^[a-z]/.test(first) ? first : "";
  const operands = words.slice(word === "" ? 0 : 1).map((operand) => {
    const name = operand.replace(/[[\]…]/g, "");
    const repeated = operand.includes("…") ? "..." : "";
    return operand.startsWith("[") ? `[${name}${repeated}]` : `<${name}${repeated}>`;
  });
  return { word, operands };
}
