// Runs jobs of .github/workflows/release.yml on this machine: the commands of their steps as they stand, one after the other. What
// needs GitHub or PyPI has a stand-in, which finds the folder of the rehearsal in $REHEARSAL.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { runWithinMs } from "../../made.ts";
import { listIn, objectIn } from "../json.ts";

/** The part of gh that announces. Tags are those of the clone. */
const gh = `#!/bin/sh
set -e
case "$1 $2" in
  "release view") git -C "$REHEARSAL/clone" rev-parse --quiet --verify "refs/tags/$3" > /dev/null ;;
  "release create")
    shift 2
    case "$1" in --prerelease | --latest=false) shift ;; *) echo "unexpected $1" >&2; exit 1 ;; esac
    tag=$1; shift
    while [ $# -gt 0 ]; do
      case "$1" in
        --target) git -C "$REHEARSAL/clone" tag "$tag" "$2"; shift ;;
        --title) shift ;;
        --notes-file) test -s "$2"; shift ;;
        *) test -s "$1" ;;
      esac
      shift
    done ;;
  *) echo "gh $* is not part of the rehearsal" >&2; exit 1 ;;
esac
`;

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

/** npm that ends the step which runs it, at once and for good, when it has published a package. */
const killingNpm = `#!/bin/sh
PATH=\${PATH#*:}
npm "$@"; status=$?
if [ "$1" = publish ] && [ "$status" = 0 ]; then kill -KILL "$PPID"; fi
exit "$status"
`;

function writeProgram(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

/** A step that failed, with what it printed. */
export class StepError extends Error {
  override readonly name = "StepError";
}

/** Runs the jobs in a folder whose clone has the workflow. */
export class Jobs {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  /** What `${{ … }}` stands for; a job adds its outputs. */
  readonly #values: Record<string, string>;

  constructor(folder: string, environment: NodeJS.ProcessEnv) {
    this.#folder = folder;
    const path = `${join(folder, "bin")}:${environment.PATH}`;
    this.#environment = { ...environment, PATH: path, REHEARSAL: folder, RUNNER_TEMP: folder };
    this.#values = {
      "github.token": "none",
      "github.ref_name": "main",
      "github.repository": "call-transfer/call-transfer",
    };
    writeProgram(join(folder, "bin"), "gh", gh);
  }

  /**
   * Runs a job and returns its outputs.
   * @param workspace The folder in which its steps run
   * @param instead What runs in the place of a step, by its command
   * @throws {StepError} A step failed
   */
  run(
    job: string,
    workspace: string,
    instead: Readonly<Record<string, () => void>> = {},
  ): Readonly<Record<string, string>> {
    const { jobs } = objectIn(parse(readFileSync(join(this.#folder, "clone/.github/workflows/release.yml"), "utf8")));
    const outputs = join(this.#folder, "outputs");
    writeFileSync(outputs, "");
    for (const step of listIn(objectIn(objectIn(jobs)[job]).steps).map(objectIn)) {
      if (typeof step.run !== "string") continue;
      const replacement = instead[step.run];
      if (replacement) replacement();
      else this.#runStep(job, step.run, objectIn(step.env), workspace, outputs);
      // The uv that the job installs publishes to a folder.
      if (step.run.includes("uv/bin/pip install")) writeProgram(join(workspace, "uv/bin"), "uv", uv);
    }
    const lines = readFileSync(outputs, "utf8").split("\n").filter(Boolean);
    const found = Object.fromEntries(lines.map((line) => [line.split("=")[0] ?? "", line.replace(/^[^=]*=/, "")]));
    for (const [name, value] of Object.entries(found)) this.#values[`needs.${job}.outputs.${name}`] = value;
    return found;
  }

  /** Runs a function in which the step that publishes is killed with SIGKILL once it has published a package. */
  killing<T>(use: () => T): T {
    writeProgram(join(this.#folder, "bin"), "npm", killingNpm);
    try {
      return use();
    } finally {
      rmSync(join(this.#folder, "bin/npm"));
    }
  }

  #runStep(job: string, script: string, env: Readonly<Record<string, unknown>>, cwd: string, outputs: string): void {
    const variables = Object.entries(env).map(([name, value]) => [name, this.#filled(String(value))]);
    const { status, signal, stdout, stderr } = spawnSync("bash", ["-e", "-c", script], {
      cwd,
      encoding: "utf8",
      timeout: runWithinMs,
      maxBuffer: 1 << 28,
      // npm proves where a package comes from only in a job at GitHub.
      env: {
        ...this.#environment,
        ...Object.fromEntries(variables),
        NPM_CONFIG_PROVENANCE: "false",
        GITHUB_OUTPUT: outputs,
      },
    });
    if (status === 0) return;
    throw new StepError(
      `The job ${job} failed:\n${stdout}${stderr}${signal === null ? "" : `It was ended by ${signal}.`}`,
    );
  }

  /** Puts values in the place of `${{ … }}`. */
  #filled(text: string): string {
    return text.replace(/\$\{\{ (.+?) \}\}/g, (_, name: string) => {
      const value = this.#values[name];
      if (value === undefined) throw new Error(`The rehearsal does not know $\{{ ${name} }}. Add it to steps.ts.`);
      return value;
    });
  }
}
