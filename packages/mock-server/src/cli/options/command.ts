import type { ParseArgsOptionsConfig } from "node:util";
import type { ControlClient } from "@call-transfer/backend/control-client";
import type { Hint } from "../terminal/program.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readArguments } from "../values/command-line.ts";
import type { OptionTable } from "./option-entry.ts";
import { commandOptions } from "./options.ts";

export interface Usage {
  /**
   * The command with its operands: words in lower case are typed as they are, words in upper case are placeholders, `[]`
   * marks what may be left out, `|` separates alternatives, and `…` marks what may be repeated.
   */
  readonly form: string;
  readonly help: string;
}

export interface CommandResult {
  /** What `--json` prints; also printed without `--json` when `text` is absent. */
  readonly data: unknown;
  readonly text?: string;
  /** Why the command failed although it has data, and what to do; the process ends with status 1. */
  readonly failure?: string | undefined;
}

export interface CommandContext<Values> {
  readonly control: ControlClient;
  /** Sends a request to the API, and gives up on a server that does not answer. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly operands: readonly string[];
  readonly values: Values;
  /** The server's URL, without a slash at the end. */
  readonly url: string;
  readonly sandbox: string;
  readonly token: string | undefined;
  readonly terminal: Terminal;
  /** Writes a command line to try, for the same server. */
  readonly hint: Hint;
}

/** The values of the options that every command for a running server has. */
export type CommonValues = ReturnType<typeof readArguments<typeof commandOptions>>["values"];

/** A command for a running server. Help and the release record derive from it. */
export interface Command {
  readonly name: string;
  /** One line for the list of all commands. */
  readonly summary: string;
  readonly usages: readonly Usage[];
  /** Whether the short help lists it. */
  readonly isFrequent?: boolean;
  /** A command line to try, without the program's name. */
  readonly example?: string;
  /** Its own options, without those that every command has. */
  readonly options: OptionTable;
  /** Parses the arguments after the name. Throws UsageError. */
  parse(args: readonly string[]): {
    readonly values: CommonValues;
    /** The values that the command line had itself. */
    readonly given: CommonValues;
    /** Returns the result, or undefined if the command has printed everything itself. */
    run(context: Omit<CommandContext<unknown>, "operands" | "values">): Promise<CommandResult | undefined>;
  };
}

interface Definition<Options extends OptionTable> extends Pick<Command, "name" | "summary" | "example" | "isFrequent"> {
  /** The help of each form of a {@link Usage}. */
  readonly usages: Readonly<Record<string, string>>;
  readonly options: Options;
  /** Whether it lists something if it has no operands. Then it does so for the word `list` too, as `transfer list` does. */
  readonly isList?: boolean;
  run(
    context: CommandContext<ReturnType<typeof readArguments<typeof commandOptions & Options>>["values"]>,
  ): Promise<CommandResult | undefined>;
}

/** Creates a {@link Command}. The types of its values derive from its options. */
export function defineCommand<const Options extends OptionTable>({
  run,
  isList,
  ...command
}: Definition<Options>): Command {
  return {
    ...command,
    usages: Object.entries(command.usages).map(([form, help]) => ({ form, help })),
    parse(args) {
      const table: typeof commandOptions & Options = { ...commandOptions, ...command.options };
      // The same table with the type of the options that every command has.
      const common: typeof commandOptions = table;
      const { values, positionals } = readArguments(args, table, `help ${command.name}`);
      const operands = isList && positionals[0] === "list" ? positionals.slice(1) : positionals;
      const { values: given } = readArguments(args, common, `help ${command.name}`);
      return { values: given, given, run: (context) => run({ ...context, operands, values }) };
    },
  };
}

/** The options of a command, with those that every command has. */
export function optionsOf({ options }: Command): OptionTable & ParseArgsOptionsConfig {
  return { ...commandOptions, ...options };
}
