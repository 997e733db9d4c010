// Packs packages/python, twice, and installs the wheel into an empty environment, in which the programs of its README run against
// a mock server.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { demo } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import { temporaryFolder } from "../../scripts/packed.ts";
import { buildPython } from "../../scripts/release/pack.ts";
import { blocksIn } from "../pages/blocks.ts";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "packages", "python");

async function run(
  program: string,
  options: readonly string[],
  cwd: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<string> {
  try {
    const { stdout } = await execute(program, options, {
      cwd,
      env: { ...process.env, ...variables },
      maxBuffer: 1 << 26,
    });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${basename(program)} ${options.join(" ")} failed:\n${stdout}${stderr}`);
  }
}

const digestOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/** The programs of the README by the name in their first line. */
function programs(): Map<string, string> {
  const blocks = blocksIn("packages/python/README.md", readFileSync(join(folder, "README.md"), "utf8"));
  return new Map(
    blocks.flatMap(({ language, text }) => {
      const name = /^# (\w+\.py)\n/.exec(text)?.[1];
      return language === "python" && name ? [[name, text] as const] : [];
    }),
  );
}

/** The packages that the client needs, from the environment of the checks: its versions are pinned. */
const pinned =
  "anyio annotated-types certifi h11 httpcore2 httpx2 idna pydantic pydantic-core truststore typing-extensions typing-inspection";

export async function checkPackage(): Promise<void> {
  using temporary = temporaryFolder("python-package");
  const at = (...path: string[]) => join(temporary.path, ...path);
  mkdirSync(at("program"));
  const [files = [], again = []] = ["one", "two"].map((name) =>
    buildPython(root, at(name)).map((file) => at(name, file)),
  );
  for (const [index, file] of files.entries())
    if (digestOf(file) !== digestOf(again[index] ?? ""))
      throw new Error(`${basename(file)} differs from build to build.`);

  await run("python3", ["-m", "venv", at("environment")], temporary.path);
  const installed = join(at("environment"), "bin", "python");
  const requirements = readFileSync(join(folder, "requirements.txt"), "utf8")
    .split(/\n(?=\S)/)
    .filter((entry) => pinned.split(" ").some((name) => entry.startsWith(`${name}==`)))
    .join("\n");
  writeFileSync(at("requirements.txt"), `${requirements}\n`);
  const quiet = ["--quiet", "--disable-pip-version-check", "--no-compile"];
  await run(
    installed,
    ["-m", "pip", "install", ...quiet, "--require-hashes", "--no-deps", "-r", at("requirements.txt")],
    temporary.path,
  );
  const wheel = files.find((file) => file.endsWith(".whl")) ?? "";
  await run(installed, ["-m", "pip", "install", ...quiet, "--no-deps", wheel], temporary.path);
  await run(installed, ["-m", "pip", "check"], temporary.path);
  const readme = await run(
    installed,
    ["-c", "from importlib.metadata import metadata; print(metadata('call-transfer').get_payload())"],
    temporary.path,
  );
  if (!readme.includes("pip install call-transfer") || readme.includes("PyPI yet"))
    throw new Error("The README of the package lacks how to install it, or says that it is not on PyPI yet.");

  const server = await startMockServer({ port: 0 });
  try {
    const variables = {
      CALL_TRANSFER_BASE_URL: server.url,
      CALL_TRANSFER_API_KEY: demo.apiKey,
      FLOW_ID: demo.flows.published,
      PYTHONPATH: "",
    };
    const printed: string[] = [];
    for (const [name, text] of programs()) {
      writeFileSync(at("program", name), text);
      const output = await run(installed, ["-W", "error", name], at("program"), variables);
      if (output.trim() === "") throw new Error(`${name} of the README printed nothing.`);
      printed.push(`${name}: ${output.trim().split("\n")[0]}`);
    }
    if (printed[0] !== "place_a_call.py: initiated")
      throw new Error(`place_a_call.py of the README printed ${printed[0]}.`);
    console.log(`${files.map((file) => basename(file)).join(" and ")}, the same in two builds; ${printed.join(", ")}`);
  } finally {
    await server.close();
  }
  const shipped = globSync(at("environment", "lib", "*", "site-packages", "call_transfer", "**", "*"));
  if (!shipped.some((path) => path.endsWith("py.typed"))) throw new Error("The wheel has no py.typed.");
}
