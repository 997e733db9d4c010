// Runs the checks against a receiver, and makes the report.
import { elapsed } from "@call-transfer/backend/unstable";
import { type AttackLimits, type AttackOptions, createSender, limitsOf } from "./attack-options.ts";
import { answersInTime, baseline } from "./baseline.ts";
import { bypassChecks } from "./bypass-checks.ts";
import type { Check, Lab, Requirement } from "./check.ts";
import { duplicateChecks } from "./duplicate-checks.ts";
import { forgedChecks, verifiesFirst } from "./forged-checks.ts";
import { atTheSameTime, genuineChecks } from "./genuine-checks.ts";
import { compareCounts, type Expectation, readCounts } from "./handled-counts.ts";
import { identityChecks, lateCopy } from "./identity-checks.ts";
import { leakChecks } from "./leak-checks.ts";
import { limitChecks } from "./limit-checks.ts";
import type { AttackReport } from "./report.ts";
import { type Result, reportOf } from "./report-of.ts";
import type { Sender } from "./sender.ts";
import { tamperingChecks } from "./tampering-checks.ts";

const lastChecks: readonly Check[] = [lateCopy, ...leakChecks];

/** All checks, as they run against a receiver that answers fast, and as the report lists them. */
const allChecks: readonly Check[] = [
  ...[baseline, answersInTime, ...genuineChecks],
  ...[verifiesFirst, ...forgedChecks, ...tamperingChecks, ...bypassChecks],
  ...[...duplicateChecks, ...identityChecks, ...limitChecks, ...lastChecks],
];

/** Deliveries without an answer after which the attack stops. */
const mostUnanswered = 5;

/** A receiver that takes longer for a plain offer gets many checks at the same time. */
const slowMs = 1000;

/** Checks at the same time: of a receiver that answers many deliveries as fast as one, and of others. */
const widths = { parallel: 60, limited: 4 };

/**
 * Attacks a webhook receiver (§6) with genuine, forged, repeated and broken deliveries over HTTP, and reports what it does
 * wrong. It runs in real time and needs no mock server.
 *
 * @throws {TypeError} An option is invalid, or an address is not on this machine and `allowRemote` is not set.
 * @throws {Error} Nothing listens at an address, or `handled` failed: before the attack, or after one without findings.
 */
export async function attackReceiver(options: AttackOptions): Promise<AttackReport> {
  const { handled, secret, previousSecret, retiredSecret } = options;
  const limits = limitsOf(options);
  const sender = createSender(options, limits);
  // Fails at the start, and not after the attack, if the counts cannot be read.
  if (handled !== undefined) await readCounts(handled);
  const expected = new Map<string, Expectation>();
  const notes = new Map<string, string>();
  const results = new Map<Check, Result>();
  const memory: Lab["memory"] = {};
  const labOf = ({ name }: Check): Lab => ({
    ...{ previousSecret, retiredSecret, memory, timeoutMs: limits.timeoutMs },
    sender: sender.of(name),
    toleranceSecs: limits.toleranceMs / 1000,
    note: (text) => void notes.set(name, text),
    expectHandled: (id, handling) => void expected.set(id, { check: name, handling }),
  });
  const end = elapsed() + limits.maxDurationMs;
  let stopped: string | undefined;
  const run = async (check: Check): Promise<void> => {
    if (elapsed() >= end) stopped ??= tooLong(limits, memory);
    // The leaks are searched in what was answered until then.
    const unsent = check.group === "leaks" ? undefined : stopped;
    const reason = missing(check, options) ?? skipped(check, results) ?? unsent;
    if (reason !== undefined) results.set(check, { check, problems: [], reason });
    else results.set(check, { check, problems: [...(await check.run(labOf(check)))] });
    stopped ??= stopReason(check, sender, results);
  };
  await inTurn([baseline, answersInTime], 1, run);
  const isSlow = (memory.first?.reply.ms ?? 0) >= slowMs;
  // What decides whether and how the others run.
  if (isSlow) await inTurn([verifiesFirst, atTheSameTime], 2, run);
  const left = allChecks.filter((check) => !results.has(check) && !lastChecks.includes(check));
  // Those at the end send several deliveries one after the other, so they begin first.
  await (isSlow ? inTurn(left.toReversed(), widthOf(sender, memory), run) : inTurn(left, 1, run));
  await inTurn(lastChecks, 1, run);
  const ordered = allChecks.flatMap((check) => results.get(check) ?? []);
  const uncounted = handled === undefined ? withoutCounts : await compare(handled);
  const secrets = [secret, previousSecret, retiredSecret].filter((one) => one !== undefined);
  return reportOf(ordered, sender, { notes, secrets, ...(uncounted !== undefined && { uncounted }) });

  /** Compares the counts. Returns why not, if they cannot be read. */
  async function compare(read: NonNullable<AttackOptions["handled"]>): Promise<string | undefined> {
    try {
      await compareCounts(read, expected, limits.timeoutMs, { results: ordered, exchanges: sender.exchanges });
      return undefined;
    } catch (error) {
      // A receiver that crashed cannot count. What the attack found is worth more.
      if (ordered.every(({ problems }) => problems.length === 0)) throw error;
      return "How often the app handled each event, because the counts could not be read after the attack.";
    }
  }
}

async function inTurn(checks: readonly Check[], width: number, run: (check: Check) => Promise<void>): Promise<void> {
  const waiting = checks.values();
  const work = async (): Promise<void> => {
    for (const check of waiting) await run(check);
  };
  await Promise.all(Array.from({ length: width }, work));
}

/** How many checks may run at the same time, by how long many offers at once took. */
function widthOf(sender: Sender, { first }: Lab["memory"]): number {
  const together = sender.exchanges.filter(({ check }) => check === atTheSameTime.name);
  const slowest = Math.max(0, ...together.map(({ reply }) => reply.ms));
  return slowest > 2 * (first?.reply.ms ?? 0) ? widths.limited : widths.parallel;
}

const options: Readonly<Record<Requirement, string>> = {
  previousSecret:
    "Whether the previous secret is accepted during a rotation: give previousSecret, or --previous-secret.",
  retiredSecret: "Whether a secret of an earlier rotation is refused: give retiredSecret, or --retired-secret.",
};

function missing({ requires }: Check, given: AttackOptions): string | undefined {
  return requires === undefined || given[requires] !== undefined ? undefined : options[requires];
}

type Results = ReadonlyMap<Check, Result>;

/** Single forgeries say nothing about a receiver that accepts any signature. */
function skipped({ group }: Check, results: Results): string | undefined {
  const isUnverified = results.get(verifiesFirst)?.problems.some(({ kind }) => kind === "accepted");
  return group === "forged" && isUnverified
    ? "Single forgeries, because the receiver answers 2xx to any signature. Fix that first."
    : undefined;
}

function stopReason(check: Check, { exchanges }: Sender, results: Results): string | undefined {
  if (check === baseline && results.get(check)?.problems.length)
    return "All other checks, because the receiver refuses plain offers. Fix that first.";
  if (exchanges.at(-1)?.reply.code === "ECONNREFUSED")
    return "The rest, because the receiver stopped listening. Find out why it ended.";
  const unanswered = exchanges.filter(({ reply }) => reply.code === "TIMEOUT");
  if (unanswered.length < mostUnanswered) return undefined;
  return `The rest, because ${mostUnanswered} deliveries got no answer in time. Fix the findings first.`;
}

function tooLong({ maxDurationMs }: AttackLimits, { first }: Lab["memory"]): string {
  const plain = ((first?.reply.ms ?? 0) / 1000).toFixed(1);
  const after = `because the attack ended after ${Math.round(maxDurationMs / 1000)} s, and a plain offer takes ${plain} s.`;
  return `The remaining checks, ${after} Use patient, or --patient, to wait longer.`;
}

const withoutCounts =
  "How often the app handled each event, and whether a forgery reached it: give handled, or --handled-url.";
