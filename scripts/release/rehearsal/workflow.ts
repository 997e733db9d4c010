// Runs .github/workflows/release.yml on this machine: its conditions, its commands and the artifacts between its jobs. Only what
// needs GitHub is replaced: a bare repository is the remote, and a small `gh` opens pull requests and sets tags there.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { runWithinMs } from "../../turn.ts";
import { listIn, objectIn } from "../json.ts";
import type { Repository } from "./repository.ts";

/** A step that failed, with what it printed. */
export class StepError extends Error {
  override readonly name = "StepError";
  readonly job: string;
  constructor(job: string, step: string, output: string) {
    super(`The job ${job} failed in the step "${step}":\n${output.trimEnd()}`);
    this.job = job;
  }
}

/** What one run of the workflow did: its jobs in order, and everything that they printed. */
export interface WorkflowRun {
  readonly jobs: readonly string[];
  readonly output: string;
}

/** npm proves where a package comes from only in a job at GitHub. */
const notHere = { NPM_CONFIG_PROVENANCE: "false" };

/** The part of gh that the workflow uses. Pull requests are files; tags are those of the remote. */
const gh = `#!/bin/sh
set -e
case "$1 $2" in
  "auth setup-git" | "workflow run") ;;
  "pr list") cat "$REHEARSAL/pull-request" 2> /dev/null || true ;;
  "pr create") echo 1 > "$REHEARSAL/pull-request" ;;
  "release view") git --git-dir "$REHEARSAL/origin.git" rev-parse --quiet --verify "refs/tags/$3" > /dev/null ;;
  "release create")
    shift 2
    case "$1" in --prerelease | --latest=false) shift ;; *) echo "unexpected $1" >&2; exit 1 ;; esac
    tag=$1; shift
    while [ $# -gt 0 ]; do
      case "$1" in
        --target) git --git-dir "$REHEARSAL/origin.git" tag "$tag" "$2"; shift ;;
        --title) shift ;;
        --notes-file) test -s "$2"; shift ;;
        *) test -s "$1" ;;
      esac
      shift
    done ;;
  *) echo "gh $* is not part of the rehearsal" >&2; exit 1 ;;
esac
`;

/** Commands or titles of steps that the rehearsal replaces: they check the change and not the release, or need PyPI. */
export interface Replacements {
  /** @param workspace The folder in which the job runs. */
  readonly [step: string]: (workspace: string) => void;
}

/** PyPI's rule, with a folder in its place: a file that is there already may come again, and no other one of its name. */
const uv = `#!/bin/sh
set -e
mkdir -p "$REHEARSAL/pypi"
for file; do
  case "$file" in packed/python/*) ;; *) continue ;; esac
  there="$REHEARSAL/pypi/$(basename "$file")"
  if [ -e "$there" ] && ! cmp -s "$file" "$there"; then echo "$file exists with other content" >&2; exit 1; fi
  cp "$file" "$there"
done
`;

/** Writes the stand-in for uv where the workflow installs it. */
export function installUv(workspace: string): void {
  mkdirSync(join(workspace, "uv/bin"), { recursive: true });
  writeFileSync(join(workspace, "uv/bin/uv"), uv);
  chmodSync(join(workspace, "uv/bin/uv"), 0o755);
}

interface Job {
  readonly name: string;
  readonly needs: readonly string[];
  readonly condition: string | undefined;
  readonly steps: readonly Record<string, unknown>[];
}

function jobsOf(path: string): Job[] {
  const { jobs } = objectIn(parse(readFileSync(path, "utf8")) as unknown);
  return Object.entries(objectIn(jobs)).map(([name, job]) => {
    const { needs = [], if: condition, steps } = objectIn(job);
    return {
      name,
      needs: (Array.isArray(needs) ? needs : [needs]).map(String),
      condition: condition === undefined ? undefined : String(condition),
      steps: listIn(steps).map(objectIn),
    };
  });
}

/** What `${{ … }}` stands for before any job has run. */
export const known = (branch: string, temporary: string): Record<string, string> => ({
  "github.token": "none",
  "github.ref_name": branch,
  "github.repository": "call-transfer/call-transfer",
  "runner.temp": temporary,
});

/** Runs the workflow for a push to a branch. */
export class Workflow {
  readonly #folder: string;
  readonly #repository: Repository;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #replacements: Replacements;

  constructor(folder: string, repository: Repository, environment: NodeJS.ProcessEnv, replacements: Replacements) {
    this.#folder = folder;
    this.#repository = repository;
    this.#replacements = replacements;
    const bin = join(folder, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "gh"), gh);
    chmodSync(join(bin, "gh"), 0o755);
    this.#environment = { ...environment, REHEARSAL: folder, PATH: `${bin}:${environment.PATH}` };
  }

  /** @throws {StepError} A job failed. Those that need it did not run. */
  run(branch: string): WorkflowRun {
    const temporary = join(this.#folder, "runner");
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(join(temporary, "artifacts"), { recursive: true });
    // The workflow of the branch, as on GitHub.
    this.#repository.checkOut(branch);
    const jobs = jobsOf(join(this.#repository.clone, ".github/workflows/release.yml"));
    const values = known(branch, temporary);
    const ran: string[] = [];
    let output = "";
    for (const job of jobs) {
      if (!job.needs.every((name) => ran.includes(name)) || !holds(job.condition, values)) continue;
      output += this.#runJob(job, branch, values, temporary);
      ran.push(job.name);
    }
    return { jobs: ran, output };
  }

  #runJob(job: Job, branch: string, values: Record<string, string>, temporary: string): string {
    let workspace = join(temporary, job.name);
    mkdirSync(workspace, { recursive: true });
    let output = "";
    for (const step of job.steps) {
      const inputs = objectIn(step.with);
      const input = (name: string): string => filled(String(inputs[name] ?? ""), values);
      const artifact = join(temporary, "artifacts", input("name"));
      const [action = ""] = String(step.uses ?? "").split("@");
      if (action === "actions/checkout") {
        this.#repository.checkOut(input("ref") || branch);
        workspace = this.#repository.clone;
      } else if (action === "actions/upload-artifact") {
        upload(join(workspace, input("path")), input("path"), artifact);
      } else if (action === "actions/download-artifact") {
        const path = input("path");
        cpSync(artifact, path.startsWith("/") ? path : join(workspace, path), { recursive: true });
      } else if (typeof step.run === "string") {
        output += this.#runStep(job.name, step, workspace, values, temporary);
      }
    }
    return output;
  }

  #runStep(
    job: string,
    step: Record<string, unknown>,
    workspace: string,
    values: Record<string, string>,
    temporary: string,
  ): string {
    const script = String(step.run);
    const title = String(step.name ?? script.split("\n")[0]);
    const replacement = this.#replacements[script] ?? this.#replacements[title];
    if (replacement !== undefined) {
      replacement(workspace);
      return "";
    }
    const outputs = join(temporary, "outputs");
    writeFileSync(outputs, "");
    const env = Object.fromEntries(
      Object.entries(objectIn(step.env)).map(([name, value]) => [name, filled(String(value), values)]),
    );
    const { status, stdout, stderr } = spawnSync("bash", ["-e", "-c", script], {
      cwd: workspace,
      encoding: "utf8",
      timeout: runWithinMs,
      maxBuffer: 1 << 28,
      env: { ...this.#environment, ...env, ...notHere, RUNNER_TEMP: temporary, GITHUB_OUTPUT: outputs },
    });
    const said = `${stdout}${stderr}`;
    if (status !== 0) throw new StepError(job, title, said);
    for (const line of readFileSync(outputs, "utf8").split("\n").filter(Boolean)) {
      const [name = "", ...value] = line.split("=");
      values[`needs.${job}.outputs.${name}`] = value.join("=");
    }
    return said;
  }
}

/** Puts values in the place of `${{ … }}`. */
const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{\{ (.+?) \}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The rehearsal does not know $\{{ ${name} }}. Add it to workflow.ts.`);
    return value;
  });

function holds(condition: string | undefined, values: Readonly<Record<string, string>>): boolean {
  if (condition === undefined) return true;
  const [, name = "", value] = /^(\S+) == '(.*)'$/.exec(condition) ?? [];
  if (!(name in values)) throw new Error(`The rehearsal cannot decide "${condition}". Add it to workflow.ts.`);
  return values[name] === value;
}

function upload(inWorkspace: string, path: string, artifact: string): void {
  const from = path.startsWith("/") ? path : inWorkspace;
  if (!existsSync(from)) throw new Error(`${path} is missing, so it cannot be an artifact.`);
  const isFile = /\.\w+$/.test(from);
  mkdirSync(isFile ? artifact : dirname(artifact), { recursive: true });
  cpSync(from, isFile ? join(artifact, from.split("/").at(-1) ?? "") : artifact, { recursive: true });
}
