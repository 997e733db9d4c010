import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { runsText } from "../coverage/coverage.ts";
import { messageOf, printable } from "../suite/trace.ts";
import { connectionProblem } from "./live-target.ts";
import { exitStatus, type LiveOptions, liveOptions, UsageError, usage } from "./options.ts";
import { checkServer, type LiveReport, type Observation, statusOfReport, type Verdict } from "./run-live.ts";

/** The maximum number of expected observations to list. */
const maxListed = 3;

const observationText = ({ subject, observed }: Observation): string =>
  `      ${subject}: ${observed}`.replaceAll("\n", "\\n");

function heldText(observations: readonly Observation[]): string[] {
  const rest = observations.length - maxListed;
  return [
    ...observations.slice(0, maxListed).map(observationText),
    ...(rest > 0 ? [`      and ${rest} more (all with --json)`] : []),
  ];
}

function verdictText({ id, about, verdict, observations, reason }: Verdict): string {
  const head = `  ${id.padEnd(5)} ${verdict.padEnd(14)} ${about}`;
  if (reason !== undefined) return `${head}\n      ${reason}`;
  if (verdict === "held") return [head, ...heldText(observations)].join("\n");
  const differing = observations.filter(({ holds }) => !holds);
  return [
    head,
    ...differing.map((observation) => `${observationText(observation)}\n        in the case: ${observation.case}`),
  ].join("\n");
}

/** The last lines: the counts of assumptions, requests and cases. */
function conclusion({ runs, verdicts, notRun, requests }: LiveReport): string {
  const broken = runs.filter(({ failure }) => failure !== undefined).length;
  const count = (verdict: Verdict["verdict"]) => verdicts.filter((row) => row.verdict === verdict).length;
  return [
    `Assumptions: ${count("held")} held, ${count("differs")} differ, ${count("not observed")} not observed.`,
    `${requests} requests sent, ${notRun.length} cases not run.`,
    `${runs.length - broken} passed, ${broken} failed`,
  ].join("\n");
}

/** The report as text, with problems first. */
function liveText(report: LiveReport): string {
  const { baseUrl, without, runs, notRun, verdicts } = report;
  const durationMs = runs.reduce((sum, run) => sum + run.durationMs, 0);
  const order = ["differs", "held", "not observed"];
  const numberOf = ({ id }: Verdict) => Number(id.slice(2));
  const sorted = verdicts.toSorted(
    (left, right) => order.indexOf(left.verdict) - order.indexOf(right.verdict) || numberOf(left) - numberOf(right),
  );
  return [
    runsText(baseUrl, runs, durationMs),
    ...(without.length === 0
      ? []
      : [`  The server has no ${without.join(", ")} (--without), so this is a part of the API.`]),
    ...notRun.map(({ name, reason }) => `  not run: ${name} (${reason})`),
    "",
    "Assumptions about what the specification does not define:",
    ...sorted.map(verdictText),
    "",
    conclusion(report),
  ].join("\n");
}

/** The report as JSON, without the recorded exchanges. */
const liveJson = ({ baseUrl, without, runs, notRun, verdicts, requests, lost }: LiveReport): string =>
  JSON.stringify(
    {
      baseUrl,
      without,
      requests,
      lost,
      cases: runs.map(({ name, failure, trace, durationMs }) => ({ name, durationMs, failure, trace })),
      notRun,
      assumptions: verdicts,
    },
    null,
    2,
  );

/** The command's arguments, environment and output; injectable for tests. */
export interface Shell {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
}

/** Opens the file for the new secret before the rotation. Throws when it exists or is not writable. */
function secretFileOf({ changes }: LiveOptions): { write(secret: string): void; close(): void } {
  if (!changes.rotation) return { write() {}, close() {} };
  const { secretFile } = changes.rotation;
  const file = openSync(secretFile, "wx", 0o600);
  let isUsed = false;
  const close = () => {
    process.off("exit", close);
    closeSync(file);
    if (!isUsed) unlinkSync(secretFile);
  };
  // An empty file of an interrupted run would prevent the next run.
  process.once("exit", close);
  return {
    write(secret) {
      isUsed = true;
      writeSync(file, `${secret}\n`);
    },
    close,
  };
}

/** Removes the given credentials, which a server may repeat, and control characters. */
const clean = (text: string, { apiKey, accessToken }: Pick<LiveOptions, "apiKey" | "accessToken"> = {}): string =>
  printable(
    [apiKey, accessToken].reduce<string>(
      (rest, secret) => (secret === undefined ? rest : rest.replaceAll(secret, "[redacted]")),
      text,
    ),
  );

/** Runs the command; returns its exit status: 0 if the server keeps the contract, 1 if not, 2 for an incomplete run. */
export async function main({ args, environment, out, err }: Shell): Promise<number> {
  let options: LiveOptions | undefined;
  let secretFile: ReturnType<typeof secretFileOf>;
  try {
    options = liveOptions(args, environment);
    if (!options) {
      out(usage);
      return exitStatus.passed;
    }
    const reason = await connectionProblem(options);
    if (reason !== undefined) throw new UsageError(reason);
    secretFile = secretFileOf(options);
  } catch (error) {
    err(clean(messageOf(error), options));
    if (error instanceof UsageError) err("For all options: npx @call-transfer/contract --help");
    return exitStatus.incomplete;
  }
  const given = options;
  try {
    const report = await checkServer(given, { announce: err, saveSecret: secretFile.write });
    out(clean(given.json ? liveJson(report) : liveText(report), given));
    if (report.lost !== undefined) err(clean(`${report.lost}. The run is incomplete.`, given));
    return statusOfReport(report, given.strict);
  } finally {
    secretFile.close();
  }
}
