// Splits a run into shards, and merges their reports into the report of the whole run.
import { readFileSync } from "node:fs";
import { z } from "zod";
import { UsageError } from "./options.ts";
import { type Report, reportSchema } from "./report.ts";
import { sumTotals } from "./totals.ts";

/** One part of a run. */
export interface Shard {
  /** Which part, from 1. */
  readonly shard: number;
  /** The number of parts. */
  readonly shards: number;
}

/**
 * The worlds of a shard, counted from the first of the run. They are consecutive, so that each shard gets every kind. Throws
 * a {@link UsageError} if there are more shards than worlds.
 */
export function worldsOf({ shard, shards }: Shard, seeds: number): { readonly start: number; readonly end: number } {
  if (shards > 1 && shards > seeds)
    throw new UsageError(`${seeds} seeds cannot be split into ${shards} shards. Use more seeds or fewer shards.`);
  return { start: Math.floor(((shard - 1) * seeds) / shards), end: Math.floor((shard * seeds) / shards) };
}

/** A report and the name of its file. */
export interface NamedReport {
  readonly file: string;
  readonly report: Report;
}

/** Reads a report. Throws a {@link UsageError} for other files. */
export function readReport(file: string): NamedReport {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${error instanceof Error ? error.message : error}`);
  }
  const { data, error } = reportSchema.safeParse(content);
  if (data === undefined)
    throw new UsageError(`${file} is not a report of npm run lab -- simulate. ${z.prettifyError(error)}`);
  return { file, report: data };
}

/** What all shards of a run share. */
const shared = ["code", "from", "seeds", "calls", "shards"] as const;

/** Merges the reports of all shards of one run. Throws a {@link UsageError} if they are not that. */
export function mergeReports(all: readonly NamedReport[]): Report {
  const [first] = all;
  if (first === undefined) throw new UsageError("Missing files. Name the report of each shard after --merge.");
  const byShard = new Map<number, NamedReport>();
  for (const one of all) {
    const { file, report } = one;
    for (const name of shared)
      if (report[name] !== first.report[name])
        throw new UsageError(
          `${file} is not of the same run as ${first.file}: ${name} is ${report[name]}, not ${first.report[name]}.`,
        );
    const other = byShard.get(report.shard);
    if (other !== undefined) throw new UsageError(`${other.file} and ${file} are both shard ${report.shard}.`);
    const { start, end } = worldsOf(report, report.seeds);
    const { hashes, totals } = report;
    if (report.shard > report.shards || hashes.length !== end - start || totals.worlds !== end - start)
      throw new UsageError(`${file} is not complete. Run shard ${report.shard} of ${report.shards} again.`);
    byShard.set(report.shard, one);
  }
  const { shards } = first.report;
  const numbers = Array.from({ length: shards }, (_, index) => index + 1);
  const absent = numbers.filter((shard) => !byShard.has(shard));
  if (absent.length > 0)
    throw new UsageError(`The report of shard ${absent.join(", ")} of ${shards} is missing. Run it and merge again.`);
  const reports = numbers.flatMap((shard) => byShard.get(shard)?.report ?? []);
  return {
    ...first.report,
    shard: 1,
    shards: 1,
    hashes: reports.flatMap(({ hashes }) => hashes),
    failures: reports.flatMap(({ failures }) => failures),
    totals: sumTotals(reports.map(({ totals }) => totals)),
    seconds: Math.max(...reports.map(({ seconds }) => seconds)),
    coreSeconds: reports.reduce((sum, { coreSeconds }) => sum + coreSeconds, 0),
  };
}
