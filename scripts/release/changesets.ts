// The pending changesets: what the next release says it changes, and how far it means to move each package.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Bump, bumps } from "./change.ts";
import { listIn, objectIn, textsIn } from "./json.ts";

export interface Changeset {
  /** The name of its file, without the ending. */
  readonly id: string;
  readonly bumps: ReadonlyMap<string, Bump>;
  /** What users are told. */
  readonly note: string;
}

const isBump = (value: unknown): value is Bump => bumps.some((bump) => bump === value);

/** What keeps the gate from its work, such as a file that cannot be read. Its message says what is wrong. */
export class GateError extends Error {
  override readonly name = "GateError";
}

/** Reads the text of one changeset. @throws {GateError} where it is none. */
export function parseChangeset(id: string, text: string): Changeset {
  const path = `.changeset/${id}.md`;
  const [, head, note] = /^---\n([\s\S]*?)\n?---\n([\s\S]*)$/.exec(text.replaceAll("\r\n", "\n")) ?? [];
  if (head === undefined) throw new GateError(`${path} does not begin with ---, the packages it moves, and --- again.`);
  const entries = Object.entries(objectIn(readable(path, () => parse(head) as unknown))).map(
    ([name, bump]): [string, Bump] => {
      if (!isBump(bump))
        throw new GateError(`${path} moves ${name} by ${bump}, which is not one of ${bumps.join(", ")}.`);
      return [name, bump];
    },
  );
  return { id, bumps: new Map(entries), note: (note ?? "").trim() };
}

/** Reads a file, or throws GateError that names it. */
function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new GateError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Every pending changeset of a folder, in order of name. */
export function changesetsIn(folder: string): Changeset[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort()
    .map((name) => parseChangeset(name.slice(0, -".md".length), readFileSync(join(folder, name), "utf8")));
}

/** The groups of packages that always carry one version. */
export function fixedGroupsIn(folder: string): string[][] {
  const text = readFileSync(join(folder, "config.json"), "utf8");
  const config = readable(".changeset/config.json", () => JSON.parse(text) as unknown);
  return listIn(objectIn(config).fixed).map(textsIn);
}

/** The text of a changeset that moves some packages. */
export const changesetText = (names: readonly string[], bump: Bump, note: string): string =>
  `---\n${names.map((name) => `"${name}": ${bump}\n`).join("")}---\n\n${note}\n`;

/** Writes a changeset under a name that is free, and answers that name. */
export function writeChangeset(folder: string, wanted: string, text: string): string {
  let id = wanted;
  for (let count = 2; existsSync(join(folder, `${id}.md`)); count += 1) id = `${wanted}-${count}`;
  writeFileSync(join(folder, `${id}.md`), text);
  return id;
}
