// Reads what objects have stored from their files, without a request that would wake them.
import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** How often a file is read that the runtime is just writing or deleting. */
const attempts = 3000;

/** The parsed rows of one table of a sandbox's state; empty if no file holds the sandbox. */
export async function storedRows<Value>(folder: string, sandbox: string, table: string): Promise<Value[]> {
  for (const file of globSync("**/*.sqlite", { cwd: folder })) {
    const rows = await readWhenQuiet(join(folder, file), sandbox, table);
    if (rows !== undefined) return rows.map((text) => JSON.parse(text) as Value);
  }
  return [];
}

/** The texts of a table; undefined if the file holds another sandbox or none. */
async function readWhenQuiet(path: string, sandbox: string, table: string): Promise<string[] | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return readTexts(path, sandbox, table);
    } catch (error) {
      if (attempt === attempts) throw error;
      await sleep(20);
    }
  }
}

function readTexts(path: string, sandbox: string, table: string): string[] | undefined {
  using database = new DatabaseSync(path, { readOnly: true });
  const texts = (query: string, value: string) =>
    database
      .prepare(query)
      .all(value)
      .map(({ text }) => String(text));
  const tables = texts("select name as text from sqlite_master where type = ?", "table");
  if (!(tables.includes("object") && tables.includes("sandbox"))) return undefined;
  if (texts("select text from object where key = ?", "name")[0] !== JSON.stringify(sandbox)) return undefined;
  return texts("select text from sandbox where owner = ? order by place, part", table);
}
