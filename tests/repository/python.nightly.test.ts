import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { run, temporaryFolder } from "../../scripts/packed.ts";
import { ensureEnvironment, missingPython } from "../../scripts/python.ts";

const caches = fileURLToPath(new URL("../../.cache", import.meta.url));
const isMissing = missingPython() !== undefined;

it.skipIf(isMissing)("an environment has its own pip where that of the interpreter cannot install into it", () => {
  using folder = temporaryFolder("python");
  const name = `python-test-${crypto.randomUUID()}`;
  onTestFinished(() => rmSync(join(caches, name), { recursive: true, force: true }));
  // As pip before 22.3, which Ubuntu 22.04 has.
  const program = join(folder.path, "python");
  const refusal = `"-m pip --python "*) echo "no such option: --python" >&2; exit 2 ;;`;
  writeFileSync(program, `#!/bin/sh\ncase "$*" in\n${refusal}\nesac\nexec python3 "$@"\n`);
  chmodSync(program, 0o755);
  const requirements = join(folder.path, "requirements.txt");
  writeFileSync(requirements, "# Nothing, so that pip needs no index.\n");
  const commands = ensureEnvironment(name, requirements, program);
  expect(run(folder.path, join(commands, "python"), "-m", "pip", "--version")).toContain(join(caches, name));
});
