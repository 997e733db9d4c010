// The command line by commander, which parses it and lays out the help. The tables say what there is; messages say what to do.
import { CommanderError, Help, Option, Command as Parser } from "commander";
import { wrapWords } from "../log/text.ts";
import { type Action, type Command, type Context, partsOf } from "./command.ts";
import { connect, explained } from "./connection.ts";
import {
  attackOptions,
  connectionOptions,
  describeOption,
  exitStatus,
  flagOf,
  type OptionRow,
  type OptionTable,
  startOptions,
} from "./options.ts";
import { commandLine, hintFor, printable, printableJson, program, type Terminal } from "./output.ts";
import { addressInEnvironment, naming, type RawValues, settingVariables, settle } from "./settings.ts";
import { UsageError, unknownWord } from "./values.ts";

/** What the program runs. A command for a running server is in the list; the others are loaded when they run. */
export interface Programs {
  readonly commands: readonly Command[];
  start(raw: RawValues): Promise<void>;
  attack(urls: readonly string[], raw: RawValues): Promise<number>;
}

/** Runs a command line. Returns the exit status; undefined if a server runs on. Throws UsageError for a wrong one. */
export async function runProgram(
  given: readonly string[],
  programs: Programs,
  terminal: Terminal,
): Promise<number | undefined> {
  const args = arranged(given, programs.commands);
  let status: number | undefined;
  const root = createParser(programs, terminal, (ended) => {
    status = ended;
  });
  try {
    await root.parseAsync(args, { from: "user" });
    return status;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return exitStatus.success;
  }
}

/** The help of a command, or of the program without a topic. */
export function helpText(topic: string | undefined, commands: readonly Command[]): string {
  const printed: string[] = [];
  const unused = () => Promise.reject(new Error("Only the help is printed."));
  const { signal } = new AbortController();
  const print = (text: string): void => void printed.push(text);
  const terminal: Terminal = { width: undefined, hasColour: false, signal, print, warn: print };
  const root = createParser({ commands, start: unused, attack: unused }, terminal, () => {});
  (root.commands.find((command) => command.name() === topic) ?? root).outputHelp();
  return printed.join("\n");
}

/** The name of the parser of a command without an action, which nobody types. The word `list` may stand there. */
const bare = " ";

/** `help clock` is `clock --help`. Throws UsageError for an unknown command. */
function arranged(given: readonly string[], commands: readonly Command[]): readonly string[] {
  const [first = "--", ...rest] = given;
  if (first === "help") return arranged([...rest, "--help"], commands);
  const known = ["start", ...commands.map(({ name }) => name), "attack"];
  if (first.startsWith("-") || known.includes(first)) return given;
  throw unknownWord("command", first, known);
}

/** A parser whose errors are in one line and name the help. Commander calls these methods; a test runs each of them. */
class MockParser extends Parser {
  /** What the help lists. */
  shownOptions: readonly Option[] = [];
  shownCommands: readonly Parser[] = [];
  /** The actions of the command. */
  words: readonly string[] = [];
  /** The parser whose help shows this one too. */
  helpOf: MockParser = this;
  /** A command line to try. */
  example: (() => string) | undefined;

  constructor(name: string, write: (text: string) => void) {
    super(name);
    this.exitOverride();
    this.configureOutput({ writeOut: (text) => write(text.trimEnd()) });
    this.helpCommand(false).helpOption("-h, --help");
  }

  override createHelp(): Help {
    return new MockHelp();
  }

  override outputHelp(): void {
    if (this.helpOf === this) super.outputHelp();
    else this.helpOf.outputHelp();
  }

  override error(message: string): never {
    const [problem = "", ...found] = message.replace(/^error: /, "").split("\n");
    // Another action may have the option itself: the help says which one.
    const rest = found.filter((text) => !problem.endsWith(`'${/ (--[\w-]+)\?/.exec(text)?.[1]}'`));
    const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`.replace(/\.?$/, ".");
    const help = commandLine(`${this.helpOf.name()} --help`);
    throw new UsageError([sentence, ...rest, `See ${help}`].join(" "));
  }

  // A flag after an option that takes a value is a forgotten value: `--data-file --json` would create a file of that name.
  override parseOptions(args: string[]) {
    const options = [...this.options, ...(this.parent === null ? [] : this.commands.flatMap((one) => one.options))];
    for (const [index, flag] of args.entries()) {
      if (flag === "--") break;
      const option = options.find(({ long }) => long === flag);
      const value = args[index + 1];
      if (option?.required && value !== undefined && /^-./.test(value))
        throw new UsageError(`${flag} requires a value. To pass ${value} as the value, write ${flag}=${value}`);
    }
    return super.parseOptions(args);
  }

  missingArgument(name: string): never {
    throw new UsageError(`Missing ${name}. Usage: ${this.example?.()}`);
  }

  _excessArguments(words: readonly string[]): never {
    const [first = ""] = words;
    if (this.words.length > 0 && this.registeredArguments.length === 0)
      throw unknownWord(`${this.helpOf.name()} action`, first, this.words);
    const actions = this.words.length > 0 ? `, or begin with an action: ${this.words.join(", ")}` : "";
    throw new UsageError(`Unexpected argument "${words[this.registeredArguments.length]}". Remove it${actions}.`);
  }
}

const lineLength = 80;
/** Where explanations begin: beside options and forms of commands, and beside names of commands. */
const [column, nameColumn] = [28, 15];

class MockHelp extends Help {
  #isOfProgram = false;

  override prepareContext(): void {
    this.helpWidth = lineLength;
  }

  override visibleOptions(parser: Parser): Option[] {
    return parser instanceof MockParser ? [...parser.shownOptions] : [];
  }

  override visibleCommands(parser: Parser): Parser[] {
    this.#isOfProgram = parser.parent === null;
    return parser instanceof MockParser ? [...parser.shownCommands] : [];
  }

  override subcommandTerm(parser: Parser): string {
    return parser.name();
  }

  override optionTerm({ flags }: Option): string {
    return flags.replace(/[<>]/g, "");
  }

  override commandUsage(parser: Parser): string {
    return `${program} ${parser.usage()}`;
  }

  /** A term in the left column and its explanation in lines beside it; below it if the term is long. */
  override formatItem(term: string, _width: number, explanation: string): string {
    const start = `  ${term}`;
    const indent = this.#isOfProgram && !term.startsWith("-") ? nameColumn : column;
    const lines = wrapWords(explanation, lineLength - indent).map((line) => " ".repeat(indent) + line);
    const [first = "", ...rest] = lines;
    return [...(start.length < indent ? [start + first.slice(start.length)] : [start, first]), ...rest].join("\n");
  }
}

/** Options for the help, in their section. */
const shown = (table: OptionTable, heading: string): Option[] =>
  Object.entries(table).map(([name, row]) => {
    const flags = `${flagOf(name)}${row.value === undefined ? "" : ` <${row.value}>`}`;
    return new Option(flags, describeOption(row)).helpGroup(heading);
  });

function addOptions(parser: Parser, table: OptionTable): void {
  for (const [name, { value, repeats }] of Object.entries(table)) {
    const option = new Option(`${flagOf(name)}${value === undefined ? "" : " <value>"}`);
    if (repeats) option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
    parser.addOption(option);
  }
}

const about = "Serves a mock of the call-transfer API on http://127.0.0.1:4010 with demo data.";

const aboutStart =
  "Starts a mock server, and prints its address and an API key. It behaves like the platform: it keeps state, validates every request, sends signed webhooks and plays the platform's side of transfers. Ctrl-C stops it.";

const settingsHelp = [
  `An option that is not given is read from its variable: --data-file is CALL_TRANSFER_MOCK_DATA_FILE. These have one: ${[...settingVariables.values()].map(flagOf).join(", ")}. In variables, the items of a list are separated by commas, faults by semicolons, and an option without a value is true or false. Commands without --url use the variables of port and host.`,
  "--version prints the version. Exit status: 0 for success, 1 for a failure, 2 for a wrong command line.",
];

/** Text below the lists of a help. */
const below = (...paragraphs: readonly string[]): string =>
  paragraphs.map((text) => `\n${wrapWords(text, lineLength).join("\n")}`).join("\n");

function createParser(
  { commands, start, attack }: Programs,
  terminal: Terminal,
  ended: (status: number | undefined) => void,
): MockParser {
  const create = (name: string): MockParser => new MockParser(name, (text) => terminal.print(text));
  const all: readonly Pick<Command, "name" | "summary">[] = [
    { name: "start", summary: "start a mock server: what runs without a command" },
    ...commands,
    { name: "attack", summary: "attack your webhook receiver and report what it does wrong" },
  ];
  const root = create("call-transfer-mock").usage("[command] [options]").description(about);
  root.shownCommands = all.map(({ name, summary }) => item(name, summary, "Commands:"));
  root.addHelpText("after", `\nOptions of each: ${program} COMMAND --help`);
  root.addCommand(startParser(), { isDefault: true });
  for (const command of commands) {
    const group = createGroup(command, create);
    for (const { parser, action } of group.actions) {
      parser.example = () =>
        hintFor(connectionIn(group.parser))([command.name, action.example ?? action.form].join(" "));
      parser.action(async () => ended(await runAction(action, [group.parser, parser], terminal)));
    }
    root.addCommand(group.parser);
  }
  if (commands.length > 0) root.addCommand(attackParser());
  return root;

  function startParser(): MockParser {
    const parser = create("start")
      .usage("[start] [options]")
      .description(aboutStart)
      .addHelpText("after", below(...settingsHelp));
    addOptions(parser, startOptions);
    parser.shownOptions = shown(startOptions, "Options:");
    return parser.action(() => start(parser.opts<RawValues>()));
  }

  function attackParser(): MockParser {
    const parser = create("attack")
      .usage("attack URL… [options]")
      .description(
        "Attacks a webhook receiver of yours with genuine, forged, repeated and broken deliveries, and reports what it does wrong. Several URLs are processes of one receiver. It needs no running mock server.",
      )
      .argument("<URL...>")
      .addHelpText(
        "after",
        below("Exit status: 0 without findings, 1 with findings or if nothing answers, 2 for a wrong command line."),
      );
    addOptions(parser, attackOptions);
    parser.shownOptions = shown(attackOptions, "Options:");
    parser.example = () => commandLine("attack http://127.0.0.1:3000/offers");
    return parser.action(async (urls: readonly string[]) => ended(await attack(urls, parser.opts<RawValues>())));
  }
}

/** A line of the help that lists commands. */
function item(term: string, text: string, heading: string): Parser {
  return new Parser(term).description(text).helpGroup(heading);
}

/**
 * The parser of a command, and those of its actions, of which the one without a word is one too: its options are no other's. The
 * options that lead to a server may stand before and after an action.
 */
function createGroup({ name, summary, actions, example }: Command, create: (name: string) => MockParser) {
  const group = create(name)
    .usage(`${name} … [options]`)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  addOptions(group, connectionOptions);
  const words = actions.map((one) => partsOf(one).word);
  const parsers = actions.map((action) => {
    const { word, operands } = partsOf(action);
    const parser = create(word || bare);
    for (const operand of operands) parser.argument(operand);
    addOptions(parser, action.options);
    group.addCommand(parser, { isDefault: word === "" });
    if (word === "" && !words.includes("list")) parser.alias("list");
    parser.helpOf = group;
    return { parser, action };
  });
  group.words = words.filter((word) => word !== "");
  for (const { parser } of parsers) if (parser.name() === bare) parser.words = group.words;
  group.shownCommands = actions.map(({ form, help }) => item(`${name} ${form}`.trim(), help, "Commands:"));
  group.shownOptions = [
    ...shown(tableOf(actions), "Options:"),
    ...shown(connectionOptions, "Options of all commands for a running server:"),
  ];
  if (example !== undefined) group.addHelpText("after", `\nExample:\n  ${program} ${example}`);
  if (!words.includes(""))
    group.action(() => {
      throw new UsageError(`Missing action. Possible: ${group.words.join(", ")}. See ${commandLine(`${name} --help`)}`);
    });
  return { parser: group, actions: parsers };
}

/** The options of a command's actions for its help, each once, with the actions that take it. */
function tableOf(actions: readonly Action[]): OptionTable {
  const table: Record<string, OptionRow> = Object.assign({}, ...actions.map(({ options }) => options));
  for (const [name, row] of Object.entries(table)) {
    const words = actions.filter(({ options }) => Object.hasOwn(options, name)).map((one) => partsOf(one).word);
    const typed = words.filter((word) => word !== "").join(" and ");
    if (!words.includes("")) table[name] = { ...row, help: `with ${typed}: ${row.help}` };
  }
  return table;
}

/** The options of a command line that lead to its server. */
function connectionIn(group: Parser) {
  const { url, sandbox, controlToken } = group.opts<Record<string, string | undefined>>();
  return { url, sandbox, controlToken };
}

/** Runs an action against the server of the command line, and prints the result. Returns the exit status. */
async function runAction(
  action: Action,
  [group, parser]: readonly [Parser, Parser],
  terminal: Terminal,
): Promise<number> {
  const given = connectionIn(group);
  const connection = settle(connectionOptions, group.opts<RawValues>());
  const { values, given: found } = connection;
  const own = settle(action.options, parser.opts<RawValues>());
  const url = found.has("url") ? values.url : (addressInEnvironment() ?? values.url);
  const { json: isJson, sandbox, controlToken } = values;
  const context: Context = {
    ...connect({ url, sandbox, controlToken }),
    ...{ operands: parser.args, values: own.values, isJson, terminal, hint: hintFor(given) },
  };
  const result = await naming(connection, () =>
    action.run(context).catch((error: unknown) => {
      throw explained(error, context.url);
    }),
  );
  if (result === undefined) return exitStatus.success;
  const { data, text, failure } = result;
  const printed = text === undefined ? printableJson(data) : printable(text);
  terminal.print(isJson ? JSON.stringify(data) : printed);
  if (failure === undefined) return exitStatus.success;
  terminal.warn(failure);
  return exitStatus.failure;
}
