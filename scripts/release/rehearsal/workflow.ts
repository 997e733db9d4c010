// Runs .github/workflows/release.yml on this machine: its conditions, its commands and the artifacts between its jobs. Only what
// needs GitHub is replaced: a bare repository is the remote, and stand-ins.ts has the rest.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { runWithinMs } from "../../turn.ts";
import { listIn, objectIn } from "../json.ts";
import type { Repository } from "./repository.ts";
import { installGh } from "./stand-ins.ts";

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

/**
 * Commands or titles of steps that the rehearsal replaces: they check the change and not the release, or need PyPI. Each gets the
 * folder in which the job runs, and what runs the step as the workflow has it.
 */
export type Replacements = Readonly<Record<string, (workspace: string, run: () => void) => void>>;

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
    this.#environment = { ...environment, REHEARSAL: folder, PATH: `${installGh(folder)}:${environment.PATH}` };
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
    const outputs = join(temporary, "outputs");
    const env = Object.fromEntries(
      Object.entries(objectIn(step.env)).map(([name, value]) => [name, filled(String(value), values)]),
    );
    const run = (): string => {
      writeFileSync(outputs, "");
      const variables = { ...env, ...notHere, RUNNER_TEMP: temporary, GITHUB_OUTPUT: outputs };
      return this.#runScript(script, workspace, variables, (said) => new StepError(job, title, said));
    };
    const replacement = this.#replacements[script] ?? this.#replacements[title];
    if (replacement !== undefined) {
      replacement(workspace, run);
      return "";
    }
    const said = run();
    for (const line of readFileSync(outputs, "utf8").split("\n").filter(Boolean)) {
      const [name = "", ...value] = line.split("=");
      values[`needs.${job}.outputs.${name}`] = value.join("=");
    }
    return said;
  }

  #runScript(script: string, cwd: string, variables: NodeJS.ProcessEnv, failure: (said: string) => Error): string {
    const { status, signal, stdout, stderr } = spawnSync("bash", ["-e", "-c", script], {
      cwd,
      encoding: "utf8",
      timeout: runWithinMs,
      maxBuffer: 1 << 28,
      env: { ...this.#environment, ...variables },
    });
    const said = `${stdout}${stderr}`;
    if (status !== 0) throw failure(signal === null ? said : `${said}It was ended by ${signal}.`);
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
