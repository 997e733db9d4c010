import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { createControlClient } from "@call-transfer/backend/control-client";
import { commands } from "./commands/all.ts";
import { helpText } from "./help/help.ts";
import type { Command } from "./options/command.ts";
import type { OptionTable } from "./options/option-entry.ts";
import { attackOptions, commandOptions, exitStatus, startOptions } from "./options/options.ts";
import { checkAnswers } from "./terminal/checked-answers.ts";
import { printable, printableJson, wrapMessage } from "./terminal/messages.ts";
import { type Connection, commandLine, hintFor, startHint } from "./terminal/program.ts";
import { processTerminal, type Terminal } from "./terminal/terminal.ts";
import { createWaitingFetch } from "./terminal/waiting-fetch.ts";
import { readUrl, suggestion, UsageError } from "./values/command-line.ts";
import { MissingOperand } from "./values/operands.ts";

/** Runs a parsed command against the server at `--url`, and prints the result. Returns the exit status. */
export async function runCommand(
  { values, given, run }: ReturnType<Command["parse"]>,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const { url: address = commandOptions.url.fallback, sandbox = commandOptions.sandbox.fallback, token, json } = values;
  const url = readUrl("--url", address).replace(/\/+$/, "");
  const fetch = createWaitingFetch({ url, say: terminal.note });
  const control = createControlClient({ url, sandbox: values.sandbox, token, fetch });
  checkAnswers(control, url);
  const hint = hintFor(given);
  const result = await run({ control, fetch, url, sandbox, token, terminal, hint }).catch((error: unknown) => {
    if (error instanceof MissingOperand) throw new UsageError(`${error.message} Usage: ${hint(error.example)}`);
    if (error instanceof TypeError && isUntrusted(error.cause))
      throw new Error(
        `The certificate of ${url} is not trusted, or it is for another name. Set NODE_EXTRA_CA_CERTS to the file of --tls-cert, and use a name of the certificate in --url.`,
        { cause: error },
      );
    if (error instanceof TypeError && error.message === "fetch failed")
      throw new Error(unreachable(url, error.cause, given), { cause: error });
    if (error instanceof SyntaxError)
      throw new Error(`The server at ${url} is not a mock server. Check --url.`, { cause: error });
    throw error;
  });
  if (result === undefined) return exitStatus.success;
  const { data, text, failure } = result;
  // One line of words is a message. Others are laid out by their command, or to be copied as they are.
  const isMessage = text !== undefined && !text.includes("\n");
  const shown = text === undefined ? printableJson(data) : printable(text);
  terminal.print(json ? JSON.stringify(data) : isMessage ? wrapMessage(shown, terminal.width, 0) : shown);
  if (failure === undefined) return exitStatus.success;
  terminal.warn(failure);
  return exitStatus.failure;
}

/** Why there was no response, and what to do. */
function unreachable(url: string, cause: unknown, { config }: Connection): string {
  const { code } = Object(cause) as { code?: unknown };
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET")
    return `The server at ${url} closed the connection. If it was started with --tls-cert, use https:// in --url.`;
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG")
    return `The server at ${url} does not use TLS. Use http:// in --url.`;
  return `No server is running at ${url}. Check --url, or start a server: ${startHint({ config, url })}`;
}

function isUntrusted(cause: unknown): boolean {
  const { code } = Object(cause) as { code?: unknown };
  return typeof code === "string" && /CERT|VERIFY|ISSUER/.test(code);
}

/** Parses the arguments of a command. Throws UsageError; for an option of another command, it names that command. */
export function parseCommand(name: string, args: readonly string[]): ReturnType<Command["parse"]> {
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw unknownCommand(name);
  const own = new Set([...Object.keys(commandOptions), ...Object.keys(command.options)]);
  for (const argument of args) {
    if (argument === "--") break;
    const [, option = ""] = /^--([\w-]+)/.exec(argument) ?? [];
    if (option === "" || own.has(option)) continue;
    const owners = commands.filter(({ options }) => Object.hasOwn(options, option)).map((owner) => owner.name);
    if (owners.length > 0)
      throw new UsageError(
        `--${option} only works with the ${owners.join(", ")} ${owners.length > 1 ? "commands" : "command"}.`,
      );
  }
  return command.parse(args);
}

/** Puts a command before the options in front of it: `--url URL clock` becomes `clock --url URL`. */
export function commandFirst(args: readonly string[]): readonly string[] {
  // Of these only matters which take a value.
  const options: OptionTable & ParseArgsOptionsConfig = Object.assign(
    {},
    ...commands.map((command) => command.options),
    ...[attackOptions, startOptions, commandOptions],
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const operand = tokens.find((token) => token.kind === "positional");
  const isCommand = ["start", "attack", ...commands.map(({ name }) => name)].includes(operand?.value ?? "");
  return operand !== undefined && isCommand ? [operand.value, ...args.toSpliced(operand.index, 1)] : args;
}

/** Prints the help of one command, or of the program without a topic. Throws UsageError for an unknown topic. */
export function printHelp(topic: string | undefined, isWhole: boolean): void {
  const text = helpText(topic, commands, isWhole);
  if (text === undefined) throw unknownCommand(topic ?? "");
  console.log(text);
}

/** An error for an operand of `start`, which has none. */
export function unexpectedOperand(operand: string): UsageError {
  const known = ["help", "attack", ...commands.map(({ name }) => name)];
  return new UsageError(
    `Unexpected argument "${operand}".${suggestion(operand, known) || ` Remove it, or see ${commandLine("--help")}`}`,
  );
}

function unknownCommand(name: string): UsageError {
  const known = ["start", "help", "attack", ...commands.map((command) => command.name)];
  return new UsageError(
    `Unknown command "${name}".${suggestion(name, known)} For all commands: ${commandLine("--help --all")}`,
  );
}
