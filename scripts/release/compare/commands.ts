// Compares two versions of a package's command: options, variables and exit statuses. What a script may rely on must stay.
import { createHash } from "node:crypto";
import { type Change, change, changeIf, compareNamed } from "../change.ts";
import { isEqual, type JsonObject, mapIn, objectIn, stable } from "../json.ts";

/** An option of the parser, see `util.parseArgs`. `fallback` is a default that the command applies itself. */
export interface CommandOption {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: unknown;
  readonly fallback?: string;
}

/** The tables that a command parses with. */
export interface CommandTables {
  readonly name: string;
  /** Options by subcommand. A command without subcommands has one, with its own name. */
  readonly subcommands: Readonly<Record<string, Readonly<Record<string, CommandOption>>>>;
  /** Environment variables that the command reads or writes. */
  readonly variables: Readonly<Record<string, string>>;
  readonly exitStatus: Readonly<Record<string, number>>;
  readonly help: readonly string[];
}

/** The tables as text, to be committed and compared. Of the help, only a digest. */
export function commandText({ name, subcommands, variables, exitStatus, help }: CommandTables): string {
  const sorted = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
    Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
  const options = (table: Readonly<Record<string, CommandOption>>) =>
    sorted(Object.entries(table).map(([option, facts]) => [`--${option}`, described(facts)]));
  const surface = {
    command: name,
    subcommands: sorted(Object.entries(subcommands).map(([subcommand, table]) => [subcommand, options(table)])),
    variables: sorted(Object.values(variables).map((variable) => [variable, true])),
    exitStatus: sorted(Object.entries(exitStatus).map(([meaning, status]) => [String(status), meaning])),
    helpDigest: createHash("sha256").update(help.join("\n")).digest("hex").slice(0, 16),
  };
  return `${JSON.stringify(surface, null, 2)}\n`;
}

function described({ type, short, multiple, default: given, fallback }: CommandOption): JsonObject {
  const usual = fallback ?? given;
  return {
    value: type === "string" ? "text" : "none",
    ...(short !== undefined && { short: `-${short}` }),
    ...(multiple === true && { repeatable: true }),
    ...(usual !== undefined && usual !== false && { default: usual }),
  };
}

const removed = (what: string) => (name: string) => change("major", `${what} ${name}`, "was removed");
const added = (what: string) => (name: string) => change("minor", `${what} ${name}`, "was added");

/** Every change between two texts of `commandText`. A text that is empty was not recorded: there is nothing to compare. */
export function compareCommands(before: string, after: string): Change[] {
  if (before === "") return [];
  if (after === "") return [change("major", "the command", "was removed")];
  const [was, is] = [before, after].map((text) => objectIn(JSON.parse(text) as unknown));
  const name = String(is?.command);
  return [
    ...changeIf(was?.command !== is?.command, "major", String(was?.command), `was renamed to ${name}`),
    ...compareNamed(mapIn(was?.subcommands), mapIn(is?.subcommands), {
      removed: removed(`${name} subcommand`),
      added: added(`${name} subcommand`),
      kept: (old, now, subcommand) => {
        const what = subcommand === name ? name : `${name} ${subcommand}`;
        return compareNamed(mapIn(old), mapIn(now), {
          removed: removed(what),
          added: added(what),
          kept: (one, other, option) => compareOption(objectIn(one), objectIn(other), `${what} ${option}`),
        });
      },
    }),
    ...compareNamed(mapIn(was?.variables), mapIn(is?.variables), {
      removed: removed("environment variable"),
      added: added("environment variable"),
      kept: () => [],
    }),
    ...compareNamed(mapIn(was?.exitStatus), mapIn(is?.exitStatus), {
      removed: removed(`${name} exit status`),
      added: added(`${name} exit status`),
      kept: (old, now, status) =>
        changeIf(old !== now, "major", `${name} exit status ${status}`, `${String(old)} is now ${String(now)}`),
    }),
    ...changeIf(was?.helpDigest !== is?.helpDigest, "patch", name, "its help was reworded"),
  ];
}

/** A script may pass the option, leave it out, repeat it, or use its short form. */
function compareOption(was: JsonObject, is: JsonObject, place: string): Change[] {
  const shown = (value: unknown) => (value === undefined ? "none" : stable(value));
  return [
    ...changeIf(was.value !== is.value, "major", place, `its value ${shown(was.value)} is now ${shown(is.value)}`),
    ...changeIf(
      !isEqual(was.default, is.default),
      "major",
      place,
      `its default ${shown(was.default)} is now ${shown(is.default)}`,
    ),
    ...changeIf(
      was.short !== is.short,
      was.short === undefined ? "minor" : "major",
      place,
      `its short form ${shown(was.short)} is now ${shown(is.short)}`,
    ),
    ...changeIf(
      was.repeatable !== is.repeatable,
      is.repeatable === true ? "minor" : "major",
      place,
      is.repeatable === true ? "may now be repeated" : "may no longer be repeated",
    ),
  ];
}
