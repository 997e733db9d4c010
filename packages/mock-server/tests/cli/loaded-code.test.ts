// What the ways into the command load. Tests start it hundreds of times, so it must not load what it does not run.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { commandFile } from "../../../../build/command-file.ts";

const cli = commandFile();
const printLoadedFiles = `
  import { registerHooks } from "node:module";
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  const builtins = () => process.moduleLoadList.map((name) => name.replace(/^NativeModule /, "node:"));
  process.on("exit", () => console.error([...urls, ...builtins()].join("\\n")));
`;

/**
 * What a command line loads: modules of Node, such as `node:fs`, and the sources in the files of the command, of which the
 * bundler writes the path above the code.
 */
async function loadedBy(args: readonly string[]): Promise<string[]> {
  const preload = `data:text/javascript,${encodeURIComponent(printLoadedFiles)}`;
  const errors = await new Promise<string>((resolve) => {
    execFile(process.execPath, ["--import", preload, cli, ...args], (_, _output, stderr) => resolve(stderr));
  });
  const files = errors.match(/^file:.+$/gm) ?? [];
  const sources = files.flatMap(
    (url) => readFileSync(fileURLToPath(url), "utf8").match(/(?<=^\/\/ )\S+\.(?:ts|m?js)$/gm) ?? [],
  );
  return [...sources, ...(errors.match(/^node:\w+$/gm) ?? [])];
}

const isOfServer = (source: string): boolean =>
  /^node_modules\/(?:zod|yaml|@noble)\//.test(source) ||
  /^packages\/(?:backend\/src\/(?!control-client[.]|utils\/(?:documented-operations|text|values)[.])|spec\/src\/schemas)/.test(
    source,
  ) ||
  /^packages\/mock-server\/src\/(?:server\/|attack\/|cli\/(?:start|ready))/.test(source);
const isOfNetwork = (source: string): boolean => /^node:(?:https?|tls|crypto)$/.test(source);

it.each([
  ["help", ["--help"]],
  ["the help of a command", ["clock", "--help"]],
  ["an unknown command", ["clok"]],
  ["an unknown option of the server", ["--prot", "4010"]],
])("%s loads no backend, no server and no schemas", async (_, args) => {
  const loaded = await loadedBy(args);
  expect(loaded).toContain("packages/mock-server/src/cli/program.ts");
  expect(loaded.filter((source) => isOfServer(source) || isOfNetwork(source))).toEqual([]);
});

it("a command for a running server loads no backend, no server and no schemas", async () => {
  const loaded = await loadedBy(["clock", "--url", "http://127.0.0.1:1"]);
  expect(loaded).toContain("packages/mock-server/src/cli/clock.ts");
  expect(loaded.filter(isOfServer)).toEqual([]);
});

it("the version loads no commands either", async () => {
  const loaded = await loadedBy(["--version"]);
  expect(loaded).toContain("packages/mock-server/src/cli.ts");
  expect(
    loaded.filter((source) => isOfServer(source) || isOfNetwork(source) || source.endsWith("cli/program.ts")),
  ).toEqual([]);
});
