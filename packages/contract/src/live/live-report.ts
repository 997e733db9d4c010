import { runsText } from "../coverage/summary.ts";
import type { LiveReport, Observation, Verdict } from "./run-live.ts";

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

function verdictText({ id, about, verdict, observations, why }: Verdict): string {
  const head = `  ${id.padEnd(5)} ${verdict.padEnd(14)} ${about}`;
  if (why !== undefined) return `${head}\n      ${why}`;
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
export function liveText(report: LiveReport): string {
  const { baseUrl, without, runs, notRun, verdicts } = report;
  const tookMs = runs.reduce((sum, run) => sum + run.tookMs, 0);
  const order = ["differs", "held", "not observed"];
  const numberOf = ({ id }: Verdict) => Number(id.slice(2));
  const sorted = verdicts.toSorted(
    (left, right) => order.indexOf(left.verdict) - order.indexOf(right.verdict) || numberOf(left) - numberOf(right),
  );
  return [
    runsText(baseUrl, runs, tookMs),
    ...(without.length === 0
      ? []
      : [`  The server has no ${without.join(", ")} (--without), so this is a part of the API.`]),
    ...notRun.map(({ name, why }) => `  not run: ${name} (${why})`),
    "",
    "Assumptions about what the specification does not define:",
    ...sorted.map(verdictText),
    "",
    conclusion(report),
  ].join("\n");
}

/** The report as JSON, without the recorded exchanges. */
export const liveJson = ({ baseUrl, without, runs, notRun, verdicts, requests, lost }: LiveReport): string =>
  JSON.stringify(
    {
      baseUrl,
      without,
      requests,
      lost,
      cases: runs.map(({ name, failure, trace, tookMs }) => ({ name, tookMs, failure, trace })),
      notRun,
      assumptions: verdicts,
    },
    null,
    2,
  );
