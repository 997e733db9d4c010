// Runs Schemathesis once against a server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../scripts/packed.ts";
import { type Report, readReport } from "./report.ts";
import { type Caller, settingsFor } from "./settings.ts";

export interface Run {
  readonly url: string;
  readonly document: unknown;
  readonly caller: Caller;
  readonly seed: number;
  /** How many requests it makes up for each operation in a phase. */
  readonly maxExamples: number;
  readonly phases: readonly ("examples" | "coverage" | "fuzzing" | "stateful")[];
  /** Further options of its command line. */
  readonly options?: readonly string[];
}

/** What it found, and the summary that it printed. */
export interface Result extends Report {
  readonly summary: string;
}

/** Runs Schemathesis in a folder of its own. */
export async function runSchemathesis(command: string, run: Run): Promise<Result> {
  const { url, document, caller, seed, maxExamples, phases, options = [] } = run;
  using folder = temporaryFolder("schemathesis");
  const [settings, described, events] = ["settings.toml", "openapi.json", "events.ndjson"].map((name) =>
    join(folder.path, name),
  ) as [string, string, string];
  writeFileSync(settings, settingsFor(caller, seed));
  writeFileSync(described, JSON.stringify(document));
  const words = ["--no-color", "--config-file", settings, "run", described, "--url", url, ...options];
  const limits = ["--phases", phases.join(","), "--max-examples", String(maxExamples), "--report-ndjson-path", events];
  const child = spawn(command, [...words, ...limits], { cwd: folder.path, stdio: ["ignore", "pipe", "pipe"] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output.push(text));
  await once(child, "close");
  const printed = output.join("");
  if (!existsSync(events)) throw new Error(`Schemathesis did not start:\n${printed}`);
  const summary = /^=+ SUMMARY =+\n\n([\s\S]*?)\n\n(?:For more|Reports:)/m.exec(printed)?.[1] ?? printed;
  const cases = /^Test cases:\n.*$/m.exec(printed)?.[0] ?? "";
  const links = /^ *API Links:.*$/m.exec(printed)?.[0].trim() ?? "";
  const version = /^Schemathesis v.*$/m.exec(printed)?.[0] ?? "";
  const parts = [version, summary, summary.includes("Test cases:") ? "" : cases, links];
  return { ...readReport(readFileSync(events, "utf8")), summary: parts.filter((part) => part !== "").join("\n\n") };
}
