import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scenarios } from "@call-transfer/backend/unstable";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/all.ts";
import { type Shell, shells } from "../../src/cli/help/completion-script.ts";
import { optionsOf } from "../../src/cli/options/command.ts";
import { attackOptions, commandOptions, startOptions } from "../../src/cli/options/options.ts";
import { collectionNames } from "../../src/cli/values/find-record.ts";
import { runLine } from "./run-line.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-completion-"));
afterAll(() => rmSync(folder, { recursive: true }));

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");

/** A program for each shell that prints what the script completes for words; the last one is under the cursor. */
const programs: Readonly<Record<Shell, (script: string, words: readonly string[]) => string>> = {
  bash: (script, words) =>
    `source ${script}; COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; _call_transfer_mock 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script, words) =>
    `_describe() { print -rl -- \${(P)2} }; _files() { }; source ${script}; words=(${quoted(words)}); CURRENT=${words.length}; _call_transfer_mock; true`,
  fish: (script, words) => `source ${script}; complete -C '${words.join(" ")}'`,
};

describe.each(shells)("the completion of %s", (shell) => {
  const isInstalled = spawnSync(shell, ["-c", "true"]).status === 0;
  const script = join(folder, shell);
  beforeAll(async () => {
    const { stdout } = await runLine("http://127.0.0.1:1", "completion", shell);
    writeFileSync(script, stdout);
  });

  /** The completed words; zsh and fish leave out those that do not begin like the last one only when they show them. */
  function complete(...words: string[]): string[] {
    const program = programs[shell](script, ["call-transfer-mock", ...words]);
    const { stdout, stderr } = spawnSync(shell, ["-c", program], { encoding: "utf8" });
    expect(stderr).toBe("");
    const last = words.at(-1) ?? "";
    const found = stdout.split("\n").map((line) => line.replace(shell === "zsh" ? /(?<!\\):.*/ : /\t.*/, ""));
    return found.filter((word) => word !== "" && word.startsWith(last)).sort();
  }

  it.skipIf(!isInstalled).each([
    [[""], [...commands.map(({ name }) => name), "attack", "help", "start"]],
    [["re"], ["redeliver", "requests", "reset", "restore"]],
    [["help", "cl"], ["clock"]],
    [
      ["clock", ""],
      ["advance", "flow", "freeze", "set"],
    ],
    [
      ["state", ""],
      ["add", "remove", "seed", "set", ...collectionNames],
    ],
    [["state", "set", ""], collectionNames],
    [["state", "--sandbox", "mine", "set", "m"], ["members"]],
    [["state", "set", "members", ""], []],
    [
      ["policy", "call"],
      ["callDurationSecs", "callListLagSecs", "callQueueLimit"],
    ],
    [
      ["keys", ""],
      ["expired", "insufficient_scope", "ip_restricted", "revoked", "valid"],
    ],
    [
      ["token", ""],
      ["admin", "agent", "member", "owner"],
    ],
    [["redeliver", ""], ["last"]],
    [["scenario", "s"], scenarios.map(({ name }) => name).filter((name) => name.startsWith("s"))],
    [["completion", ""], shells],
    [
      ["sandbox", "create", "mine", "--clock", ""],
      ["flowing", "frozen"],
    ],
    [["--engine", ""], startOptions.engine.choices],
    [["clock", "--ra"], ["--rate"]],
    [["reset", "-"], Object.keys(commandOptions).map((name) => `--${name}`)],
    [
      ["attack", "--t"],
      ["--timeout", "--tolerance"],
    ],
  ])("completes %j", (words, expected) => {
    expect(complete(...words)).toEqual([...expected].sort());
  });
});

describe("the options of the commands", () => {
  it("take a value everywhere or nowhere under one name, so that a shell need not know the command", () => {
    const tables = [startOptions, attackOptions, ...commands.map(optionsOf)];
    const types = new Map<string, Set<string>>();
    for (const table of tables)
      for (const [name, { type }] of Object.entries(table)) types.set(name, (types.get(name) ?? new Set()).add(type));
    expect([...types].filter(([, found]) => found.size > 1)).toEqual([]);
  });
});
