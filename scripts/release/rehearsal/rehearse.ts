// Goes through the kinds of release on a registry of this machine, with the commands that docs/releasing.md prints and the jobs of
// the release workflow. After each kind, customers update and run their tests. An option names the last kind to go through.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { diff, major, minor } from "semver";
import { ensureInstalled, run, runWith, temporaryFolder, tools } from "../../packed.ts";
import type { Bump } from "../change.ts";
import { changesetText, writeChangeset } from "../changesets.ts";
import { isEqual } from "../json.ts";
import { packInto } from "../pack.ts";
import { writePythonFiles } from "../python-files.ts";
import { recordedIn, type Versions } from "../record.ts";
import { packagesIn } from "../surface.ts";
import { pythonPackage, pythonVersion } from "../versions.ts";
import { type Customer, pythonCustomer, typedCustomer } from "./customers.ts";
import { type Registry, startVerdaccio } from "./registry.ts";
import { cloneWorkspace, forgetReleases, Repository, replaceIn } from "./repository.ts";
import { installUv, killedAfterPublishing } from "./stand-ins.ts";
import { StepError, Workflow, type WorkflowRun } from "./workflow.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url)).replace(/\/$/, "");
const [backend, mock, sdk] = ["backend", "mock-server", "sdk"].map((name) => `@call-transfer/${name}`) as [
  string,
  string,
  string,
];

/** Settings of package managers in the environment would win over those that the rehearsal makes. */
const withoutSettings = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:npm_|yarn_|bun_|pnpm_|uv_|virtual_env$)/i.test(name)),
  );

/** A folder with a registry, a repository with its workflow, and customers. */
class Rehearsal {
  readonly repository: Repository;
  readonly customers: readonly Customer[];
  readonly #folder: string;
  readonly #workflow: Workflow;
  readonly #publisher: NodeJS.ProcessEnv;
  readonly #customer: NodeJS.ProcessEnv;

  constructor(folder: string, { url, publisher, customer }: Registry) {
    this.#folder = folder;
    this.repository = new Repository(folder, root, run(root, "git", "rev-parse", "HEAD").trim());
    const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
    const shared = { ...withoutSettings(process.env), PATH: path, NPM_CONFIG_CACHE: join(folder, "npm-cache") };
    this.#publisher = { ...shared, NPM_CONFIG_USERCONFIG: publisher };
    const files = join(folder, "pypi");
    this.#customer = {
      ...shared,
      NPM_CONFIG_USERCONFIG: customer,
      NPM_CONFIG_REGISTRY: url,
      YARN_CACHE_FOLDER: join(folder, "yarn-cache"),
      YARN_GLOBAL_FOLDER: join(folder, "yarn-global"),
      YARN_NPM_REGISTRY_SERVER: url,
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      YARN_NPM_MINIMAL_AGE_GATE: "0",
      BUN_CONFIG_REGISTRY: url,
      BUN_INSTALL_CACHE_DIR: join(folder, "bun-cache"),
      DENO_DIR: join(folder, "deno-cache"),
      PIP_FIND_LINKS: files,
      PIP_DISABLE_PIP_VERSION_CHECK: "1",
      UV_FIND_LINKS: files,
      UV_CACHE_DIR: join(folder, "uv-cache"),
      UV_PYTHON_DOWNLOADS: "never",
    };
    this.#workflow = new Workflow(folder, this.repository, this.#publisher, {
      "npm ci": () => undefined,
      ".ci/run": () => this.build(this.repository.clone),
      "Install uv, which needs no other package": installUv,
    });
    const version = this.versions()[pythonPackage] ?? "";
    const at = (name: string): string => join(folder, "customers", name);
    this.customers = [
      typedCustomer(at("npm"), "npm", this.#customer),
      typedCustomer(at("pnpm"), "pnpm", this.#customer),
      pythonCustomer(at("npm/python"), `~=${major(version)}.${minor(version)}`, files, this.#customer),
    ];
  }

  /** The versions of the released packages on `main`. */
  versions(): Versions {
    this.repository.checkOut("main");
    const packages = packagesIn(join(this.repository.clone, "packages")).filter(({ isReleased }) => isReleased);
    return Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  }

  /** The versions of the Python client that were published, as Python writes them. */
  publishedPython(): string[] {
    const folder = join(this.#folder, "pypi");
    const files = existsSync(folder) ? readdirSync(folder) : [];
    return files.flatMap((file) => /^call_transfer-(.+)\.tar\.gz$/.exec(file)?.[1] ?? []).sort();
  }

  /** Runs a command in the clone, with the right to publish. */
  command(...words: readonly string[]): string {
    const [program = "", ...options] = words;
    return runWith(this.#publisher, this.repository.clone, program, ...options);
  }

  /**
   * Builds a clone, with the types of this workspace, because they take most of a build: only where the SDK's name its version, or the
   * clone changed them, do they differ.
   */
  build(clone: string): void {
    run(clone, "npm", "run", "build", "--", "--no-dts");
    run(root, "npm", "run", "build");
    for (const file of globSync("packages/*/dist/**/*.d.{ts,cts}", { cwd: root }))
      cpSync(join(root, file), join(clone, file));
  }

  /** What a push starts. */
  push(): WorkflowRun {
    return this.#workflow.run("main");
  }

  /** The same, but the process that publishes is killed once it has published so many packages. @throws {StepError} */
  pushKilled(packages: number): WorkflowRun {
    return killedAfterPublishing(this.#folder, packages, () => this.push());
  }

  /** The pull request with the next versions, and its merge. */
  propose(): void {
    const { jobs } = this.push();
    if (!jobs.includes("propose")) throw new Error(`The workflow proposed no versions. It ran ${jobs.join(", ")}.`);
    this.repository.mergeRelease();
  }

  /** Merges a change of the sources of packages, with its changeset. */
  fix(names: readonly string[], bump: Bump): void {
    const { clone } = this.repository;
    this.repository.change(() => {
      for (const name of names) {
        const python = name === pythonPackage;
        const path = `${name.replace("@call-transfer", "packages")}/src/${python ? "call_transfer/__init__.py" : "index.ts"}`;
        const text = readFileSync(join(clone, path), "utf8");
        writeFileSync(join(clone, path), `${text}${python ? "#" : "//"} It is right now.\n`);
      }
      const text = changesetText(names, bump, "Does what the rehearsal of a release needs.");
      writeChangeset(join(clone, ".changeset"), "rehearsed", text);
    });
  }

  /** Packs the released commit in another clone, under another path and umask. Returns the files that are not the same. */
  differentElsewhere(): string[] {
    const [one, two] = [this.repository.clone, join(this.#folder, "somewhere else", "two")];
    cloneWorkspace(one, two, run(one, "git", "rev-parse", "HEAD").trim(), root);
    const usual = process.umask(0o077);
    try {
      this.build(two);
      packInto(two, join(two, "packed"));
      writePythonFiles(two, join(two, "packed"));
    } finally {
      process.umask(usual);
    }
    const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
    const files = globSync("packed/{,python/}*.{tgz,whl,tar.gz}", { cwd: two });
    if (files.length === 0) return ["nothing was packed"];
    return files.filter((file) => digest(join(one, file)) !== digest(join(two, file)));
  }

  /** Runs the install commands that pages print, and prints what each did. Returns whether all worked. */
  printedInstallsWork(): boolean {
    const options = ["tests/pages/run-installs.ts", this.repository.clone];
    const settings = { cwd: root, env: this.#customer, stdio: "inherit" } as const;
    return spawnSync(process.execPath, options, settings).status === 0;
  }
}

/** A thing that is not what it must be. */
const difference = (what: string, is: unknown, must: unknown): string[] =>
  isEqual(is, must) ? [] : [`${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(must)}`];

interface Kind {
  readonly name: string;
  readonly does: string;
  /** How far the release moves packages. */
  readonly moves: Readonly<Record<string, Bump>>;
  /** Whether the registry does not have all of the release yet. */
  readonly isPartial?: boolean;
  /** Goes through the release. Returns what is not as it must be. */
  run(rehearsal: Rehearsal): string[];
}

const jobsOfRelease = ["plan", "check", "publish", "pypi", "announce"];

const first: Kind = {
  name: "first",
  does: "the first publication, by hand, as the page prints it",
  moves: {},
  run(rehearsal) {
    const { repository } = rehearsal;
    repository.change(() => {
      forgetReleases(repository.clone);
      rehearsal.command("node", "--conditions=@call-transfer/source", "scripts/release/gate.ts", "--record");
    });
    rehearsal.build(repository.clone);
    rehearsal.command("npm", "run", "release", "--", "pack", "packed");
    const order = readFileSync(join(repository.clone, "packed/order.txt"), "utf8");
    for (const line of order.split("\n").filter(Boolean))
      rehearsal.command("npm", "publish", `./packed/${line.split(" ")[2]}`, "--access", "public");
    const different = rehearsal.differentElsewhere();
    // The workflow finds every version at the registry, and only announces them.
    return [
      ...difference("what differs when it is packed elsewhere", different, []),
      ...difference("jobs of the workflow", rehearsal.push().jobs, jobsOfRelease),
    ];
  },
};

const patch: Kind = {
  name: "patch",
  does: "a fix of both clients, from its edit to what customers install",
  moves: { [sdk]: "patch", [pythonPackage]: "patch" },
  run(rehearsal) {
    rehearsal.fix([sdk, pythonPackage], "patch");
    rehearsal.propose();
    return difference("jobs of the workflow", rehearsal.push().jobs, jobsOfRelease);
  },
};

const minorOfTheContract: Kind = {
  name: "minor",
  does: "a field more in the contract, which moves every package",
  moves: Object.fromEntries(
    [
      ...["spec", "sdk", "backend", "mock-server", "contract", "mcp"].map((name) => `@call-transfer/${name}`),
      pythonPackage,
    ].map((name) => [name, "minor"]),
  ),
  run(rehearsal) {
    const { repository } = rehearsal;
    repository.change(() => {
      const path = join(repository.clone, "openapi/schemas/roles.yaml");
      replaceIn(path, "properties:\n", "properties:\n    hue: { type: string, description: Its hue. }\n");
      rehearsal.command("node", "scripts/generate.ts");
      rehearsal.command("npm", "run", "release", "--", "check", "--write");
    });
    rehearsal.propose();
    return difference("jobs of the workflow", rehearsal.push().jobs, jobsOfRelease);
  },
};

const interrupted: Kind = {
  name: "interrupted",
  does: "the process that publishes is killed after its first package; customers update in this state",
  moves: { [backend]: "patch", [mock]: "patch" },
  isPartial: true,
  run(rehearsal) {
    rehearsal.fix([backend, mock], "patch");
    rehearsal.propose();
    try {
      rehearsal.pushKilled(1);
      return ["the step that publishes was not killed"];
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      const failed = { job: error.job, end: error.message.split("\n").at(-1) };
      return difference("what was killed", failed, { job: "publish", end: "It was ended by SIGKILL." });
    }
  },
};

const resumed: Kind = {
  name: "resumed",
  does: "another change is merged, and the next run publishes the rest",
  moves: {},
  run(rehearsal) {
    rehearsal.fix([mock], "patch");
    const jobs = ["plan", "version", "propose", ...jobsOfRelease.slice(1)];
    return difference("jobs of the workflow", rehearsal.push().jobs, jobs);
  },
};

const kinds: readonly Kind[] = [first, patch, minorOfTheContract, interrupted, resumed];

/** Compares the registry, the index and the customers with what a release recorded. */
async function differencesAfter(kind: Kind, rehearsal: Rehearsal, registry: Registry, before: Versions) {
  const recorded = recordedIn(rehearsal.repository.clone).at(-1)?.versions ?? {};
  const moved = Object.entries(rehearsal.versions()).map(([name, version]) => {
    const from = before[name] ?? version;
    return from === version ? [] : [[name, diff(from, version)]];
  });
  const found = difference("what moved", Object.fromEntries(moved.flat()), kind.moves);
  if (!rehearsal.publishedPython().includes(pythonVersion(recorded[pythonPackage] ?? "")))
    found.push(`the Python client ${recorded[pythonPackage]} was not published`);
  const latest = new Map<string, unknown>([[pythonPackage, recorded[pythonPackage]]]);
  for (const name of Object.keys(recorded).filter((each) => each !== pythonPackage)) {
    latest.set(name, await registry.latest(name));
    const isLate = kind.isPartial === true && latest.get(name) === before[name];
    found.push(...(isLate ? [] : difference(`the latest ${name}`, latest.get(name), recorded[name])));
  }
  for (const customer of rehearsal.customers) {
    if (kind === first) customer.add();
    else customer.update();
    customer.check();
    const has = customer.versions();
    console.log(`  ${customer.name}: ${Object.entries(has).join(", ").replaceAll(",@", ", @")}; its test passes`);
    for (const [name, version] of Object.entries(has))
      found.push(...difference(`${customer.name} has ${name}`, version, latest.get(name)));
  }
  return kind === first && !rehearsal.printedInstallsWork()
    ? [...found, "an install command of the pages failed"]
    : found;
}

async function rehearse(chosen: readonly Kind[]): Promise<boolean> {
  ensureInstalled(tools);
  using folder = temporaryFolder("rehearsal");
  mkdirSync(join(folder.path, "registry"));
  const registry = await startVerdaccio(join(folder.path, "registry"));
  let isGood = true;
  try {
    const rehearsal = new Rehearsal(folder.path, registry);
    for (const kind of chosen) {
      const before = rehearsal.versions();
      const from = performance.now();
      const problems = kind.run(rehearsal);
      const seconds = Math.round((performance.now() - from) / 1000);
      console.log(`\n=== ${kind.name}: ${kind.does} (${seconds} s from its edit to published)`);
      problems.push(...(await differencesAfter(kind, rehearsal, registry, before)));
      for (const problem of problems) console.error(`  WRONG ${problem}`);
      isGood &&= problems.length === 0;
    }
  } finally {
    await registry.close();
  }
  return isGood;
}

if (import.meta.main) {
  const last =
    process.argv[2] === undefined ? kinds.length - 1 : kinds.findIndex(({ name }) => name === process.argv[2]);
  try {
    if (last < 0) throw new Error(`Unknown kind. Use one of ${kinds.map(({ name }) => name).join(", ")}.`);
    if (!(await rehearse(kinds.slice(0, last + 1)))) process.exitCode = 1;
  } catch (error) {
    console.error(`\nThe rehearsal failed. ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
