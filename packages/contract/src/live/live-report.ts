import { runsText } from "../coverage/summary.ts";
import type { LiveReport, Observation, Verdict } from "./run-live.ts";

/** Of what is as expected, no more than this is listed. */
const listedSightings = 3;

const sightingText = ({ subject: what, observed: met }: Observation): string =>
  `      ${what}: ${met}`.replaceAll("\n", "\\n");

function heldText(sightings: readonly Observation[]): string[] {
  const rest = sightings.length - listedSightings;
  return [
    ...sightings.slice(0, listedSightings).map(sightingText),
    ...(rest > 0 ? [`      and ${rest} more; --json lists all`] : []),
  ];
}

function verdictText({ id, about, verdict, observations: sightings, why }: Verdict): string {
  const head = `  ${id.padEnd(5)} ${verdict.padEnd(14)} ${about}`;
  if (why !== undefined) return `${head}\n      ${why}`;
  if (verdict === "held") return [head, ...heldText(sightings)].join("\n");
  const refuting = sightings.filter(({ holds }) => !holds);
  return [head, ...refuting.map((sighting) => `${sightingText(sighting)}\n        by the case: ${sighting.case}`)].join(
    "\n",
  );
}

/** The last line: what was broken, held, refuted and left open, and how much was asked. */
function conclusion({ runs, verdicts, notRun, requests }: LiveReport): string {
  const broken = runs.filter(({ failure }) => failure !== undefined).length;
  const count = (verdict: Verdict["verdict"]) => verdicts.filter((row) => row.verdict === verdict).length;
  return [
    `Assumptions: ${count("held")} held, ${count("refuted")} refuted, ${count("not observable")} not observable.`,
    `${requests} requests; ${notRun.length} cases were not run.`,
    `${runs.length - broken} passed, ${broken} failed`,
  ].join("\n");
}

/** The report to read: what is wrong comes first. */
export function liveText(report: LiveReport): string {
  const { baseUrl, runs, notRun, verdicts } = report;
  const tookMs = runs.reduce((sum, run) => sum + run.tookMs, 0);
  const order = ["refuted", "held", "not observable"];
  const numberOf = ({ id }: Verdict) => Number(id.slice(2));
  const sorted = verdicts.toSorted(
    (left, right) => order.indexOf(left.verdict) - order.indexOf(right.verdict) || numberOf(left) - numberOf(right),
  );
  return [
    runsText(baseUrl, runs, tookMs),
    ...notRun.map(({ name, why }) => `  not run: ${name} (${why})`),
    "",
    "What was met where the specification is silent:",
    ...sorted.map(verdictText),
    "",
    conclusion(report),
  ].join("\n");
}

/** The report as data, without the counts of exchanges. */
export const liveJson = ({ baseUrl, runs, notRun, verdicts, requests, lost }: LiveReport): string =>
  JSON.stringify(
    {
      baseUrl,
      requests,
      lost,
      cases: runs.map(({ name, failure, trace, tookMs }) => ({ name, tookMs, failure, trace })),
      notRun,
      assumptions: verdicts,
    },
    null,
    2,
  );
