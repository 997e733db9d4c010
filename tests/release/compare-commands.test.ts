import { describe, expect, it } from "vitest";
import { options, usage } from "../../packages/contract/src/remote/options.ts";
import { commands } from "../../packages/mock-server/src/cli/commands.ts";
import {
  attackOptions,
  connectionOptions,
  flagOf,
  type OptionTable,
  startOptions,
} from "../../packages/mock-server/src/cli/options.ts";
import { helpText } from "../../packages/mock-server/src/cli/program.ts";
import { bumpOf, lineOf } from "../../scripts/release/change.ts";
import { commandTexts } from "../../scripts/release/commands.ts";
import { type CommandTables, commandText, compareCommands } from "../../scripts/release/compare/commands.ts";

const text = { type: "string" } as const;
const start = {
  port: { type: "string", fallback: "4010" },
  cors: { type: "string", multiple: true },
  help: { type: "boolean", default: false, short: "h" },
  seed: text,
} as const;
const tables: CommandTables = {
  name: "pack",
  subcommands: { start, stop: { url: text } },
  variables: { key: "PACK_KEY" },
  exitStatus: { passed: 0, failed: 1 },
  help: ["Starts."],
};
const withStart = (options: CommandTables["subcommands"][string]): Partial<CommandTables> => ({
  subcommands: { ...tables.subcommands, start: options },
});
const { seed: _, ...withoutSeed } = start;

const verdicts: readonly [bump: string, what: string, edit: Partial<CommandTables>, words: string][] = [
  ["major", "a removed option", withStart(withoutSeed), "pack start --seed: was removed"],
  ["major", "a renamed option", withStart({ ...withoutSeed, data: text }), "pack start --seed: was removed"],
  ["minor", "an added option", withStart({ ...start, data: text }), "pack start --data: was added"],
  ["major", "another default", withStart({ ...start, port: { ...text, fallback: "80" } }), '"4010" is now "80"'],
  ["major", "a default less", withStart({ ...start, port: text }), '--port: its default "4010" is now none'],
  ["major", "a default more", withStart({ ...start, seed: { ...text, default: "demo" } }), 'none is now "demo"'],
  ["major", "an option that takes no value", withStart({ ...start, seed: { type: "boolean" } }), "its value"],
  ["major", "an option that may come once", withStart({ ...start, cors: text }), "may no longer be repeated"],
  [
    "minor",
    "an option that may be repeated",
    withStart({ ...start, seed: { ...text, multiple: true } }),
    "now be repeated",
  ],
  ["major", "a short form less", withStart({ ...start, help: { type: "boolean" } }), '"-h" is now none'],
  ["minor", "a short form more", withStart({ ...start, seed: { ...text, short: "s" } }), 'none is now "-s"'],
  ["major", "a removed subcommand", { subcommands: { start } }, "pack subcommand stop: was removed"],
  ["minor", "an added subcommand", { subcommands: { ...tables.subcommands, list: {} } }, "subcommand list: was added"],
  ["major", "a removed variable", { variables: {} }, "environment variable PACK_KEY: was removed"],
  ["minor", "an added variable", { variables: { ...tables.variables, url: "PACK_URL" } }, "PACK_URL: was added"],
  ["major", "a removed exit status", { exitStatus: { passed: 0 } }, "pack exit status 1: was removed"],
  ["minor", "an added exit status", { exitStatus: { ...tables.exitStatus, wrong: 2 } }, "exit status 2: was added"],
  ["major", "exit statuses that change places", { exitStatus: { failed: 0, passed: 1 } }, "passed is now failed"],
  ["major", "another name", { name: "tool" }, "pack: was renamed to tool"],
  ["patch", "another help", { help: ["Starts it."] }, "pack: its help was reworded"],
];

const compared = (edit: Partial<CommandTables>) =>
  compareCommands(commandText(tables), commandText({ ...tables, ...edit }));

describe("the least bump that an edit of a command may carry", () => {
  it.each(verdicts)("%s: %s", (bump, _, edit, words) => {
    const found = compared(edit);
    expect(found.map(lineOf).join("\n")).toContain(words);
    expect(bumpOf(found)).toBe(bump);
  });

  it("finds no change in another order", () => {
    expect(compared({ subcommands: { stop: { url: text }, start } })).toEqual([]);
  });

  it("finds no change if the last release recorded no command", () => {
    expect(compareCommands("", commandText(tables))).toEqual([]);
  });

  it("is a major for a command that is gone", () => {
    expect(bumpOf(compareCommands(commandText(tables), ""))).toBe("major");
  });
});

describe("the help of a command", () => {
  const rowsOf = (table: OptionTable, help: string) =>
    Object.entries(table).map(([name, { fallback }]) => [flagOf(name), fallback, help] as const);
  const ofSuite = Object.entries(options)
    .filter(([name]) => !["help", "version"].includes(name))
    .map(([name, option]) => [`--${name}`, "fallback" in option ? option.fallback : undefined, usage] as const);

  it.each([
    ...rowsOf({ ...startOptions, ...connectionOptions }, helpText(undefined, commands, true)),
    ...commands.flatMap(({ name, actions }) =>
      actions.flatMap((action) => rowsOf(action.options, helpText(name, commands, false))),
    ),
    ...rowsOf(attackOptions, helpText("attack", commands, false)),
    ...ofSuite,
  ])("shows %s with its default", (flag, fallback, help) => {
    expect(help).toMatch(new RegExp(`${flag}(?![\\w-])`));
    if (fallback !== undefined) expect(help).toMatch(new RegExp(`${flag} [^]*?\\(default:?\\s+${fallback}\\)`));
  });
});

describe("the commands of the packages", () => {
  const described = (name: string) => {
    const surface = JSON.parse(commandTexts().get(name) ?? "{}");
    return { ...surface, options: Object.assign({}, ...Object.values(surface.subcommands as object)) };
  };

  it("include the defaults, variables and exit statuses of the mock server", () => {
    const { options, variables, exitStatus } = described("@call-transfer/mock-server");
    expect(options["--port"]).toEqual({ value: "text", default: "4010" });
    expect(options["--destination"]).toEqual({ value: "text" });
    expect(Object.keys(variables)).toContain("CALL_TRANSFER_API_KEY");
    expect(Object.keys(exitStatus)).toEqual(["0", "1", "2", "130"]);
  });

  it("include the options, variables and exit statuses of the contract suite", () => {
    const { options, variables, exitStatus } = described("@call-transfer/contract");
    expect(options["--timeout"]).toEqual({ value: "text", default: "30s" });
    expect(Object.keys(variables)).toEqual(["CALL_TRANSFER_ACCESS_TOKEN", "CALL_TRANSFER_API_KEY"]);
    expect(Object.keys(exitStatus)).toEqual(["0", "1", "2", "130", "143"]);
  });
});
