// Customers' projects: one that npm and one that pnpm manages, which calls every operation of the mock server; and one in Python with the client's
// fixture for pytest, which pip manages.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runWith, tools } from "../../packed.ts";
import { runEveryOperation, withPackedServer } from "../../packed-server.ts";
import { objectIn } from "../json.ts";
import { pythonClient, pythonPackage } from "../versions.ts";

/** A project of a customer. */
export interface Customer {
  readonly name: string;
  /** Installs what pages name, without a version. */
  add(): unknown;
  /** Takes what its ranges allow now. */
  update(): unknown;
  /** Runs its program or test. @throws {Error} if that fails */
  check(): unknown;
  /** The installed versions by package. */
  versions(): Readonly<Record<string, string>>;
}

const manifest = {
  "package.json": JSON.stringify({ name: "customer", version: "1.0.0", private: true, type: "module" }),
};

function write(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** A project in a new folder, whose packages npm or pnpm manages. */
export function nodeCustomer(folder: string, manager: "npm" | "pnpm", env: NodeJS.ProcessEnv): Customer {
  const named = ["@call-transfer/sdk", "@call-transfer/mock-server"];
  const command = manager === "npm" ? ["npm"] : [process.execPath, join(tools, "node_modules/pnpm/bin/pnpm.cjs")];
  const [program = "", ...first] = command;
  const manage = (...options: readonly string[]): string => runWith(env, folder, program, ...first, ...options);
  write(folder, manifest);
  return {
    name: manager,
    add: () => manage(manager === "npm" ? "install" : "add", ...named),
    update: () => manage("update"),
    check: () => withPackedServer(folder, [], (ready) => runEveryOperation(folder, ready)),
    versions: () =>
      Object.fromEntries(
        named.map((name) => {
          const installed = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
          return [name, String(objectIn(JSON.parse(installed)).version)];
        }),
      ),
  };
}

const python = {
  "app.py": `from call_transfer import CallTransfer


def roles_of(client: CallTransfer) -> list[str]:
    return [role.role for role in client.roles.list().roles]
`,
  "test_app.py": `from app import roles_of
from call_transfer.testing import Sandbox


def test_the_app_lists_the_roles(call_transfer: Sandbox) -> None:
    assert roles_of(call_transfer.client())
`,
};

const requirements = `import importlib.metadata
for each in importlib.metadata.requires("${pythonClient}"):
    if "extra ==" not in each:
        print(each)
`;

/**
 * A project in a folder of one that npm manages: npx finds the mock server there.
 * @param files The folder that stands for PyPI. The client comes from there alone, and what it requires from the usual index
 */
export function pythonCustomer(folder: string, range: string, files: string, env: NodeJS.ProcessEnv): Customer {
  const venv = join(folder, ".venv/bin/python");
  const run = (...options: readonly string[]): string => runWith(env, folder, venv, ...options).trim();
  const pip = (...options: readonly string[]): string => run("-m", "pip", "install", "--quiet", ...options);
  const install = (): void => {
    pip("--upgrade", "--no-index", "--no-deps", "--find-links", files, `${pythonClient}${range}`);
    writeFileSync(join(folder, "requirements.txt"), run("-c", requirements));
    pip("-r", "requirements.txt", "pytest");
  };
  write(folder, python);
  return {
    name: "pip",
    add: () => {
      runWith(env, folder, "python3", "-m", "venv", ".venv");
      install();
    },
    update: install,
    check: () => run("-m", "pytest", "-q", "-p", "no:cacheprovider"),
    versions: () => ({
      [pythonPackage]: run("-c", `import importlib.metadata as m; print(m.version("${pythonClient}"))`),
    }),
  };
}
