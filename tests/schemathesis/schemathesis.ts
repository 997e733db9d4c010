// Runs Schemathesis once against a server: where it is installed, the document that it gets, who calls with which records, and how.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { demo } from "@call-transfer/backend";
import { type OperationId, operations } from "@call-transfer/spec";
import published from "@call-transfer/spec/openapi.json" with { type: "json" };
import { memberOf } from "../../packages/contract/src/document/json.ts";
import { temporaryFolder } from "../../scripts/packed.ts";
import { ensureEnvironment } from "../../scripts/python.ts";
import { resolved, sampleOf } from "../../site/samples.ts";
import { type Report, readReport } from "./report.ts";

const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));

/** Installs Schemathesis, unless the cache has it, and returns the path of its command. */
export const ensureSchemathesis = (): string => join(ensureEnvironment("schemathesis", requirements), "schemathesis");

/**
 * The published document in a stricter form. It has no `default` responses, so that each status counts as undocumented
 * that an operation does not list. The examples of requests name records that the mock server has.
 */
export function judgedDocument(): unknown {
  const document: unknown = structuredClone(published);
  for (const [id, { method, path }] of Object.entries(operations)) {
    const item = memberOf(memberOf(document, "paths"), path);
    const operation = memberOf(item, method.toLowerCase());
    Reflect.deleteProperty(Object(memberOf(operation, "responses")), "default");
    const sample = sampleOf(id as OperationId);
    for (const parameter of Object(memberOf(item, "parameters") ?? [])) {
      const value = sample.path?.[String(memberOf(parameter, "name"))];
      if (value !== undefined) Reflect.set(parameter, "example", resolved(value));
    }
    const body = memberOf(memberOf(memberOf(operation, "requestBody"), "content"), "application/json");
    if (body !== undefined) Reflect.set(Object(body), "examples", { sample: { value: resolved(sample.body) } });
  }
  return document;
}

/** How many links the document has. */
export function countLinks(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  return Object.entries(node).reduce(
    (sum, [key, part]) => sum + (key === "links" ? Object.keys(part).length : countLinks(part)),
    0,
  );
}

/** Who sends the requests. */
interface Caller {
  readonly name: string;
  /** What stands in `Authorization` after `Bearer`. */
  readonly credential: string;
}

const { destinations, members, flows, numbers, providers, recipients } = demo;

/** The value that succeeds, and others, less often. */
const mostly = (value: string, ...others: readonly string[]) => [...others.map(() => value), value, ...others];

/** Values by parameter. Most requests have one of these, the others what Schemathesis makes up. */
const records: Readonly<Record<string, readonly string[]>> = {
  "path.id": [destinations.app, destinations.phone, destinations.foreign],
  "path.memberId": [members.owner, members.agent, members.foreign],
  "body.flowId": mostly(flows.published, flows.draft, flows.foreign),
  "body.fromNumber": mostly(numbers.working, ...Object.values(numbers)),
  "body.providerId": mostly(providers.working, providers.rejecting),
  "body.toNumber": mostly(recipients.anyone, recipients.doNotCall, recipients.elsewhere),
  "body.members[*].destinationId": [destinations.app, destinations.phone, ...destinations.extra, destinations.foreign],
};

/** The configuration as TOML, in which texts and lists of texts are written as in JSON. */
function settingsFor({ credential }: Caller, seed: number): string {
  const names = Object.keys(records);
  const lists = names.map((name, index) => `records-${index} = { values = ${JSON.stringify(records[name])} }`);
  const uses = names.map((name, index) => `"${name}" = { dictionary = "records-${index}", probability = 0.8 }`);
  return `seed = ${seed}
continue-on-failure = true
# A busy machine is slow.
suppress-health-check = ["all"]
[cache]
enabled = false
[generation]
database = "none"
no-shrink = true
[auth.openapi.bearerAuth]
bearer = ${JSON.stringify(credential)}
[dictionaries]
${lists.join("\n")}
[parameters]
"header.X-Account-Id" = ${JSON.stringify(demo.accountId)}
${uses.join("\n")}
`;
}

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
