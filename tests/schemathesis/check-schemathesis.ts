// Lets Schemathesis judge the mock server by the published document. `--seed N` repeats a run.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { demo } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import { compare, type Finding, readExplanations } from "./report.ts";
import {
  countLinks,
  ensureSchemathesis,
  judgedDocument,
  type Result,
  type Run,
  runSchemathesis,
} from "./schemathesis.ts";

const { values } = parseArgs({ options: { seed: { type: "string" } } });
/** Each night others. */
const seeds = values.seed === undefined ? [randomInt(2 ** 31), randomInt(2 ** 31)] : [Number(values.seed)];
const document = judgedDocument();
const maxExamples = 300;
/** So few that calls are also queued. */
const concurrentCallLimit = 3;

/** The parts of a run. Each has a mock server of its own, whose clock stands still. */
const parts: readonly ((token: string) => Omit<Run, "url" | "document" | "seed">)[] = [
  () => ({
    caller: { name: "an API key", credential: demo.apiKey },
    phases: ["examples", "coverage", "fuzzing", "stateful"],
    maxExamples,
  }),
  (token) => ({
    caller: { name: "the owner's token", credential: token },
    phases: ["examples", "coverage", "fuzzing"],
    maxExamples,
  }),
  // Schemathesis would begin each chain of requests with the list of accounts, which always succeeds. A chain goes on only after
  // an answer that has links, so the other parts try what is refused.
  (token) => ({
    caller: { name: "the owner's token, in chains that do not begin with the accounts", credential: token },
    phases: ["stateful"],
    maxExamples: 2 * maxExamples,
    options: [
      ...["--exclude-operation-id", "listAccounts", "--exclude-checks", "positive_data_acceptance"],
      ...["--mode", "positive", "--generation-with-security-parameters", "false"],
    ],
  }),
];

async function judge(command: string, seed: number, part: (typeof parts)[number]): Promise<Result> {
  const policies = { rateLimit: { requests: 1_000_000, windowSecs: 60 }, concurrentCallLimit };
  const server = await startMockServer({ port: 0, clockMode: "frozen", now: "2026-03-02T12:00:00Z", policies });
  try {
    const token = await server.backend.credentials.createAccessToken({ userId: demo.users.owner });
    const run = part(token);
    const result = await runSchemathesis(command, { ...run, url: server.url, document, seed });
    console.log(`\n--- As ${run.caller.name}, seed ${seed}\n${result.summary}`);
    return result;
  } finally {
    await server.close();
  }
}

function describe({ operation, check, answer, message, request }: Finding): string {
  return `${operation}: ${check}, answered ${answer}\n  ${message.replaceAll("\n", "\n  ")}\n  ${request}`;
}

async function check(): Promise<readonly string[]> {
  const command = ensureSchemathesis();
  const results: Result[] = [];
  for (const seed of seeds) {
    console.log(`\nSeed ${seed}. To repeat it alone: npm run check -- document schemathesis --seed ${seed}`);
    for (const part of parts) results.push(await judge(command, seed, part));
  }
  const list = readExplanations();
  const findings = results.flatMap((result) => result.findings);
  const { unexplained, unused } = compare(findings, list);
  const followed = new Set(results.flatMap(({ followedLinks }) => [...followedLinks]));
  const links = countLinks(document);
  console.log(`\n${followed.size} of ${links} links followed. ${unexplained.length} findings without an explanation.`);
  return [
    ...results.flatMap(({ errors }) => errors.map((error) => `Schemathesis failed: ${error}`)),
    ...unexplained.map((finding) => `Unexplained: ${describe(finding)}`),
    ...unused.map(({ because }) => `explained.yaml explains what was not found. Remove the entry: ${because}`),
    ...(followed.size < links ? [`Only these links were followed:\n  ${[...followed].join("\n  ")}`] : []),
  ];
}

const problems = await check();
for (const problem of problems) console.error(`\n${problem}`);
if (problems.length > 0) process.exitCode = 1;
