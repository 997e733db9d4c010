// What every kind of release uses: the registry, the repository, the workflow and the customers.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { run, runWith } from "../../packed.ts";
import { parseRecord, recordFile } from "../baseline.ts";
import type { Bump } from "../change.ts";
import { packagesIn } from "../compare/surface.ts";
import { objectIn } from "../json.ts";
import { pythonPackage } from "../python-package.ts";
import { Customer, type ManagerName, managerNames } from "./customer.ts";
import { PythonCustomer, type PythonManagerName, pythonManagerNames } from "./python-customer.ts";
import { type PythonIndex, startPythonIndex, yankedMark } from "./python-index.ts";
import { type Published, type Rehearsed, startVerdaccio } from "./registry.ts";
import { Repository } from "./repository.ts";
import { installUv, killedAfterPublishing } from "./stand-ins.ts";
import { Workflow, type WorkflowRun } from "./workflow.ts";

/** Settings of package managers in the environment would win over those that the rehearsal makes. */
const withoutSettings = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:npm_|yarn_|bun_|pnpm_|uv_|virtual_env$)/i.test(name)),
  );

/** A rehearsal in a temporary folder. */
export class Rehearsal {
  readonly registry: Rehearsed;
  readonly repository: Repository;
  /** The public packages. */
  readonly names: readonly string[];
  /** The package managers of customers. */
  readonly managers: readonly ManagerName[] = managerNames;
  readonly pythonManagers: readonly PythonManagerName[] = pythonManagerNames;
  readonly #folder: string;
  readonly #root: string;
  readonly #index: PythonIndex;
  readonly #workflow: Workflow;
  readonly #publisher: NodeJS.ProcessEnv;
  readonly #customer: NodeJS.ProcessEnv;

  private constructor(folder: string, root: string, registry: Rehearsed, index: PythonIndex) {
    this.#folder = folder;
    this.#root = root;
    this.registry = registry;
    this.#index = index;
    const commit = run(root, "git", "rev-parse", "HEAD").trim();
    this.repository = new Repository(folder, root, commit);
    const packages = packagesIn(join(this.repository.clone, "packages"));
    this.names = packages.flatMap(({ name, isPrivate }) => (isPrivate ? [] : [name]));
    const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
    const shared = { ...withoutSettings(process.env), PATH: path, NPM_CONFIG_CACHE: join(folder, "npm-cache") };
    this.#publisher = { ...shared, NPM_CONFIG_USERCONFIG: registry.publisher };
    const { url } = registry;
    this.#customer = {
      ...shared,
      NPM_CONFIG_USERCONFIG: registry.customer,
      NPM_CONFIG_REGISTRY: url,
      YARN_CACHE_FOLDER: join(folder, "yarn-cache"),
      YARN_GLOBAL_FOLDER: join(folder, "yarn-global"),
      YARN_NPM_REGISTRY_SERVER: url,
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
      BUN_CONFIG_REGISTRY: url,
      BUN_INSTALL_CACHE_DIR: join(folder, "bun-cache"),
      DENO_DIR: join(folder, "deno-cache"),
      PIP_INDEX_URL: index.url,
      PIP_EXTRA_INDEX_URL: "",
      PIP_FIND_LINKS: "",
      PIP_DISABLE_PIP_VERSION_CHECK: "1",
      UV_DEFAULT_INDEX: index.url,
      UV_CACHE_DIR: join(folder, "uv-cache"),
      UV_PYTHON_DOWNLOADS: "never",
    };
    this.#workflow = new Workflow(folder, this.repository, this.#publisher, {
      "npm ci": () => undefined,
      ".ci/run": () => this.build(),
      "Install uv, which needs no other package": installUv,
    });
  }

  static async start(folder: string, root: string): Promise<Rehearsal> {
    mkdirSync(join(folder, "registry"));
    const registry = await startVerdaccio(join(folder, "registry"));
    let index: PythonIndex | undefined;
    try {
      index = await startPythonIndex(join(folder, "pypi"));
      return new Rehearsal(folder, root, registry, index);
    } catch (error) {
      await index?.close();
      await registry.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#index.close();
    await this.registry.close();
  }

  /** Runs a command in the clone, with the right to publish. Returns what it printed. */
  command(...words: readonly string[]): string {
    const [program = "", ...options] = words;
    return runWith(this.#publisher, this.repository.clone, program, ...options);
  }

  /**
   * Builds the clone, with the types of this workspace, because they take most of a build: only where the SDK's name its version,
   * or the clone changed them, do they differ.
   */
  build(): void {
    const { clone } = this.repository;
    run(clone, "npm", "run", "build", "--", "--no-dts");
    run(this.#root, "npm", "run", "build");
    for (const file of globSync("packages/*/dist/**/*.d.{ts,cts}", { cwd: this.#root }))
      cpSync(join(this.#root, file), join(clone, file));
  }

  /** Whether the workspace has never been released, so that its changesets make the first versions. */
  isUnreleased(): boolean {
    this.repository.checkOut("main");
    return parseRecord(readFileSync(join(this.repository.clone, recordFile), "utf8")).bootstrap !== undefined;
  }

  /** Records a release with the versions that every rehearsal begins with, whatever the workspace has by now. */
  beginWith(versions: Readonly<Record<string, string>>, python: string): void {
    const all: Readonly<Record<string, string>> = { ...versions, [pythonPackage]: python };
    this.repository.change("main", () => {
      this.repository.forgetReleases();
      for (const folder of ["inspector", ...Object.keys(all).map((name) => name.split("/")[1] ?? "")])
        this.repository.editManifest(`packages/${folder}/package.json`, (manifest) => withVersions(manifest, all));
      this.command("node", "scripts/generate.ts");
      this.command("node", "--conditions=@call-transfer/source", "scripts/release/gate.ts", "--record");
    });
  }

  /** What a push to a branch starts. */
  push(branch: string): WorkflowRun {
    return this.#workflow.run(branch);
  }

  /** The same, but the process that publishes is killed once it has published so many packages. @throws {StepError} */
  pushKilled(branch: string, packages: number): WorkflowRun {
    return killedAfterPublishing(this.#folder, packages, () => this.push(branch));
  }

  /** From pending changesets on a branch to published packages: the pull request, its merge, and what that starts. */
  release(branch: string): WorkflowRun {
    this.propose(branch);
    return this.push(branch);
  }

  /** The pull request with the next versions, and its merge. */
  propose(branch: string): void {
    const { jobs } = this.push(branch);
    if (!jobs.includes("propose")) throw new Error(`The workflow proposed no versions. It ran ${jobs.join(", ")}.`);
    this.repository.mergeRelease(branch);
  }

  /** Merges a change of the sources of packages, with its changeset. */
  fix(branch: string, names: readonly string[], bump: Bump): void {
    this.repository.change(branch, () => {
      for (const name of names)
        if (name === pythonPackage)
          this.repository.append("packages/python/src/call_transfer/__init__.py", "# It is right now.");
        else
          this.repository.append(`${name.replace("@call-transfer", "packages")}/src/index.ts`, "// It is right now.");
      this.repository.changeset(names, bump, "Does what the rehearsal of a release needs.");
    });
  }

  /** Merges a change of the contract, with everything that is generated and with the changesets that the gate drafts. */
  changeContract(branch: string, path: string, [from, to]: readonly [string, string]): void {
    this.repository.change(branch, () => {
      this.repository.edit(path, from, to);
      this.command("node", "scripts/generate.ts");
      this.command("npm", "run", "release", "--", "check", "--write");
    });
  }

  /** The versions that a branch records. */
  recorded(branch: string): Readonly<Record<string, string>> {
    this.repository.checkOut(branch);
    return parseRecord(readFileSync(join(this.repository.clone, recordFile), "utf8")).versions;
  }

  published(name: string): Promise<Published> {
    return this.registry.published(name);
  }

  /** The versions of the Python client that were published. */
  publishedPython(): string[] {
    const folder = join(this.#folder, "pypi");
    const files = existsSync(folder) ? readdirSync(folder) : [];
    return files.flatMap((file) => /^call_transfer-(.+)\.tar\.gz$/.exec(file)?.[1] ?? []).sort();
  }

  /** Yanks a version of the Python client, as its maintainers do on the project's page. */
  yankPython(version: string): void {
    const folder = join(this.#folder, "pypi");
    for (const file of readdirSync(folder))
      if (file.startsWith(`call_transfer-${version}`)) writeFileSync(join(folder, `${file}${yankedMark}`), "");
  }

  /** Runs the install commands that pages print, and prints what each did. Returns whether all worked. */
  printedInstallsWork(): boolean {
    const options = ["tests/pages/run-installs.ts", this.repository.clone];
    const settings = { cwd: this.#root, env: this.#customer, stdio: "inherit" } as const;
    return spawnSync(process.execPath, options, settings).status === 0;
  }

  customer(name: string, manager: ManagerName): Customer {
    return new Customer(join(this.#folder, "customers", name), manager, this.#customer);
  }

  /** A project in a folder of one that npm manages: npx finds the mock server there. */
  pythonCustomer(name: string, manager: PythonManagerName): PythonCustomer {
    return new PythonCustomer(join(this.#folder, "customers/npm", name), manager, this.#customer);
  }
}

/** A package.json with other versions of our packages: its own, and those that it depends on. */
function withVersions(manifest: Record<string, unknown>, versions: Readonly<Record<string, string>>) {
  const name = String(manifest.name);
  const ranges = (dependencies: unknown) =>
    Object.fromEntries(
      Object.entries(objectIn(dependencies)).map(([each, range]) => [
        each,
        each in versions ? `~${versions[each]}` : range,
      ]),
    );
  return {
    ...manifest,
    ...(name in versions && { version: versions[name] }),
    ...(manifest.dependencies !== undefined && { dependencies: ranges(manifest.dependencies) }),
  };
}
