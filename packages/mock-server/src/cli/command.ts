import type { readArguments } from "./command-line.ts";
import type { ControlClient } from "./control-client.ts";
import type { commandOptions } from "./options.ts";

/** The options of a command. */
export type CommandValues = ReturnType<typeof readArguments<typeof commandOptions>>["values"];

/** The result of a command. */
export interface CommandResult {
  /** What `--json` prints; also printed without `--json` when `text` is absent. */
  readonly data: unknown;
  readonly text?: string;
  /** Why the command failed although it has data, and what to do; the process ends with status 1. */
  readonly failure?: string | undefined;
}

/** Runs one command against a running server and returns its result. */
export type Command = (
  control: ControlClient,
  operands: readonly string[],
  values: CommandValues,
) => Promise<CommandResult>;
