// The report of a run or of one of its shards, as data and as text.
import { createHash } from "node:crypto";
import { z } from "zod";
import { allCells, answerClasses, conditions, faultNames, kindNames, operationList } from "./faults.ts";
import { cellKey } from "./records.ts";
import { missedAnswers, missedCells, missedReceivers, sum, type Totals, totalsSchema } from "./totals.ts";

const failureSchema = z.object({
  seed: z.int().min(0),
  hash: z.string(),
  violations: z.array(z.object({ invariant: z.string(), message: z.string() })).min(1),
});

const resultSchema = z.object({
  /** The hash of each world's trace, in the order of the seeds. */
  hashes: z.array(z.string()),
  /** The worlds that violated an invariant, in the order of the seeds. */
  failures: z.array(failureSchema),
  totals: totalsSchema,
  /** How long the run took. */
  seconds: z.number().min(0),
  /** The processor time that the run took. */
  coreSeconds: z.number().min(0),
});

/** A report as it is in a file. */
export const reportSchema = z.object({
  /** A digest of the code that ran. */
  code: z.string(),
  /** The first seed of the whole run. */
  from: z.int().min(0),
  /** The number of seeds of the whole run. */
  seeds: z.int().min(0),
  /** Calls per world. */
  calls: z.int().min(0),
  /** Which of the shards it is, from 1. */
  shard: z.int().min(1),
  /** The number of shards of the run. */
  shards: z.int().min(1),
  ...resultSchema.shape,
});

/** A world that violated an invariant. */
export type Failure = z.infer<typeof failureSchema>;
/** What some worlds did. */
export type Result = z.infer<typeof resultSchema>;
/** What a run or one of its shards did. */
export type Report = z.infer<typeof reportSchema>;

/** How many failures are printed in detail. */
export const mostDetailed = 5;

/** A failure in detail. */
export function failureLines({ seed, hash, violations }: Failure, calls: number): string[] {
  return [
    `seed ${seed}, trace ${hash}: FAILED`,
    ...violations.map(({ invariant, message }) => `  ${invariant}: ${message}`),
    `  replay: npm run lab -- simulate --from ${seed} --seeds 1 --calls ${calls} --trace`,
  ];
}

/** The number of exchanges per fault and operation. */
function cellTable({ cells }: Totals): string[] {
  const letters = operationList.map((_, index) => String.fromCharCode(65 + index));
  const legend = operationList.map(({ id }, index) => `${letters[index]} ${id}`).join(", ");
  const known = new Set(allCells.map(({ fault, operation }) => cellKey(fault, operation.id)));
  const rows = [...faultNames, ...conditions].map((fault) => {
    const counts = operationList.map(({ id }) => {
      const key = cellKey(fault, id);
      return (known.has(key) ? String(cells[key] ?? 0) : "-").padStart(8);
    });
    return `${fault.padEnd(26)}${counts.join("")}`;
  });
  return [legend, "".padEnd(26) + letters.map((letter) => letter.padStart(8)).join(""), ...rows];
}

/** The totals of a run, one line each. */
function figures({ totals, seconds, coreSeconds }: Result): string[] {
  const { attempts, calls, worlds, offers, offerCopies, received, risky, cells, passedOn } = totals;
  const [perSecond, perCore] = [Math.round(attempts / seconds), Math.round(attempts / coreSeconds)];
  const hit = allCells.length - missedCells(totals).length;
  const pairs = kindNames.length * answerClasses.length;
  const lines = [
    `${attempts} attempts of ${calls} calls in ${worlds} worlds, ${perSecond} attempts/s (${perCore} per second of one core's work)`,
    `${hit} of ${allCells.length} pairs of fault and operation covered, ${sum(Object.values(cells))} times in all`,
    `${pairs - missedAnswers(totals).length} of ${pairs} pairs of middleware and response covered, ${sum(Object.values(passedOn))} responses read through middleware`,
    `${offers} offers delivered and verified, ${offerCopies} of them twice`,
    `${sum(Object.values(received))} requests with offers at receivers that share a store, under ${Object.keys(received).length} kinds of trouble`,
  ];
  for (const [policy, title] of [
    ["throw", "under the default policy"],
    ["check", "under retry.onUnknownOutcome: check"],
    ["retry", "under retry.onUnknownOutcome: retry"],
  ] as const) {
    const { calls: all, duplicates } = risky[policy];
    lines.push(`${duplicates} of ${all} placements and rotations executed more than once ${title}`);
  }
  return lines;
}

/** What a run with a world for every pair did not cover. Smaller runs and shards need not cover all. */
function missed({ totals, shards }: Report): string[] {
  if (shards > 1 || totals.worlds < allCells.length) return [];
  return [...missedCells(totals), ...missedAnswers(totals), ...missedReceivers(totals)];
}

/** Whether all invariants held and everything was covered. */
export const hasPassed = (report: Report): boolean => report.failures.length === 0 && missed(report).length === 0;

/** The text after the failures in detail. */
export function summaryLines(report: Report): string[] {
  const { failures, from, seeds, shard, shards, hashes } = report;
  const digest = createHash("sha256").update(hashes.join("\n")).digest("hex").slice(0, 16);
  const notCovered = missed(report);
  const failed = failures.map(({ seed }) => seed);
  const part = shards > 1 ? `shard ${shard} of ${shards} of ` : "";
  return [
    ...cellTable(report.totals),
    ...figures(report),
    ...(notCovered.length > 0 ? [`not covered: ${notCovered.join(", ")}`] : []),
    `${part}seeds ${from} to ${from + seeds - 1}, digest of all traces ${digest}`,
    failed.length === 0 ? "all invariants held" : `${failed.length} seeds failed: ${failed.join(", ")}`,
  ];
}

/** The whole text of a report. */
export function reportLines(report: Report): string[] {
  const detailed = report.failures.slice(0, mostDetailed).flatMap((failure) => failureLines(failure, report.calls));
  return [...detailed, ...summaryLines(report)];
}
