// Judges .github/workflows by tools of other makers: zizmor for security, actionlint with shellcheck for mistakes. actionlint
// is built by Go. Both run offline; requirements.txt and go.sum pin them.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureEnvironment } from "../../scripts/python.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const workflows = globSync(".github/workflows/*.yml", { cwd: root }).map((path) => join(root, path));

/** Runs a tool, whose output names each finding. Returns whether it found none. */
function passes(name: string, program: string, ...options: readonly string[]): boolean {
  const { status, error, stdout, stderr } = spawnSync(program, options, { cwd: folder, encoding: "utf8" });
  const passed = status === 0;
  if (error !== undefined) console.error(`${program} does not start: ${error.message}. Install it.`);
  else if (!passed) console.error(`${stdout}${stderr}`.trim());
  console.log(`${passed ? "ok    " : "failed"}  ${name}, ${workflows.length} workflows`);
  return passed;
}

const commands = ensureEnvironment("workflows", join(folder, "requirements.txt"));
const zizmor = ["--offline", "--no-progress", "--quiet", "--color=never", join(root, ".github")];
let isGood = passes("zizmor", join(commands, "zizmor"), ...zizmor);
const actionlint = ["tool", "actionlint", `-shellcheck=${join(commands, "shellcheck")}`, "-pyflakes="];
isGood = passes("actionlint with shellcheck", "go", ...actionlint, ...workflows) && isGood;
if (!isGood) process.exitCode = 1;
