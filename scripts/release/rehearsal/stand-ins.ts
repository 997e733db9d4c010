// Programs that take the place of others while the rehearsal runs the workflow. They find its folder in $REHEARSAL.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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

/** npm that ends the step which runs it, at once and for good, when it has published as many packages as a file says. */
const killingNpm = `#!/bin/sh
PATH=\${PATH#*:}
npm "$@"; status=$?
if [ "$1" = publish ] && [ "$status" = 0 ]; then
  left=$(($(cat "$REHEARSAL/kill-after") - 1))
  echo "$left" > "$REHEARSAL/kill-after"
  if [ "$left" = 0 ]; then kill -KILL "$PPID"; fi
fi
exit "$status"
`;

function writeProgram(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

/** The folder that comes first on the path of every step. */
const binOf = (folder: string): string => join(folder, "bin");

/** Writes the stand-in for gh. Returns the folder that must come first on the path. */
export function installGh(folder: string): string {
  writeProgram(binOf(folder), "gh", gh);
  return binOf(folder);
}

/** Writes the stand-in for uv where the workflow installs it. The workflow installs it before. */
export function installUv(workspace: string, run: () => void): void {
  run();
  writeProgram(join(workspace, "uv/bin"), "uv", uv);
}

/** Runs a function in which the step that publishes is killed with SIGKILL once it has published so many packages. */
export function killedAfterPublishing<T>(folder: string, packages: number, use: () => T): T {
  writeFileSync(join(folder, "kill-after"), `${packages}`);
  writeProgram(binOf(folder), "npm", killingNpm);
  try {
    return use();
  } finally {
    rmSync(join(binOf(folder), "npm"));
  }
}
