// What the shell has in which the commands of a page run.
import { fileURLToPath } from "node:url";
import { root } from "./blocks.ts";

export const workspace = fileURLToPath(root);

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Programs that come before those of the machine. */
export const commandsHere: Readonly<Record<string, string>> = {
  curl: `PATH=$OTHER_PATH; exec curl -sS --fail-with-body "$@"`,
  // For marks: the workspace's own Node, which runs its tools.
  "own-node": `exec ${quoted(process.execPath)} "$@"`,
};

export const prelude = `set -e
step=start
declare -A servers
stopping() { for child in $(pgrep -P "$1"); do stopping "$child"; done; kill "$1" 2>/dev/null || true; }
ended() { stopping "$1"; wait "$1" 2>/dev/null || true; }
restarting() { if [ -n "\${servers[$1]}" ]; then ended "\${servers[$1]}"; fi; }
# A server prints its address. A program that ends has the status that it ends with.
started() {
  servers[$1]=$2
  # npm prints the command that it runs, in lines that begin so.
  until grep -sv '^> ' "$3" | grep -qE 'https?://'; do
    if ! kill -0 "$2" 2>/dev/null; then unset "servers[$1]"; wait "$2"; return; fi
    sleep 0.05
  done
}
trap 'echo "$step $?" > "$OUT/end"' EXIT
`;

/** What follows the commands of a page that installs packages: a reader's editor and build check its TypeScript. */
export const typeCheck = `programs=$(find . -name node_modules -prune -o \\( -name '*.ts' -o -name '*.tsx' -o -name '*.mts' \\) -print)
if [ "$PWD/" != "$ROOT" ] && [ -e package.json ] && [ -n "$programs" ]; then
  [ -e tsconfig.json ] || cp "$OUT/tsconfig.json" tsconfig.json
  npm install --save-dev typescript @types/node
  npx tsc --noEmit
fi`;
