// What every kind of release uses: the registry, the repository, the workflow and the customers.
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { isLong } from "../../long.ts";
import { run, runWith } from "../../packed.ts";
import { parseRecord, recordFile } from "../baseline.ts";
import { buildClone } from "../build-clone.ts";
import type { Bump } from "../change.ts";
import { packagesIn } from "../compare/surface.ts";
import { objectIn } from "../json.ts";
import { pythonPackage } from "../python-package.ts";
import { Customer, type ManagerName, managerNames } from "./customer.ts";
import { type Published, type Rehearsed, startVerdaccio } from "./registry.ts";
import { Repository } from "./repository.ts";
import { installUv, Workflow, type WorkflowRun } from "./workflow.ts";

/** Settings of npm in the environment would win over the files of settings that the rehearsal writes. */
const withoutNpm = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(?:npm_|yarn_|bun_|pnpm_)/i.test(name)));

/** A rehearsal in a temporary folder. */
export class Rehearsal {
  readonly registry: Rehearsed;
  readonly repository: Repository;
  /** The public packages. */
  readonly names: readonly string[];
  /** The package managers of customers. */
  readonly managers: readonly ManagerName[] = isLong ? managerNames : managerNames.slice(0, 1);
  readonly #folder: string;
  readonly #workflow: Workflow;
  readonly #publisher: NodeJS.ProcessEnv;
  readonly #customer: NodeJS.ProcessEnv;

  private constructor(folder: string, root: string, registry: Rehearsed) {
    this.#folder = folder;
    this.registry = registry;
    const commit = run(root, "git", "rev-parse", "HEAD").trim();
    this.repository = new Repository(folder, root, commit);
    const packages = packagesIn(join(this.repository.clone, "packages"));
    this.names = packages.flatMap(({ name, isPrivate }) => (isPrivate ? [] : [name]));
    const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
    const shared = { ...withoutNpm(process.env), PATH: path, NPM_CONFIG_CACHE: join(folder, "npm-cache") };
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
    try {
      return new Rehearsal(folder, root, registry);
    } catch (error) {
      await registry.close();
      throw error;
    }
  }

  /** Runs a command in the clone, with the right to publish. Returns what it printed. */
  command(...words: readonly string[]): string {
    const [program = "", ...options] = words;
    return runWith(this.#publisher, this.repository.clone, program, ...options);
  }

  build(): void {
    buildClone(this.repository.clone);
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

  customer(name: string, manager: ManagerName): Customer {
    return new Customer(join(this.#folder, "customers", name), manager, this.#customer);
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
