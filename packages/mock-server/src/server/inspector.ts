import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { program } from "../net/urls.ts";
import { inspectorPage, type PageAnswer, type PageRequest } from "../web/inspector-page.ts";

const advice = "In a clone of the repository, run npm run build. Otherwise install @call-transfer/mock-server again.";

/** Answers a request for the inspector from the files of its build, which are read each time. */
export function inspectorAnswer(request: PageRequest, folder: () => string = builtInspector): Promise<PageAnswer> {
  return inspectorPage(request, { read: (name) => read(folder, name), advice, program });
}

/** Where the package keeps the build, for its sources and for every file of its own build. */
function builtInspector(): string {
  const description = createRequire(import.meta.url).resolve("@call-transfer/mock-server/package.json");
  return join(dirname(description), "dist/inspector");
}

/** Reads a file; undefined if there is none. */
async function read(folder: () => string, name: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(join(folder(), name));
  } catch {
    return undefined;
  }
}
