import type { Command } from "../options/command.ts";
import type { OptionEntry, OptionTable } from "../options/option-entry.ts";
import { attackOptions, commandOptions, startOptions } from "../options/options.ts";
import { program } from "../terminal/program.ts";

const start = `Usage: ${program} [start] [options]

Starts a mock server of the call-transfer API and prints credentials to use with it.
Ctrl-C stops it.
`;

const settings = `Usage: ${program} [start] with settings from the environment or a file

An option that is not given is read from the environment, then from the config file.

  Environment              --max-sandboxes is CALL_TRANSFER_MOCK_MAX_SANDBOXES. The items of a
                           list are separated by commas, faults by semicolons. An option without
                           a value is true or false. The control token is
                           CALL_TRANSFER_CONTROL_TOKEN
  Config file              call-transfer-mock.json in the working folder, or the file of --config or
                           CALL_TRANSFER_MOCK_CONFIG. --max-sandboxes is "maxSandboxes", lists are
                           arrays, policies an object; faults and the seed can be given inline.
                           Paths start at the folder of the file. Its schema is
                           @call-transfer/mock-server/config.schema.json

Commands for a running server read --url, --sandbox and --token in the same way. Without a URL, they
take port and host of the settings.`;

const attack = (): string => `Usage: ${program} attack URL… [options]

Attacks a webhook receiver of yours with genuine, forged, repeated and broken deliveries, and reports
what it does wrong. Several URLs are processes of one receiver. It needs no running mock server.

${optionLines(attackOptions)}

Exit status: 0 without findings, 1 with findings or if nothing answers, 2 for a wrong command line.`;

const overview = (commands: readonly Command[]): string => `Usage: ${program} [start] [options]
       ${program} COMMAND [options]

Serves a mock of the call-transfer API that behaves like the platform: it keeps state, validates
every request, sends signed webhooks and plays the platform's side of transfers.

Examples:
  ${program}                      start on http://127.0.0.1:4010 with demo data
  ${program} --seed my.json       start with your own data
  ${program} clock advance 24h    advance the clock of a running server

Options of start:
${optionLines(startOptions)}

Command for your webhook receiver:
  attack URL…              attack the receiver and report what it does wrong; see help attack

Commands for a running server; help COMMAND explains one:
${commands.map(({ name, summary }) => entry(name, summary)).join("\n")}

Options of these commands:
${optionLines(commandOptions)}

Other:
  help [COMMAND], --help   print this text, or the help of one command
  help settings            explain environment variables and the config file
  --version                print the version

Exit status: 0 for success, 1 for a failure, 2 for a wrong command line.`;

/** The help of one command, or all of it without a topic; undefined for an unknown topic. */
export function helpText(topic: string | undefined, commands: readonly Command[]): string | undefined {
  if (topic === undefined || topic === "help") return overview(commands);
  if (topic === "start") return `${start}\n${optionLines(startOptions)}`;
  if (topic === "attack") return attack();
  if (topic === "settings") return settings;
  const command = commands.find(({ name }) => name === topic);
  return command && commandHelp(command);
}

function commandHelp({ name, summary, usages, options, example }: Command): string {
  return [
    `Usage: ${program} ${name} … [options]`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    [...usages.map(({ form, help }) => entry(form, help)), optionLines(options, "  ")]
      .filter((part) => part !== "")
      .join("\n"),
    ...(example === undefined ? [] : [`Example:\n  ${program} ${example}`]),
    `Options of all commands for a running server:\n${optionLines(commandOptions)}`,
  ].join("\n\n");
}

/** What the help says about an option, with its default and whether it can be repeated. */
export function describeOption({ help = "", fallback, multiple }: OptionEntry): string {
  const usual = fallback === undefined || /\(default/.test(help) ? help : `${help} (default ${fallback})`;
  return usual.replace("{default}", fallback ?? "") + (multiple && !/; repeatable/.test(help) ? "; repeatable" : "");
}

/** The options that have a help text, one after the other. */
function optionLines(options: OptionTable, indent = ""): string {
  return Object.entries(options)
    .filter(([, { help }]) => help !== undefined)
    .map(([name, one]) => {
      const value = one.value ?? one.choices?.join("|");
      return entry(`${indent}--${name}${value === undefined ? "" : ` ${value}`}`, describeOption(one));
    })
    .join("\n");
}

const column = 27;
const lineLength = 100;

/** A term in the left column and its explanation in lines beside it; below it if the term is long. */
function entry(term: string, explanation: string): string {
  const lines: string[] = [];
  for (const word of explanation.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && column + last.length + 1 + word.length <= lineLength)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  const start = `  ${term}`;
  const [first = "", ...rest] = start.length < column ? lines : ["", ...lines];
  return [`${start.padEnd(first === "" ? 0 : column)}${first}`, ...rest.map((line) => " ".repeat(column) + line)].join(
    "\n",
  );
}
