// An index of Python packages in the place of PyPI. It has the files that releases put into a folder, and sends pip and uv to the
// usual index for other packages. It answers in a thread of its own, because the rehearsal waits for its commands.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { objectIn } from "../json.ts";

/** An index on this machine. */
export interface PythonIndex {
  /** What pip and uv take as their index. */
  readonly url: string;
  close(): Promise<void>;
}

/** The mark beside a file of a version that was yanked. */
export const yankedMark = ".yanked";

/** The index that pip uses on this machine: the configured one, or its default. */
function usualIndex(): string {
  const ask = (...options: string[]) => spawnSync("python3", options, { encoding: "utf8" }).stdout.trim();
  const own = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)";
  const url = process.env.PIP_INDEX_URL ?? (ask("-m", "pip", "config", "get", "global.index-url") || ask("-c", own));
  if (url === "")
    throw new Error("python3 has no pip, which names the index of Python packages. Install python3-venv.");
  return url.replace(/\/?$/, "/");
}

/** Serves the files of a folder, which may be made later. */
export async function startPythonIndex(folder: string): Promise<PythonIndex> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { folder, others: usualIndex() } });
  const [port] = await once(worker, "message");
  return {
    url: `http://127.0.0.1:${port}/simple/`,
    close: async () => {
      await worker.terminate();
    },
  };
}

/** The list of a package's files (PEP 503), with those that were yanked (PEP 592). */
function listOf(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => !name.endsWith(yankedMark))
    .map((name) => {
      const digest = createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex");
      const yanked = names.includes(`${name}${yankedMark}`) ? ' data-yanked=""' : "";
      return `<a href="/files/${name}#sha256=${digest}"${yanked}>${name}</a>`;
    })
    .join("\n");
}

function serve(folder: string, others: string): void {
  const server = createServer(({ url = "" }, response) => {
    // A later rehearsal may have the same port and another file of this name.
    response.setHeader("cache-control", "no-store");
    const [, list] = /^\/simple\/([\w.-]+)\/?$/.exec(url) ?? [];
    const [, file] = /^\/files\/([\w.+-]+)$/.exec(url) ?? [];
    if (list === "call-transfer") response.setHeader("content-type", "text/html").end(listOf(folder));
    else if (list !== undefined) response.writeHead(302, { location: `${others}${list}/` }).end();
    else if (file !== undefined && existsSync(join(folder, file))) response.end(readFileSync(join(folder, file)));
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    parentPort?.postMessage(typeof address === "object" ? address?.port : undefined);
  });
}

if (!isMainThread) {
  const { folder, others } = objectIn(workerData);
  serve(String(folder), String(others));
}
