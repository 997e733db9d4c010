// The command line by commander, which parses it and lays out the help. The tables say what there is; messages say what to do.
import { parseArgs } from "node:util";
import { CommanderError, Help, Option, Command as Parser } from "commander";
import { wrapWords } from "../log/wrap.ts";
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
import { commandLine, hintFor, printable, printableJson, program, type Terminal, wrapMessage } from "./output.ts";
import { addressInSettings, naming, type RawValues, settingVariables, settle } from "./settings.ts";
import { suggestion, UsageError, unknownWord } from "./values.ts";

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
  const root = createParser(programs, terminal, args.includes("--all"), (ended) => {
    status = ended;
  });
  try {
    await root.parseAsync(args, { from: "user" });
    return status;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitStatus.success;
    throw new UsageError(error.message.replace(/^error: /, ""), { cause: error });
  }
}

/** The help of a command, or of the program without a topic; with `isWhole`, also the options that few people need. */
export function helpText(topic: string | undefined, commands: readonly Command[], isWhole: boolean): string {
  const printed: string[] = [];
  const unused = () => Promise.reject(new Error("Only the help is printed."));
  const { signal } = new AbortController();
  const print = (text: string): void => void printed.push(text);
  const terminal: Terminal = { width: undefined, hasColour: false, signal, print, warn: print, note: print };
  const root = createParser({ commands, start: unused, attack: unused }, terminal, isWhole, () => {});
  (root.commands.find((command) => command.name() === topic) ?? root).outputHelp();
  return printed.join("\n");
}

/** The name of the parser of a command without an action, which nobody types. */
const bare = " ";

/** Puts command and action first: `--url URL clock` is `clock --url URL`, and `help clock` is `clock --help`. */
function arranged(given: readonly string[], commands: readonly Command[]): readonly string[] {
  const names = ["start", "attack", ...commands.map(({ name }) => name)];
  const [first = "", ...rest] = given;
  if (first === "help") return arranged([...rest, "--help"], commands);
  if (first === "start") return rest;
  const command = commands.find(({ name }) => name === first);
  if (command !== undefined) return [first, ...withAction(rest, command)];
  // The help of an unknown command is an error.
  if (!first.startsWith("-")) return first === "" || names.includes(first) ? given : [first];
  const tables = commands.flatMap(({ actions }) => actions.map(({ options }) => options));
  const operand = firstOperand(given, [...tables, attackOptions, startOptions]);
  if (operand === undefined || !names.includes(operand.value)) return given;
  return arranged([operand.value, ...given.toSpliced(operand.index, 1)], commands);
}

/** Puts the action of a command first; `list` is the form without an action, unless it is one. */
function withAction(rest: readonly string[], { actions }: Command): readonly string[] {
  const words = actions.map((one) => partsOf(one).word);
  const operand = firstOperand(
    rest,
    actions.map(({ options }) => options),
  );
  const others = operand === undefined ? rest : rest.toSpliced(operand.index, 1);
  if (operand !== undefined && words.includes(operand.value)) return [operand.value, ...others];
  if (!words.includes("")) return rest;
  return [bare, ...(operand?.value === "list" ? others : rest)];
}

/** The first word of a command line that is no option and no value of one. */
function firstOperand(args: readonly string[], tables: readonly OptionTable[]) {
  const rows = Object.entries<OptionRow>(Object.assign({}, ...tables, connectionOptions));
  // Of these only matters which take a value.
  const options = Object.fromEntries(
    rows.map(([name, { value }]) => [
      flagOf(name).slice(2),
      { type: value === undefined ? "boolean" : "string" } as const,
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const found = tokens.find(({ kind }) => kind !== "option");
  return found?.kind === "positional" ? found : undefined;
}

/** A parser whose errors say what to do. Commander calls these methods; a test runs each of them. */
class MockParser extends Parser {
  /** What the help lists. */
  shownOptions: readonly Option[] = [];
  shownCommands: readonly Parser[] = [];
  /** All that an unknown word or option may be instead. */
  words: readonly string[] = [];
  ownersOf: (flag: string) => readonly string[] = () => [];
  /** The parser whose help shows this one too. */
  helpOf: MockParser = this;
  /** A command line to try. */
  example = (): string => commandLine("--help");

  constructor(name: string, write: (text: string) => void) {
    super(name);
    this.exitOverride();
    this.configureOutput({ writeOut: (text) => write(text.trimEnd()) });
    this.helpCommand(false).helpOption("-h, --help");
  }

  get helpLine(): string {
    const parent = this.parent === null ? [] : [this.parent.parent === null ? this.name() : this.parent.name()];
    return commandLine([...parent, "--help --all"].join(" "));
  }

  override createHelp(): Help {
    return new MockHelp();
  }

  override outputHelp(): void {
    if (this.helpOf === this) super.outputHelp();
    else this.helpOf.outputHelp();
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

  optionMissingArgument({ long }: Option): never {
    throw new UsageError(`${long} requires a value. See ${this.helpLine}`);
  }

  unknownOption(given: string): never {
    const [flag = ""] = given.split("=");
    const own = [...this.options, ...((this.parent?.parent && this.parent.options) ?? [])].map(
      ({ long }) => long ?? "",
    );
    if (own.includes(flag)) throw new UsageError(`${flag} does not take a value. Write ${flag} alone.`);
    if (/^--(no-)?colou?r$/.test(flag))
      throw new UsageError(`Unknown option ${flag}. Set the variable NO_COLOR=1 or FORCE_COLOR=1.`);
    if (flag === "--all") throw new UsageError("--all only works with --help. Add --help, or remove --all.");
    const owners = this.ownersOf(flag);
    if (owners.length === 0 && own.includes("--url") && Object.keys(startOptions).some((name) => flagOf(name) === flag))
      throw new UsageError(`Unknown option ${flag}. It is one of start. To name the server of a command, use --url.`);
    if (owners.length > 0) throw new UsageError(`${flag} only works with ${owners.join(" and ")}.`);
    throw new UsageError(`Unknown option ${flag}.${suggestion(flag, own)} For all options: ${this.helpLine}`);
  }

  missingArgument(name: string): never {
    throw new UsageError(`Missing ${name}. Usage: ${this.example()}`);
  }

  _excessArguments(words: readonly string[]): never {
    const word = words[this.registeredArguments.length] ?? "";
    if (this.parent === null)
      throw new UsageError(
        `Unknown command "${word}".${suggestion(word, this.words)} For all commands: ${commandLine("--help --all")}`,
      );
    const [first = ""] = words;
    const isAction = this.registeredArguments.length === 0 || suggestion(first, this.words) !== "";
    if (this.words.length > 0 && isAction) throw unknownWord(`${this.helpOf.name()} action`, first, this.words);
    const actions = this.words.length > 0 ? `, or begin with an action: ${this.words.join(", ")}` : "";
    throw new UsageError(`Unexpected argument "${word}". Remove it${actions}.`);
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

/** An option for the help, in its section; `example` in place of the placeholder of its value. */
function shown(name: string, row: OptionRow, heading: string, changes: Partial<OptionRow> = {}): Option {
  const { value, ...changed } = { ...row, ...changes };
  const [short = ""] = changed.help.split(". ");
  const text = describeOption({ ...changed, help: changes.value === undefined ? changed.help : short });
  return new Option(`${flagOf(name)}${value === undefined ? "" : ` <${value}>`}`, text).helpGroup(heading);
}

function addOptions(parser: Parser, table: OptionTable): void {
  for (const [name, { value, repeats }] of Object.entries(table)) {
    const option = new Option(`${flagOf(name)}${value === undefined ? "" : " <value>"}`);
    if (repeats) option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
    parser.addOption(option);
  }
}

const about = "Serves a mock of the call-transfer API on http://127.0.0.1:4010 with demo data.";

const aboutWhole = `${about} It behaves like the platform: it keeps state, validates every request, sends signed webhooks and plays the platform's side of transfers.`;

const settingsHelp = [
  `An option that is not given is read from its variable, then from the config file: --data-file is CALL_TRANSFER_MOCK_DATA_FILE, and "dataFile" in call-transfer-mock.json in the working folder, or in the file of --config. These have a variable: ${[...settingVariables.values()].map(flagOf).join(", ")}. In variables, the items of a list are separated by commas, faults by semicolons, and an option without a value is true or false. In the file, lists are arrays, policies an object, and paths start at its folder; its schema is @call-transfer/mock-server/config.schema.json. Commands without --url use port and host of the settings.`,
  "Exit status: 0 for success, 1 for a failure, 2 for a wrong command line.",
];

const ofEveryHelp = [
  new Option("--version", "print the version").helpGroup("Other:"),
  new Option("-h, --help", "print the help, or that of a command; all of it with --all").helpGroup("Other:"),
];

/** Text below the lists of a help. */
const below = (...paragraphs: readonly string[]): string =>
  paragraphs.map((text) => `\n${wrapWords(text, lineLength).join("\n")}`).join("\n");

function createParser(
  { commands, start, attack }: Programs,
  terminal: Terminal,
  isWhole: boolean,
  ended: (status: number | undefined) => void,
): MockParser {
  const write = (text: string): void => terminal.print(text);
  const root = new MockParser("call-transfer-mock", write)
    .usage("[command] [options]")
    .description(isWhole ? aboutWhole : about);
  // So that a command's own option of the same name is not taken for one of start.
  root.enablePositionalOptions();
  addOptions(root, startOptions);
  root.action(() => start(root.opts<RawValues>()));
  const startRows = Object.entries<OptionRow>(startOptions);
  const most = "Options:";
  root.shownOptions = [
    ...(isWhole
      ? startRows.map(([name, row]) => shown(name, row, "Options of start:"))
      : startRows.flatMap(([name, row]) =>
          row.example === undefined ? [] : [shown(name, row, most, { value: row.example })],
        )),
    ...(isWhole ? [...connectionRows(), ...ofEveryHelp] : []),
  ];
  const all: readonly Pick<Command, "name" | "summary" | "isFrequent">[] = [
    { name: "start", summary: "start a mock server: what runs without a command. Ctrl-C stops it" },
    ...commands,
    { name: "attack", summary: "attack your webhook receiver and report what it does wrong" },
  ];
  root.words = ["help", ...all.map(({ name }) => name)];
  root.shownCommands = all
    .filter(({ isFrequent }) => isWhole || isFrequent)
    .map(({ name, summary }) => item(name, summary, "Commands:"));
  root.addHelpText("after", isWhole ? below(...settingsHelp) : `\nAll options and commands: ${program} --help --all`);
  const ownersOf = (flag: string): readonly string[] =>
    commands.flatMap(({ name, actions }) =>
      actions
        .filter(({ options }) => Object.keys(options).some((option) => flagOf(option) === flag))
        .map((one) => `${name} ${partsOf(one).word || one.form}`.trim()),
    );
  for (const command of commands) {
    const group = createGroup(command, isWhole, (name) => new MockParser(name, write));
    group.parser.ownersOf = ownersOf;
    for (const { parser, action } of group.actions) {
      parser.ownersOf = ownersOf;
      parser.example = () =>
        hintFor(connectionIn(group.parser))([command.name, action.example ?? action.form].join(" "));
      parser.action(async () => ended(await runAction(command, action, [group.parser, parser], terminal)));
    }
    root.addCommand(group.parser);
  }
  if (commands.length > 0) root.addCommand(attackParser());
  return root;

  function attackParser(): MockParser {
    const parser = new MockParser("attack", write)
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
    parser.shownOptions = Object.entries<OptionRow>(attackOptions).map(([name, row]) => shown(name, row, "Options:"));
    parser.example = () => commandLine("attack http://127.0.0.1:3000/offers");
    return parser.action(async (urls: readonly string[]) => ended(await attack(urls, parser.opts<RawValues>())));
  }
}

/** A line of the help that lists commands. */
function item(term: string, text: string, heading: string): Parser {
  return new Parser(term).description(text).helpGroup(heading);
}

function connectionRows(): Option[] {
  const heading = "Options of all commands for a running server:";
  return Object.entries<OptionRow>(connectionOptions).map(([name, row]) => shown(name, row, heading));
}

/**
 * The parser of a command, and those of its actions, of which the one without a word is one too: its options are no other's. The
 * options that lead to a server may stand before and after an action.
 */
function createGroup(
  { name, summary, actions, example }: Command,
  isWhole: boolean,
  create: (name: string) => MockParser,
) {
  const group = create(name)
    .usage(`${name} … [options]`)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  addOptions(group, connectionOptions);
  const parsers = actions.map((action) => {
    const { word, operands } = partsOf(action);
    const parser = create(word || bare);
    for (const operand of operands) parser.argument(operand);
    addOptions(parser, action.options);
    group.addCommand(parser);
    parser.helpOf = group;
    return { parser, action };
  });
  const words = actions.map((one) => partsOf(one).word);
  group.words = words.filter((word) => word !== "");
  for (const { parser } of parsers) if (parser.name() === bare) parser.words = group.words;
  group.shownCommands = actions.map(({ form, help }) => item(`${name} ${form}`.trim(), help, "Commands:"));
  group.shownOptions = [...optionsOf(actions), ...(isWhole ? connectionRows() : [])];
  const common = Object.keys(connectionOptions).map(flagOf);
  const more = `Every command also takes ${common.slice(0, -1).join(", ")} and ${common.at(-1)}.\nThey are explained by: ${program} ${name} --help --all`;
  const after = [...(example === undefined ? [] : [`Example:\n  ${program} ${example}`]), ...(isWhole ? [] : [more])];
  group.addHelpText("after", `\n${after.join("\n\n")}`);
  if (!words.includes(""))
    group.action(() => {
      throw new UsageError(`Missing action. Possible: ${group.words.join(", ")}. See ${commandLine(`${name} --help`)}`);
    });
  return { parser: group, actions: parsers };
}

/** The options of a command's actions for its help, each once. */
function optionsOf(actions: readonly Action[]): readonly Option[] {
  const rows = new Map<string, { readonly row: OptionRow; readonly words: string[] }>();
  for (const one of actions)
    for (const [name, row] of Object.entries(one.options)) {
      const known = rows.get(name) ?? { row, words: [] };
      known.words.push(partsOf(one).word);
      rows.set(name, known);
    }
  return [...rows].map(([name, { row, words }]) => {
    const typed = words.filter((word) => word !== "");
    const only = `${words.includes("") ? "also " : ""}with ${typed.join(" and ")}: `;
    return shown(name, { ...row, help: (typed.length === 0 ? "" : only) + row.help }, "Options:");
  });
}

/** The options of a command line that lead to its server. */
function connectionIn(group: Parser) {
  const { config, url, sandbox, controlToken } = group.opts<Record<string, string | undefined>>();
  return { config, url, sandbox, controlToken };
}

/** An error about a word that is near an action of its command, such as `udpate`. It names the action first. */
function suggesting(error: unknown, word: string, { name, actions }: Command): unknown {
  const words = actions.map((one) => partsOf(one).word || "list");
  // `last` is a name of the newest, not a misspelt `list`.
  const near = word === "" || word === "last" ? "" : suggestion(word, words).trim();
  if (near !== "" && error instanceof Error && error.message.includes(word))
    error.message = `${near.replace("mean ", `mean ${name} `)} ${error.message}`;
  return error;
}

/** Runs an action against the server of the command line, and prints the result. Returns the exit status. */
async function runAction(
  command: Command,
  action: Action,
  [group, parser]: readonly [Parser, Parser],
  terminal: Terminal,
): Promise<number> {
  const given = connectionIn(group);
  const connection = settle(connectionOptions, group.opts<RawValues>());
  const { values, given: found } = connection;
  const own = settle(action.options, parser.opts<RawValues>());
  const url = found.has("url") ? values.url : (addressInSettings(given.config) ?? values.url);
  const { json: isJson, sandbox, controlToken } = values;
  const context: Context = {
    ...connect({ url, sandbox, controlToken }, terminal),
    ...{ operands: parser.args, values: own.values, isJson, terminal, hint: hintFor(given) },
  };
  const result = await naming(connection, () =>
    action.run(context).catch((error: unknown) => {
      const suggested = parser.name() === bare ? suggesting(error, parser.args[0] ?? "", command) : error;
      throw explained(suggested, context.url, given);
    }),
  );
  if (result === undefined) return exitStatus.success;
  const { data, text, failure } = result;
  // One line of words is a message. Others are laid out by their command, or to be copied as they are.
  const isMessage = text !== undefined && !text.includes("\n");
  const printed = text === undefined ? printableJson(data) : printable(text);
  terminal.print(isJson ? JSON.stringify(data) : isMessage ? wrapMessage(printed, terminal.width, 0) : printed);
  if (failure === undefined) return exitStatus.success;
  terminal.warn(failure);
  return exitStatus.failure;
}
