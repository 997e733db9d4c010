// The files for download. As a program, `npm run site -- collections`, it writes them into reports/collections or another folder.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "../build/markdown.ts";
import { brunoCollection, postmanCollection } from "./collection-formats.ts";
import { collection } from "./collections.ts";
import { filesOfStart, starts } from "./starts.ts";
import { tarGz } from "./tar.ts";

const names = { postman: "call-transfer.postman_collection.json", bruno: "call-transfer.bruno.json" };

const archiveOf = (start: string): string => `${start}.tar.gz`;

/** Writes the folders of docs/start as archives into a folder. */
export function writeStartArchives(folder: string): void {
  for (const start of starts) writeFileSync(join(folder, archiveOf(start)), tarGz(filesOfStart(start)));
}

/** Writes the collections into a folder, and returns their names. */
export async function writeDownloads(folder: string): Promise<string[]> {
  const requests = await collection();
  const files = { [names.postman]: postmanCollection(requests), [names.bruno]: brunoCollection(requests) };
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), `${JSON.stringify(content, undefined, 2)}\n`);
  return Object.keys(files);
}

/** The page with the links to the files. */
export const downloadsPage: Page = {
  path: "downloads/index.md",
  text: `# Downloads

Files that are made from the contract, together with this site.

| File | What it is |
|---|---|
| [${names.postman}](./${names.postman}) | The requests of the API and of the mock server's control plane, for [Postman](../collections.md#postman) |
| [${names.bruno}](./${names.bruno}) | The same requests, for [Bruno](../collections.md#bruno) |
${starts.map((start) => `| [${archiveOf(start)}](./${archiveOf(start)}) | The folder of [a start](../start/${start}.md), for \`tar -xz\` and \`npm install\` |`).join("\n")}
`,
};

if (import.meta.main) {
  const folder = process.argv[2] ?? "reports/collections";
  for (const name of await writeDownloads(folder)) console.log(`wrote ${join(folder, name)}`);
}
