// A customer's project in Python: a program and a test with the client's fixture for pytest, installed by pip or by uv.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runWith } from "../../packed.ts";
import { ensureUv } from "../../python.ts";
import { pythonClient } from "../python-package.ts";
import type { Project } from "./customer.ts";

export type PythonManagerName = "pip" | "uv";
export const pythonManagerNames: readonly PythonManagerName[] = ["pip", "uv"];

const files: Readonly<Record<string, string>> = {
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

/** What each manager reads. Both ranges end before the next major. */
const ownFiles: Readonly<Record<PythonManagerName, readonly [name: string, text: string]>> = {
  pip: ["requirements.txt", `${pythonClient}~=1.0\npytest\n`],
  uv: [
    "pyproject.toml",
    `[project]\nname = "customer"\nversion = "1.0.0"\nrequires-python = ">=3.11"\ndependencies = ["${pythonClient}>=1,<2", "pytest"]\n`,
  ],
};

/** A project in a new folder. Its mock server is that of the folder above, which npm updates. */
export class PythonCustomer implements Project {
  readonly manager: PythonManagerName;
  readonly named = [pythonClient];
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #python: string;

  constructor(folder: string, manager: PythonManagerName, environment: NodeJS.ProcessEnv) {
    this.manager = manager;
    this.#folder = folder;
    this.#environment = environment;
    this.#python = join(folder, ".venv/bin/python");
    mkdirSync(folder, { recursive: true });
    const [name, text] = ownFiles[manager];
    for (const [path, content] of Object.entries({ ...files, [name]: text }))
      writeFileSync(join(folder, path), content);
  }

  add(): void {
    if (this.manager === "pip") this.#run("python3", "-m", "venv", ".venv");
    this.#install();
  }

  update(): void {
    this.#install("--upgrade");
  }

  check(): void {
    this.#run(this.#python, "-m", "pytest", "-q", "-p", "no:cacheprovider");
  }

  version(name: string): string {
    const program = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))";
    return this.#run(this.#python, "-c", program, name).trim();
  }

  #install(...options: readonly string[]): void {
    if (this.manager === "uv") this.#run(join(ensureUv(), "uv"), "sync", ...options);
    else this.#run(this.#python, "-m", "pip", "install", "--quiet", ...options, "-r", "requirements.txt");
  }

  #run(program: string, ...options: readonly string[]): string {
    return runWith(this.#environment, this.#folder, program, ...options);
  }
}
