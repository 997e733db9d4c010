// Goes through the kinds of release on a registry of this machine, with the commands that docs/releasing.md prints and the jobs of
// the release workflow. After each kind, customers update and run their tests. An option names the last kind to go through.
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled, run, runWith, temporaryFolder, tools } from "../../packed.ts";
import { ensureEnvironment } from "../../python.ts";
import { changesetText, writeChangeset } from "../changesets.ts";
import { isEqual } from "../json.ts";
import { packInto, writePythonFiles } from "../pack.ts";
import { recordedIn, type Versions } from "../record.ts";
import { pythonPackage, pythonVersion } from "../versions.ts";
import { cloneWorkspace, commitAll, forgetReleases, replaceIn } from "./clone.ts";
import { type Customer, nodeCustomer, pythonCustomer } from "./customers.ts";
import { type Registry, startVerdaccio } from "./registry.ts";
import { Jobs, StepError } from "./steps.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url)).replace(/\/$/, "");
const backend = "@call-transfer/backend";
const mock = "@call-transfer/mock-server";

/** Settings of package managers in the environment would win over those that the rehearsal makes. */
const withoutSettings = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:npm_|yarn_|bun_|pnpm_|uv_|virtual_env$)/i.test(name)),
  );

/** What a push of `main` starts: the jobs of the workflow, on a clone in the place of the repository. */
class Rehearsal {
  readonly clone: string;
  readonly customers: readonly Customer[];
  readonly jobs: Jobs;
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(folder: string, { url, settings }: Registry) {
    this.#folder = folder;
    this.clone = join(folder, "clone");
    cloneWorkspace(root, this.clone, run(root, "git", "rev-parse", "HEAD").trim());
    // The clone builds the Python client in the environment of this workspace.
    ensureEnvironment("python", join(root, "packages/python/requirements.txt"));
    mkdirSync(join(this.clone, ".cache"));
    symlinkSync(join(root, ".cache/python"), join(this.clone, ".cache/python"));
    const files = join(folder, "pypi");
    mkdirSync(files);
    this.#environment = {
      ...withoutSettings(process.env),
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      NPM_CONFIG_CACHE: join(folder, "npm-cache"),
      NPM_CONFIG_USERCONFIG: settings,
      NPM_CONFIG_REGISTRY: url,
      YARN_CACHE_FOLDER: join(folder, "yarn-cache"),
      YARN_GLOBAL_FOLDER: join(folder, "yarn-global"),
      YARN_NPM_REGISTRY_SERVER: url,
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      BUN_CONFIG_REGISTRY: url,
      BUN_INSTALL_CACHE_DIR: join(folder, "bun-cache"),
      DENO_DIR: join(folder, "deno-cache"),
      PIP_FIND_LINKS: files,
      PIP_DISABLE_PIP_VERSION_CHECK: "1",
      UV_FIND_LINKS: files,
      UV_CACHE_DIR: join(folder, "uv-cache"),
      UV_PYTHON_DOWNLOADS: "never",
    };
    this.jobs = new Jobs(folder, this.#environment);
    const at = (name: string): string => join(folder, "customers", name);
    const { version } = JSON.parse(readFileSync(join(this.clone, "packages/python/package.json"), "utf8"));
    this.customers = [
      nodeCustomer(at("npm"), "npm", this.#environment),
      nodeCustomer(at("pnpm"), "pnpm", this.#environment),
      pythonCustomer(at("npm/python"), `~=${/^\d+\.\d+/.exec(version)?.[0]}`, files, this.#environment),
    ];
  }

  /** Runs a command in the clone. */
  command(...words: readonly string[]): string {
    const [program = "", ...options] = words;
    return runWith(this.#environment, this.clone, program, ...options);
  }

  /**
   * Builds a clone, with the types of this workspace, because they take most of a build: only where the SDK's name its version, or the
   * clone changed them, do they differ.
   */
  build(clone = this.clone): void {
    run(clone, "npm", "run", "build", "--", "--no-dts");
    run(root, "npm", "run", "build");
    for (const file of globSync("packages/*/dist/**/*.d.{ts,cts}", { cwd: root }))
      cpSync(join(root, file), join(clone, file));
  }

  /** Merges a change of the sources of packages, with its changeset. */
  fix(...names: readonly string[]): void {
    for (const name of names)
      appendFileSync(
        join(this.clone, name.replace("@call-transfer", "packages"), "src/index.ts"),
        "// It is right now.\n",
      );
    const text = changesetText(names, "patch", "Does what the rehearsal of a release needs.");
    writeChangeset(join(this.clone, ".changeset"), "rehearsed", text);
    commitAll(this.clone);
  }

  /** Runs the jobs that propose versions, and merges what they propose if that is wanted. */
  propose(isMerged = true): void {
    if (this.jobs.run("plan", this.clone).propose !== "true") throw new Error("The plan proposes no versions.");
    this.jobs.run("version", this.clone, { "npm ci": () => undefined });
    if (isMerged) commitAll(this.clone);
    else this.command("git", "reset", "--quiet", "--hard");
  }

  /** Runs the jobs that check, publish and announce the recorded commit. @throws {StepError} */
  publish(): void {
    const { publish, commit = "" } = this.jobs.run("plan", this.clone);
    if (publish !== "true") throw new Error("The plan publishes nothing.");
    this.command("git", "checkout", "--quiet", commit);
    rmSync(join(this.clone, "packed"), { recursive: true, force: true });
    this.jobs.run("check", this.clone, { ".ci/run nightly": () => this.build() });
    this.command("git", "checkout", "--quiet", "main");
    for (const job of ["publish", "pypi", "announce"]) {
      // Each has what was packed, and no checkout.
      const workspace = join(this.#folder, "jobs", job);
      rmSync(workspace, { recursive: true, force: true });
      cpSync(join(this.clone, "packed"), join(workspace, "packed"), { recursive: true });
      this.jobs.run(job, workspace);
    }
  }

  /** Packs the released commit in another clone, under another path and umask. Returns the files that are not the same. */
  differentElsewhere(): string[] {
    const two = join(this.#folder, "somewhere else", "two");
    cloneWorkspace(this.clone, two, run(this.clone, "git", "rev-parse", "HEAD").trim(), root);
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
    if (files.length === 0) throw new Error("Nothing was packed.");
    return files.filter((file) => digest(join(this.clone, file)) !== digest(join(two, file)));
  }

  /** The versions that `main` records. */
  recorded(): Versions {
    return recordedIn(this.clone).at(-1)?.versions ?? {};
  }

  /** The version of a package that customers get; undefined if it was not published. */
  latest(name: string): string | undefined {
    if (name !== pythonPackage) return this.command("npm", "view", name, "dist-tags.latest").trim();
    const version = this.recorded()[name] ?? "";
    const file = join(this.#folder, "pypi", `call_transfer-${pythonVersion(version)}.tar.gz`);
    return existsSync(file) ? version : undefined;
  }
}

/** A thing that is not what it must be. */
const difference = (what: string, is: unknown, must: unknown): string[] =>
  isEqual(is, must) ? [] : [`${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(must)}`];

interface Kind {
  readonly name: string;
  readonly does: string;
  /** How far the release moves packages. */
  readonly moves: Readonly<Record<string, "minor" | "patch">>;
  /** The packages that the registry does not have in their new versions yet. */
  readonly isLate?: readonly string[];
  /** Goes through the release. Returns what is not as it must be. */
  run(rehearsal: Rehearsal): string[];
}

const kinds: readonly Kind[] = [
  {
    name: "first",
    does: "the first publication, by hand, as the page prints it; then the workflow announces it",
    moves: {},
    run(rehearsal) {
      forgetReleases(rehearsal.clone);
      rehearsal.command("npm", "run", "release", "--", "check", "--record");
      commitAll(rehearsal.clone);
      rehearsal.build();
      rehearsal.command("npm", "run", "release", "--", "pack", "packed");
      const order = readFileSync(join(rehearsal.clone, "packed/order.txt"), "utf8");
      for (const line of order.split("\n").filter(Boolean))
        rehearsal.command("npm", "publish", `./packed/${line.split(" ")[2]}`, "--access", "public");
      const different = rehearsal.differentElsewhere();
      rehearsal.publish();
      return difference("what differs when it is packed elsewhere", different, []);
    },
  },
  {
    name: "patch",
    does: "a fix, from its edit to what customers install",
    moves: { [mock]: "patch" },
    run(rehearsal) {
      rehearsal.fix(mock);
      rehearsal.propose();
      rehearsal.publish();
      return [];
    },
  },
  {
    name: "minor",
    does: "a field more in the contract, which moves every package",
    moves: Object.fromEntries(
      ["spec", "sdk", "python", "backend", "mock-server", "contract", "mcp"].map((name) => [
        `@call-transfer/${name}`,
        "minor",
      ]),
    ),
    run(rehearsal) {
      const path = join(rehearsal.clone, "openapi/schemas/roles.yaml");
      replaceIn(path, "properties:\n", "properties:\n    hue: { type: string, description: Its hue. }\n");
      rehearsal.command("node", "scripts/generate.ts");
      rehearsal.command("npm", "run", "release", "--", "check", "--write");
      commitAll(rehearsal.clone);
      rehearsal.propose();
      rehearsal.publish();
      return [];
    },
  },
  {
    name: "interrupted",
    does: "the process that publishes is killed after its first package; customers update in this state",
    moves: { [backend]: "patch", [mock]: "patch" },
    isLate: [mock],
    run(rehearsal) {
      rehearsal.fix(backend, mock);
      rehearsal.propose();
      try {
        rehearsal.jobs.killing(() => rehearsal.publish());
        return ["the job that publishes was not killed"];
      } catch (error) {
        if (!(error instanceof StepError)) throw error;
        const said = error.message.split("\n");
        return difference(
          "what failed",
          [said[0], said.at(-1)],
          ["The job publish failed:", "It was ended by SIGKILL."],
        );
      }
    },
  },
  {
    name: "resumed",
    does: "another change is merged; the next run proposes its version, and publishes the rest of the release before",
    moves: {},
    run(rehearsal) {
      rehearsal.fix(mock);
      rehearsal.propose(false);
      rehearsal.publish();
      return [];
    },
  },
];

/** The first part in which two versions differ. */
function partThatMoved(from: string, to: string): string | undefined {
  const [before, after] = [from.split("."), to.split(".")];
  return ["major", "minor", "patch"].find((_, index) => before[index] !== after[index]);
}

/** Compares what was published, and what customers get, with what the release recorded. */
async function differencesAfter(
  { name: kind, moves, isLate = [] }: Kind,
  rehearsal: Rehearsal,
  before: Versions,
): Promise<string[]> {
  const recorded = rehearsal.recorded();
  const moved = Object.entries(recorded).flatMap(([name, version]) =>
    (before[name] ?? version) === version ? [] : [[name, partThatMoved(before[name] ?? "", version)]],
  );
  const found = difference("what moved", Object.fromEntries(moved), moves);
  const expected = Object.entries(recorded).map(([name, version]) => [
    name,
    isLate.includes(name) ? before[name] : version,
  ]);
  const latest = new Map(Object.keys(recorded).map((name) => [name, rehearsal.latest(name)]));
  found.push(...difference("what was published", Object.fromEntries(latest), Object.fromEntries(expected)));
  for (const customer of rehearsal.customers) {
    if (kind === "first") customer.add();
    else customer.update();
    await customer.check();
    const has = customer.versions();
    console.log(
      `  ${customer.name}: ${Object.entries(has)
        .map((entry) => entry.join(" "))
        .join(", ")}; its test passes`,
    );
    for (const [name, version] of Object.entries(has))
      found.push(...difference(`${customer.name} has ${name}`, version, latest.get(name)));
  }
  return found;
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
      const before = rehearsal.recorded();
      const from = performance.now();
      const problems = kind.run(rehearsal);
      console.log(`\n=== ${kind.name}: ${kind.does} (${Math.round((performance.now() - from) / 1000)} s)`);
      problems.push(...(await differencesAfter(kind, rehearsal, before)));
      for (const problem of problems) console.error(`  WRONG ${problem}`);
      isGood &&= problems.length === 0;
    }
  } finally {
    await registry.close();
  }
  return isGood;
}

const [, , last = "resumed"] = process.argv;
try {
  const at = kinds.findIndex(({ name }) => name === last);
  if (at < 0) throw new Error(`Unknown kind ${last}. Use one of ${kinds.map(({ name }) => name).join(", ")}.`);
  if (!(await rehearse(kinds.slice(0, at + 1)))) process.exitCode = 1;
} catch (error) {
  console.error(`\nThe rehearsal failed. ${(error as Error).message}`);
  process.exitCode = 1;
}
