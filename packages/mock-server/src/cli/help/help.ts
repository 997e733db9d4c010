import { wrapWords } from "../../log/wrap.ts";
import type { Command } from "../options/command.ts";
import type { OptionEntry, OptionTable } from "../options/option-entry.ts";
import { attackOptions, commandOptions, startOptions } from "../options/options.ts";
import { program } from "../terminal/program.ts";

/** Where explanations begin. */
const [optionColumn, commandColumn] = [27, 14];
/** A terminal has at least so many columns. */
const lineLength = 80;

const usage = `Usage: ${program} [start] [options]`;
const aboutStart = `Starts a mock server of the call-transfer API and prints credentials to use with
it. Ctrl-C stops it.`;

const settings = `Usage: ${program} [start]
with settings from the environment or a file.

An option that is not given is read from the environment, then from the config
file.

${entry(
  "Environment",
  "--max-sandboxes is CALL_TRANSFER_MOCK_MAX_SANDBOXES. The items of a list are separated by commas, faults by semicolons. An option without a value is true or false. The control token is CALL_TRANSFER_CONTROL_TOKEN",
)}
${entry(
  "Config file",
  'call-transfer-mock.json in the working folder, or the file of --config or CALL_TRANSFER_MOCK_CONFIG. --max-sandboxes is "maxSandboxes", lists are arrays, policies an object; faults and the seed can be given inline. Paths start at the folder of the file. Its schema is @call-transfer/mock-server/config.schema.json',
)}

Commands for a running server read --url, --sandbox and --token in the same way.
Without a URL, they take port and host of the settings.`;

const attack = (): string => `Usage: ${program} attack URL… [options]

Attacks a webhook receiver of yours with genuine, forged, repeated and broken
deliveries, and reports what it does wrong. Several URLs are processes of one
receiver. It needs no running mock server.

${optionLines(attackOptions)}

Exit status: 0 without findings, 1 with findings or if nothing answers, 2 for a
wrong command line.`;

const attackEntry = entry("attack URL…", "attack your webhook receiver and report what it does wrong", commandColumn);
const commandEntries = (commands: readonly Command[]): string =>
  commands.map(({ name, summary }) => entry(name, summary, commandColumn)).join("\n");

const about = `${usage}
       ${program} COMMAND [options]

Serves a mock of the call-transfer API that behaves like the platform: it keeps
state, validates every request, sends signed webhooks and plays the platform's
side of transfers. Without options it starts on http://127.0.0.1:4010 with demo
data.`;

const overview = (commands: readonly Command[]): string => `${about}

Options that most people need:
${exampleLines(startOptions)}

Commands that most people need:
${commandEntries(commands.filter(({ isFrequent }) => isFrequent))}
${attackEntry}

More:
${entry("help COMMAND", "explain a command and its options")}
${entry("help settings", "explain environment variables and the config file")}
${entry("--help --all", `list all ${Object.keys(documented(startOptions)).length} options and ${commands.length + 1} commands`)}
${entry("--version", "print the version")}`;

const wholeOverview = (commands: readonly Command[]): string => `${about}

Options of start:
${optionLines(startOptions)}

Command for your webhook receiver:
${attackEntry}

Commands for a running server:
${commandEntries(commands)}

Options of these commands:
${optionLines(commandOptions)}

Other:
${entry("--help, help COMMAND", "print what most people need, or the help of one command")}
${entry("help settings", "explain environment variables and the config file")}
${entry("--version", "print the version")}

Exit status: 0 for success, 1 for a failure, 2 for a wrong command line.`;

/**
 * The help of one command, or of the program without a topic; undefined for an unknown topic. `isWhole` adds the options
 * that few people need.
 */
export function helpText(topic: string | undefined, commands: readonly Command[], isWhole = false): string | undefined {
  if (topic === undefined || topic === "help") return isWhole ? wholeOverview(commands) : overview(commands);
  if (topic === "start") return [usage, aboutStart, startHelp(isWhole)].join("\n\n");
  if (topic === "attack") return attack();
  if (topic === "settings") return settings;
  const command = commands.find(({ name }) => name === topic);
  return command && commandHelp(command, isWhole);
}

function startHelp(isWhole: boolean): string {
  return isWhole
    ? optionLines(startOptions)
    : `${exampleLines(startOptions)}\n\nAll options: ${program} help start --all`;
}

function commandHelp({ name, summary, usages, options, example }: Command, isWhole: boolean): string {
  return [
    `Usage: ${program} ${name} … [options]`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    [...usages.map(({ form, help }) => entry(form, help)), optionLines(options, "  ")]
      .filter((part) => part !== "")
      .join("\n"),
    ...(example === undefined ? [] : [`Example:\n  ${program} ${example}`]),
    isWhole
      ? `Options of all commands for a running server:\n${optionLines(commandOptions)}`
      : `Every command also takes ${listed(commandOptions)}.\nThey are explained by: ${program} help ${name} --all`,
  ].join("\n\n");
}

/** The options that have a help text. */
function documented(options: OptionTable): OptionTable {
  return Object.fromEntries(Object.entries(options).filter(([, { help }]) => help !== undefined));
}

function listed(options: OptionTable): string {
  const names = Object.keys(documented(options)).map((name) => `--${name}`);
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** What the help says about an option, with its default and whether it can be repeated. */
export function describeOption({ help = "", fallback, multiple }: OptionEntry): string {
  const usual = fallback === undefined || /\(default/.test(help) ? help : `${help} (default ${fallback})`;
  return usual.replace("{default}", fallback ?? "") + (multiple && !/; repeatable/.test(help) ? "; repeatable" : "");
}

/** Each option with a help text. */
function optionLines(options: OptionTable, indent = ""): string {
  return Object.entries(documented(options))
    .map(([name, one]) => {
      const value = one.value ?? one.choices?.join("|");
      return entry(`${indent}--${name}${value === undefined ? "" : ` ${value}`}`, describeOption(one));
    })
    .join("\n");
}

/** The options with an example, each with the first sentence of its help. */
function exampleLines(options: OptionTable): string {
  return Object.entries(options)
    .filter(([, { example }]) => example !== undefined)
    .map(([name, one]) => {
      const [help = ""] = (one.help ?? "").split(". ");
      return entry(`--${name} ${one.example}`, describeOption({ ...one, help }));
    })
    .join("\n");
}

/** A term in the left column and its explanation in lines beside it; below it if the term is long. */
function entry(term: string, explanation: string, column = optionColumn): string {
  const start = `  ${term}`;
  const lines = wrapWords(explanation, lineLength - column);
  const [first = "", ...rest] = start.length < column ? lines : ["", ...lines];
  return [`${start.padEnd(first === "" ? 0 : column)}${first}`, ...rest.map((line) => " ".repeat(column) + line)].join(
    "\n",
  );
}
