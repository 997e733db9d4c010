// What Schemathesis reports, one event a line, and the findings that are right as they are: explained.yaml.
import { readFileSync } from "node:fs";
import { operations } from "@call-transfer/spec";
import { parse } from "yaml";
import * as z from "zod";

/** A failed check of Schemathesis. Equal ones are listed once. */
export interface Finding {
  /** The operationId. */
  readonly operation: string;
  /** Schemathesis's name of the check. */
  readonly check: string;
  /** The status of the answer, its error code, and a failing field without its indexes. */
  readonly answer: string;
  readonly message: string;
  /** The first request that showed it, as curl. */
  readonly request: string;
}

export interface Report {
  readonly findings: readonly Finding[];
  /** The links that were followed, as Schemathesis names them. */
  readonly followedLinks: ReadonlySet<string>;
  /** What kept Schemathesis from testing, such as a link to an operation that does not exist. */
  readonly errors: readonly string[];
}

const bytes = z.object({ $base64: z.string() }).transform((body) => Buffer.from(body.$base64, "base64").toString());
const request = z.object({
  method: z.string(),
  uri: z.string(),
  headers: z.record(z.string(), z.array(z.string())),
  body: bytes.nullish(),
});
const recorder = z.object({
  cases: z.record(
    z.string(),
    z.object({ transition: z.object({ id: z.string() }).nullish(), is_transition_applied: z.boolean() }),
  ),
  checks: z.record(
    z.string(),
    z.array(
      z.object({
        name: z.string(),
        failure_info: z.object({ failure: z.object({ operation: z.string(), message: z.string() }) }).nullish(),
      }),
    ),
  ),
  interactions: z.record(
    z.string(),
    z.object({
      request,
      response: z.object({ status_code: z.number(), content: bytes.nullish() }).nullish(),
    }),
  ),
});
const event = z.object({
  ScenarioFinished: z.object({ recorder: recorder.partial() }).optional(),
  NonFatalError: z.unknown().optional(),
  FatalError: z.unknown().optional(),
  EngineFinished: z.object({ stop_reason: z.string() }).optional(),
});
type Exchange = z.infer<typeof recorder>["interactions"][string];

const ids = new Map(Object.entries(operations).map(([id, { method, path }]) => [`${method} ${path}`, id]));

const problem = z.object({
  code: z.string(),
  errors: z.array(z.object({ field: z.string(), code: z.string() })).default([]),
});

/** The status with the error code, such as `404 resource_not_found`; once for each failing field, if the body lists them. */
function answersOf({ response }: Exchange): readonly string[] {
  if (response == null) return ["no answer"];
  const { status_code: status, content } = response;
  try {
    const { code, errors } = problem.parse(JSON.parse(content ?? ""));
    const answer = `${status} ${code}`;
    const fields = errors.map(({ field, code: rule }) => `${answer} ${field.replaceAll(/\[\d+\]/g, "[]")} ${rule}`);
    return fields.length > 0 ? [...new Set(fields)] : [answer];
  } catch {
    return [String(status)];
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curlOf({ request: { method, uri, headers, body } }: Exchange): string {
  const sent = Object.entries(headers).map(([name, values]) => `-H ${quoted(`${name}: ${values.join(", ")}`)}`);
  return ["curl", "-X", method, ...sent, ...(body ? ["-d", quoted(body)] : []), quoted(uri)].join(" ");
}

/** Reads the events of a run. A run that did not end is an error. */
export function readReport(lines: string): Report {
  const findings = new Map<string, Finding>();
  const followedLinks = new Set<string>();
  const errors: string[] = [];
  let isComplete = false;
  for (const line of lines.split("\n").filter((text) => text !== "")) {
    const {
      ScenarioFinished: scenario,
      NonFatalError,
      FatalError,
      EngineFinished: end,
    } = event.parse(JSON.parse(line));
    if (NonFatalError !== undefined || FatalError !== undefined) errors.push(line);
    if (end?.stop_reason === "completed") isComplete = true;
    const { cases = {}, checks = {}, interactions = {} } = scenario?.recorder ?? {};
    for (const { transition, is_transition_applied: isApplied } of Object.values(cases))
      if (transition && isApplied) followedLinks.add(transition.id);
    for (const [id, results] of Object.entries(checks)) {
      const exchange = interactions[id];
      for (const { name: check, failure_info: info } of results) {
        if (info == null || exchange === undefined) continue;
        const { operation: label, message } = info.failure;
        const operation = ids.get(label) ?? label;
        for (const answer of answersOf(exchange)) {
          const key = [operation, check, answer].join(" ");
          if (!findings.has(key)) findings.set(key, { operation, check, answer, message, request: curlOf(exchange) });
        }
      }
    }
  }
  if (!isComplete) errors.push("The run did not end.");
  return { findings: [...findings.values()], followedLinks, errors };
}

const explanations = z.array(
  z.strictObject({
    operations: z.array(z.string()).min(1),
    check: z.string(),
    answers: z.array(z.string()).min(1),
    because: z.string(),
    rare: z.boolean().optional(),
  }),
);
type Explanation = z.infer<typeof explanations>[number];

export const readExplanations = (): readonly Explanation[] =>
  explanations.parse(parse(readFileSync(new URL("explained.yaml", import.meta.url), "utf8")));

const keyOf = ({ operation, check, answer }: Pick<Finding, "operation" | "check" | "answer">) =>
  `${operation} ${check} ${answer}`;

/** What an entry explains, one line for each operation and answer. */
const keysOf = ({ operations, check, answers }: Explanation) =>
  operations.flatMap((operation) => answers.map((answer) => keyOf({ operation, check, answer })));

/** Compares findings with the list: what it does not explain, each once, and the entries that no finding needs. */
export function compare(findings: readonly Finding[], list: readonly Explanation[]) {
  const explained = new Set(list.flatMap(keysOf));
  const found = new Map(findings.toReversed().map((finding) => [keyOf(finding), finding]));
  return {
    unexplained: [...found].filter(([key]) => !explained.has(key)).map(([, finding]) => finding),
    unused: list.filter((entry) => !entry.rare && !keysOf(entry).some((key) => found.has(key))),
  };
}
