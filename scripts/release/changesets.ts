// Reads and writes the pending changesets.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Bump, bumps } from "./change.ts";
import { isObject, objectIn } from "./json.ts";

export interface Changeset {
  /** The file name without `.md`. */
  readonly id: string;
  readonly bumps: ReadonlyMap<string, Bump>;
  /** The text for the changelog. */
  readonly note: string;
}

const isBump = (value: unknown): value is Bump => bumps.some((bump) => bump === value);

/** A problem that stops the gate, such as a file that cannot be read. The message is shown without a stack. */
export class GateError extends Error {
  override readonly name = "GateError";
}

/** Parses a changeset. @throws {GateError} if the text is invalid */
export function parseChangeset(id: string, text: string): Changeset {
  const path = `.changeset/${id}.md`;
  const [, head, note] = /^---\n([\s\S]*?)\n?---\n([\s\S]*)$/.exec(text.replaceAll("\r\n", "\n")) ?? [];
  if (head === undefined)
    throw new GateError(
      `${path} does not begin with a header. Start it with ---, the packages and their bumps, and --- again.`,
    );
  const header = readable(path, () => parse(head) as unknown);
  // A header without packages is an empty changeset, which moves nothing.
  if (header !== null && !isObject(header))
    throw new GateError(`${path} has a header of another form. Write a line for each package: "NAME": BUMP.`);
  const entries = Object.entries(objectIn(header)).map(([name, bump]): [string, Bump] => {
    if (!isBump(bump)) throw new GateError(`${path} moves ${name} by ${bump}. Use one of ${bumps.join(", ")}.`);
    return [name, bump];
  });
  return { id, bumps: new Map(entries), note: (note ?? "").trim() };
}

/** @throws {GateError} names the file */
function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new GateError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Every pending changeset in a folder, sorted by name. Those that are in a prerelease already are in its folder `pre`. */
export function changesetsIn(folder: string): Changeset[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort()
    .map((name) => parseChangeset(name.slice(0, -".md".length), readFileSync(join(folder, name), "utf8")));
}

export const changesetText = (names: readonly string[], bump: Bump, note: string): string =>
  `---\n${names.map((name) => `"${name}": ${bump}\n`).join("")}---\n\n${note}\n`;

/** Writes a changeset under a free name and returns the name. */
export function writeChangeset(folder: string, wanted: string, text: string): string {
  let id = wanted;
  for (let count = 2; existsSync(join(folder, `${id}.md`)); count += 1) id = `${wanted}-${count}`;
  writeFileSync(join(folder, `${id}.md`), text);
  return id;
}
