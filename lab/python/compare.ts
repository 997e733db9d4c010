// The Python client beside other SDKs, one table, which it writes into docs/python.md. openapi-python-client writes its client first.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, temporaryFolder } from "../../scripts/packed.ts";
import { ensureEnvironment } from "../../scripts/python.ts";
import { mypyReport, seenRightly, tasksIn } from "./types.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const commands = ensureEnvironment("python-peers", at("requirements.txt"));
using folder = temporaryFolder("python-peers");
copyFileSync(at("../../packages/spec/openapi.json"), join(folder.path, "openapi.json"));
process.env.PATH = `${commands}:${process.env.PATH}`;
const config = at("../../tests/generators/openapi-python-client/config.yml");
run(folder.path, "openapi-python-client", "generate", "--path", "openapi.json", "--config", config, "--meta", "none");
const python = join(commands, "python");

/** The programs of the five tasks, by the client that the table names. */
const programs: Readonly<Record<string, string>> = {
  "call-transfer": "call_transfer_tasks.py",
  openai: "openai_tasks.py",
  anthropic: "anthropic_tasks.py",
  stripe: "stripe_tasks.py",
  "openapi-python-client": "generated_tasks.py",
};

/** Returns the row of how many of the five tasks mypy sees rightly, and which of them it does not. */
function typeRow(clients: readonly string[]): string[] {
  const own = ensureEnvironment("python", at("../../packages/python/requirements.txt"));
  const files = clients.map((client) => at(`tasks/${programs[client]}`));
  const strict = ["--strict", "--no-error-summary", `--cache-dir=${at("../../.cache/mypy-peers")}`];
  const reported = mypyReport([join(own, "mypy"), ...strict, "--python-executable", python, ...files], {
    MYPYPATH: [at("../../packages/python/src"), folder.path].join(delimiter),
  });
  const texts = files.map((file) => readFileSync(file, "utf8"));
  const tasks = tasksIn(texts[0] ?? "").map(({ name }) => name);
  const cells = files.map((file, index) => {
    const lines = reported.get(basename(file));
    if (lines === undefined) throw new Error(`mypy reports nothing in ${basename(file)}.`);
    const right = seenRightly(texts[index] ?? "", lines);
    const missed = tasks.filter((name) => !right.includes(name));
    return `${right.length} of ${tasks.length}${missed.length > 0 ? `; not ${missed.join(", ")}` : ""}`;
  });
  return ["Types: tasks seen rightly by `mypy --strict`", ...cells];
}

const sources = [at("../../packages/python/src"), at("../../packages/python/tests"), at(".")].join(":");
const environment = { ...process.env, PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "" };
const { status, stdout } = spawnSync(python, [at("compare.py"), folder.path], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
  env: environment,
});
if (status !== 0) process.exit(status ?? 1);
const printed = stdout.split("\n").filter((line) => line.startsWith("| "));
const byClient = printed.map((line) => line.slice(2, -2).split(" | "));
// A client a column: pages are narrow.
const [head = [], ...rows] = (byClient[0] ?? []).map((_, column) => byClient.map((cells) => cells[column] ?? ""));
const all = [["", ...head.slice(1).map((name) => `\`${name}\``)], ...rows, typeRow(head.slice(1))];
const table = all.map((cells) => `| ${cells.join(" | ")} |`);
table.splice(1, 0, `|${"---|".repeat(head.length)}`);
console.log(`${table.join("\n")}\n${stdout.slice(stdout.indexOf("\n\n"))}`);
const page = at("../../docs/python.md");
const between =
  /(?<=<!-- comparison, written by `npm run lab -- python` -->\n\n)[\s\S]*?(?=\n\n<!-- end of comparison -->)/;
// The page has the figures alone.
const short = table.map((line) => line.replaceAll(/(?: \([^|)]*\)|; not [^|]*?)(?= \|)/g, ""));
writeFileSync(
  page,
  readFileSync(page, "utf8").replace(between, () => short.join("\n")),
);
