// Runs the commands of a session as a reader does: in order, in one shell, in a new folder outside of the repository, with
// npm's own answers. A command that serves runs until the session ends, or until the page starts it again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { freePort } from "../../build/free-port.ts";
import { type Block, blocksIn, type ProvedBlock, read } from "./blocks.ts";
import { type Statement, statementsIn } from "./commands.ts";
import { fileOf, type Session } from "./sessions.ts";
import { commandsHere, prelude, quoted, typeCheck, workspace } from "./shell.ts";

/** Variables of this process that a reader's shell does not have. */
const ownVariables = /^(?:CALL_TRANSFER|NODE_(?!EXTRA_CA_CERTS$)|npm_(?!config_registry$)|VITEST|TEST|CI$|INIT_CWD$)/;
/** The programs of the machine, without those that `npm run` puts before them. */
const outerPath = (process.env.PATH ?? "")
  .split(":")
  .filter((path) => !/node_modules\/\.bin$|node-gyp-bin$/.test(path))
  .join(":");

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
const portsIn = /(?<=(?:localhost|127\.0\.0\.1):|--port[ =]|\bport: |PORT=|PORT (?:=|\?\?) "|\.listen\()\d{4}\b/g;

/** Returns whether a command may go on until it is stopped. */
const mayServe = (command: string): boolean =>
  /^(?:[A-Z_]+=\S+ )*(?:(?:npx @call-transfer\/mock-server|call-transfer-mock)(?: start)?(?=$| --| #)|(?:own-)?node |npm (?:-s )?start(?=$| -- --| #)|npm run (?!add )|npx @stoplight\/prism-cli |npx vite(?=$| )|npx next (?:dev|start))/.test(
    command,
  );

/** Two commands with the same name are one program that is started again. */
const serverName = (command: string): string => {
  const [, port] = /(?:--port[ =]|PORT=)(\d+)/.exec(command) ?? [];
  const [program = ""] =
    /mock-server|call-transfer-mock|npm (?:-s )?start|node (?:-\S+ )*\S+|npm run .*|npx \S+/.exec(command) ?? [];
  return `${program.replace(/call-transfer-mock|npm (?:-s )?start/, "mock-server")} ${port ?? ""}`;
};

/** What a session needs from this machine. */
export interface Machine {
  /** The folder with the `node` to run it with. */
  readonly node: string;
  /** The address of the registry that has the packages of this workspace. */
  readonly registry: string;
  /** npm's cache. What npx installs stays there, so it is one of this run. */
  readonly cache: string;
}

/** The tsconfig.json that docs/sdk.md shows, for programs whose page shows none. */
const shownConfig = (): string =>
  blocksIn("docs/sdk.md", read("docs/sdk.md")).find(({ marks }) => marks.file === "tsconfig.json")?.text ?? "";

/** Returns whether a block configures an assistant, with a mock that needs no other server. */
export const isAssistant = ({ text }: Block): boolean => text.includes('"mcpServers"') && !text.includes("--");

/** The command of an assistant's configuration, which must answer as an MCP server. */
function asAssistant({ text }: ProvedBlock): string {
  const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, { command: string; args: string[] }> };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "page", version: "1" } };
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  return Object.values(mcpServers)
    .map(({ command, args }) => `echo ${quoted(request)} | ${[command, ...args].join(" ")} | grep serverInfo`)
    .join("\n");
}

/** The shell commands of a session, and the statements of the page among them. */
function scriptOf({ page, blocks }: Session, work: string, out: string, moved: (text: string) => string) {
  const script = [prelude];
  const runs: { block: ProvedBlock; statement: Statement; output: string }[] = [];
  const last = blocks.at(-1);
  const add = (block: ProvedBlock, statement: Statement): void => {
    const output = join(out, `${runs.length}`);
    const [install = ""] = /^npm ci(?: *&& *|$)/.exec(statement.command) ?? [];
    // A clone is beside the folder of its reader.
    const command =
      moved(statement.command.slice(install.length)).replace(/(?<=^(?:npm run add|cd) )\.\.(?=\/)/, work) || "true";
    script.push(`step=${runs.length}`);
    if (install !== "" || command.startsWith("npm run add ")) script.push('cd "$ROOT"');
    if (command.startsWith("mkdir ")) script.push(`cd ${quoted(work)}`);
    if (mayServe(command)) {
      const server = quoted(serverName(command));
      script.push(
        `restarting ${server}`,
        `{ ${command}\n} > ${output} 2>&1 < /dev/null &`,
        `started ${server} $! ${output}`,
      );
    } else script.push(`{ ${command}\n} > ${output} 2>&1 < /dev/null`);
    runs.push({ block, statement, output });
  };
  for (const block of blocks) {
    const file = fileOf(block, read(page));
    if (file) {
      const saved = join(out, `file-${script.length}`);
      writeFileSync(saved, moved(file.text));
      const [folder, name] = [dirname(file.name), file.name].map(quoted);
      // Nothing is written into the workspace.
      script.push(`if [ "$PWD/" != "$ROOT" ]; then mkdir -p ${folder}; cp ${quoted(saved)} ${name}; fi`);
    }
    if (isAssistant(block))
      add(block, { line: block.line, command: asAssistant(block), output: undefined, hidden: true });
    if (block.proof.kind !== "commands") continue;
    const given = { ...block, language: "sh", text: `${block.proof.given}\n` };
    if (block.proof.given !== "")
      for (const statement of statementsIn(given)) add(block, { ...statement, hidden: true });
    for (const statement of statementsIn(block)) add(block, statement);
  }
  if (last) add(last, { line: last.line, command: typeCheck, output: undefined, hidden: true });
  // A program that printed an address, and then failed, is no server.
  script.push(
    `for name in "\${!servers[@]}"; do kill -0 "\${servers[$name]}" 2>/dev/null || wait "\${servers[$name]}"; done`,
    "step=end",
  );
  return { script: `${script.join("\n")}\n`, runs };
}

/** Runs the blocks of a session that are commands, and saves those that are files on the way. */
export async function runSession(session: Session, machine: Machine): Promise<PageRun> {
  const { blocks } = session;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "call-transfer-pages-")));
  const [work, bin, out] = ["work", "bin", "out"].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [work, bin, out]) mkdirSync(path);
  for (const [name, text] of Object.entries(commandsHere)) {
    // Not sh: where that is dash, it drops variables such as npm_config_@scope:registry.
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  writeFileSync(join(out, "tsconfig.json"), shownConfig());
  const ports = await freePorts(
    new Set(["4010", "3000", ...blocks.flatMap(({ text, marks }) => (text + marks.given).match(portsIn) ?? [])]),
  );
  const moved = (text: string) => text.replace(portsIn, (port) => ports.get(port) ?? port);
  const shown = (text: string) => {
    let back = stripVTControlCharacters(text).replaceAll(work, ".").replaceAll(folder, "").replace(/\r/g, "");
    // What npm says about the settings of this machine.
    back = back.replace(/^npm (?:warn|notice)\b.*\n?/gm, "");
    for (const [port, free] of ports) back = back.replaceAll(new RegExp(`\\b${free}\\b`, "g"), port);
    return back;
  };
  const { script, runs } = scriptOf(session, work, out, moved);
  writeFileSync(join(folder, "page.sh"), script);

  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ownVariables.test(name))),
    PATH: `${bin}:${machine.node}:${outerPath}`,
    ...{
      OTHER_PATH: outerPath,
      ROOT: workspace,
      OUT: out,
      TZ: "UTC",
      PORT: ports.get("3000"),
    },
    ...{ CALL_TRANSFER_MOCK_PORT: ports.get("4010"), npm_config_cache: machine.cache },
    ...{ npm_config_audit: "false", npm_config_fund: "false", npm_config_update_notifier: "false" },
    // The answer to what npx asks before it installs.
    npm_config_yes: "true",
    // A page that installs from the clone needs no registry of our packages.
    ...(!blocks.some(({ text }) => text.includes("npm run add ")) && {
      "npm_config_@call-transfer:registry": machine.registry,
    }),
    NEXT_TELEMETRY_DISABLED: "1",
  };
  const shell = spawn("bash", [join(folder, "page.sh")], { cwd: work, env, detached: true, stdio: "ignore" });
  await once(shell, "exit");
  const [step = "", status = ""] = readFileSync(join(out, "end"), "utf8").trim().split(" ");
  await endGroup(shell.pid);
  const failed = runs[Number(step)];
  const failure =
    step === "end" && status === "0"
      ? undefined
      : failed === undefined
        ? `The shell ended with status ${status} at ${step}.`
        : `${failed.block.page}:${failed.statement.line}: Status ${status} from: ${failed.statement.command.replace(typeCheck, "npx tsc")}\n${shown(readFileSync(failed.output, "utf8"))}`;
  const byBlock = new Map<number, (Run & { statement: Statement })[]>();
  for (const { block, statement, output } of failure === undefined ? runs : []) {
    if (statement.hidden) continue;
    const place = `${block.page}:${statement.line}`;
    const run = { place, command: statement.command, printed: shown(readFileSync(output, "utf8")), statement };
    byBlock.set(block.line, [...(byBlock.get(block.line) ?? []), run]);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
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

/** A free port for each that the page names: its commands must find what it has started. */
async function freePorts(wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const free = new Set<string>();
  while (free.size < wanted.size) free.add(String(await freePort()));
  const ports = [...free];
  return new Map([...wanted].map((port, at) => [port, ports[at] ?? ""]));
}
