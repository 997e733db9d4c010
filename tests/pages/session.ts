// Runs the commands of a page as a reader does: in order, in one shell, in a new folder. `npm install` and `npx` take the
// packages of this workspace, as built. A command that serves runs until the page ends, or until the page starts it again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { type ProvedBlock, root } from "./blocks.ts";
import { type Statement, statementsIn } from "./commands.ts";

const workspace = fileURLToPath(root);

/** The output of a statement, with the one that is expected. */
interface Run {
  readonly place: string;
  readonly command: string;
  readonly printed: string;
}

export interface PageRun {
  /** By the line of the block's fence. */
  readonly runs: ReadonlyMap<number, readonly (Run & { readonly statement: Statement })[]>;
  /** The first failure: the statement, its status and its output. */
  readonly failure: string | undefined;
}

/** Ports in commands and programs. Each becomes a free one, so that pages run side by side. */
const portsIn = /(?<=(?:localhost|127\.0\.0\.1):|--port[ =]|\bport: |PORT=|\.listen\()\d{4}\b/g;

/** Returns whether a command may go on until it is stopped. */
const mayServe = (command: string): boolean =>
  /^(?:[A-Z_]+=\S+ )*(?:(?:npx @call-transfer\/mock-server|call-transfer-mock)(?: start)?(?=$| --| #)|node |npm (?:-s )?start(?=$| -- --| #)|npm run |npx vite(?=$| ))/.test(
    command,
  );

/** Two commands with the same name are one program that is started again. */
const serverName = (command: string): string => {
  const [, port] = /(?:--port[ =]|PORT=)(\d+)/.exec(command) ?? [];
  const [program = ""] =
    /mock-server|call-transfer-mock|npm (?:-s )?start|node \S+|npm run .*|npx \S+/.exec(command) ?? [];
  return `${program.replace(/call-transfer-mock|npm (?:-s )?start/, "mock-server")} ${port ?? ""}`;
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Programs that come before those of the machine. */
const commandsHere: Readonly<Record<string, string>> = {
  npx: `case "$1" in
  @call-transfer/mock-server) shift; exec call-transfer-mock "$@" ;;
  @call-transfer/contract) shift; exec node "$ROOT/packages/contract/dist/cli.js" "$@" ;;
esac
name=$1; shift; exec "$ROOT/node_modules/.bin/$name" "$@"`,
  "call-transfer-mock": `exec node "$ROOT/packages/mock-server/dist/cli.js" "$@"`,
  npm: `case "$1" in install | i | add) shift; exec node ${quoted(fileURLToPath(new URL("install.mjs", import.meta.url)))} "$@" ;; esac
PATH=$OTHER_PATH; exec npm "$@"`,
  curl: `PATH=$OTHER_PATH; exec curl -sS --fail-with-body "$@"`,
};

const prelude = `set -e
step=start
declare -A servers
ended() { for child in $1 $(pgrep -P "$1"); do kill "$child" 2>/dev/null || true; done; wait "$1" 2>/dev/null || true; }
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

/** Runs the blocks of a page that are commands, and saves those that are files on the way. */
export async function runPage(blocks: readonly ProvedBlock[], signal?: AbortSignal): Promise<PageRun> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "call-transfer-blocks-")));
  const [work, bin, out] = ["work", "bin", "out"].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [work, bin, out]) mkdirSync(path);
  for (const [name, text] of Object.entries(commandsHere)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  symlinkSync(process.execPath, join(bin, "node"));
  const ports = await freePorts(
    new Set(["4010", ...blocks.flatMap(({ text, marks }) => (text + marks.given).match(portsIn) ?? [])]),
  );
  const moved = (text: string) => text.replace(portsIn, (port) => ports.get(port) ?? port);
  const shown = (text: string) => {
    let back = stripVTControlCharacters(text).replaceAll(work, ".").replaceAll(folder, "").replace(/\r/g, "");
    for (const [port, free] of ports) back = back.replaceAll(new RegExp(`\\b${free}\\b`, "g"), port);
    return back;
  };

  const script = [prelude];
  const runs: { block: ProvedBlock; statement: Statement; output: string }[] = [];
  for (const block of blocks) {
    const { proof, marks, text } = block;
    const name = marks.file ?? (proof.kind === "file" ? basename(proof.path) : undefined);
    if (name !== undefined) {
      const saved = join(out, `file-${script.length}`);
      writeFileSync(saved, moved(text));
      // Nothing is written into the workspace.
      script.push(
        `if [ "$PWD/" != "$ROOT" ]; then mkdir -p ${quoted(dirname(name))}; cp ${quoted(saved)} ${quoted(name)}; fi`,
      );
    }
    if (proof.kind !== "commands") continue;
    const given = { ...block, language: "sh", text: `${proof.given}\n` };
    const hidden = proof.given === "" ? [] : statementsIn(given).map((statement) => ({ ...statement, hidden: true }));
    for (const statement of [...hidden, ...statementsIn(block)]) {
      const output = join(out, `${runs.length}`);
      const [install = ""] = /^npm ci(?: *&& *|$)/.exec(statement.command) ?? [];
      const command = moved(statement.command.slice(install.length)) || "true";
      script.push(`step=${runs.length}`, install === "" ? "" : 'cd "$ROOT"');
      if (mayServe(command)) {
        const server = quoted(serverName(command));
        script.push(
          `restarting ${server}`,
          `{ ${command}\n} > ${output} 2>&1 < /dev/null &`,
          `started ${server} $! ${output}`,
        );
      } else script.push(`{ ${command}\n} > ${output} 2>&1 < /dev/null`);
      runs.push({ block, statement, output });
    }
  }
  // A program that printed an address, and then failed, is no server.
  script.push(
    `for name in "\${!servers[@]}"; do kill -0 "\${servers[$name]}" 2>/dev/null || wait "\${servers[$name]}"; done`,
  );
  script.push("step=end");
  writeFileSync(join(folder, "page.sh"), `${script.join("\n")}\n`);

  const env = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(?:CALL_TRANSFER|NODE_|npm_|VITEST|TEST|CI$)/.test(name)),
    ),
    PATH: `${bin}:${process.env.PATH}`,
    ...{ OTHER_PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ROOT: workspace, OUT: out },
    ...{ CALL_TRANSFER_MOCK_PORT: ports.get("4010"), NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, TZ: "UTC" },
  };
  const shell = spawn("bash", [join(folder, "page.sh")], {
    cwd: work,
    env,
    detached: true,
    stdio: "ignore",
  });
  const stop = () => void endGroup(shell.pid);
  signal?.addEventListener("abort", stop);
  await once(shell, "exit");
  signal?.removeEventListener("abort", stop);
  const [step = "", status = ""] = readFileSync(join(out, "end"), "utf8").trim().split(" ");
  await endGroup(shell.pid);
  const failed = runs[Number(step)];
  const failure =
    step === "end" && status === "0"
      ? undefined
      : failed === undefined
        ? `The shell ended with status ${status} at ${step}.`
        : `${failed.block.page}:${failed.statement.line}: Status ${status} from: ${failed.statement.command}\n${shown(readFileSync(failed.output, "utf8"))}`;
  const byBlock = new Map<number, (Run & { statement: Statement })[]>();
  for (const { block, statement, output } of failure === undefined ? runs : []) {
    if (statement.hidden) continue;
    const place = `${block.page}:${statement.line}`;
    const run = { place, command: statement.command, printed: shown(readFileSync(output, "utf8")), statement };
    byBlock.set(block.line, [...(byBlock.get(block.line) ?? []), run]);
  }
  rmSync(folder, { recursive: true, force: true });
  return { runs: byBlock, failure };
}

/** Ends every process that the page left. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  };
  send("SIGTERM");
  for (let tries = 0; send(0); tries += 1) {
    if (tries === 100) send("SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function freePorts(wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const servers = [...wanted].map((port) => ({ port, server: createServer().listen(0, "127.0.0.1") }));
  const found = new Map<string, string>();
  for (const { port, server } of servers) {
    if (!server.listening) await once(server, "listening");
    const address = server.address();
    if (typeof address === "object" && address) found.set(port, String(address.port));
  }
  await Promise.all(servers.map(({ server }) => once(server.close(), "close")));
  return found;
}
