// Decides whether receivers kept their promises: no event is lost, each has one answer, and each second start has a cause.
import { type Answer, type Delivery, isGrant, type Life, type Owner, ownersOf, type ProcessEntry } from "./history.ts";
import type { EventPlan } from "./plan.ts";

/** Why an event was handled again although an earlier handling had started. */
export type Cause =
  | "the process was killed"
  | "the process was stopped"
  | "the machine did not run the process"
  | "the handling failed"
  | "the store failed or was late";

export interface RunHistory {
  readonly events: readonly EventPlan[];
  readonly deliveries: readonly Delivery[];
  readonly entries: readonly ProcessEntry[];
  readonly lives: readonly Life[];
  readonly leaseMs: number;
  readonly storeTimeoutMs: number;
}

/** A broken promise. */
export interface Finding {
  readonly event: string;
  readonly message: string;
}

/** A row that a handling left in the app's own table. */
export interface Effect {
  readonly event: string;
  readonly handling: string;
}

type Find = (message: string) => void;

/** Clocks count whole milliseconds, and databases read theirs once a command. */
const slackMs = 20;

const textOf = ({ status, contentType, body }: Answer): string => `${status} ${contentType} ${body}`;
const handlingOf = ({ body }: Answer): string => String(Object(JSON.parse(body)).handling);

/** Checks each event with its deliveries and entries. */
function checkEach(
  { events, deliveries, entries }: RunHistory,
  check: (own: readonly Delivery[], answers: readonly Answer[], entries: readonly ProcessEntry[], find: Find) => void,
): Finding[] {
  const deliveriesByEvent = Map.groupBy(deliveries, ({ event }) => event);
  const entriesByEvent = Map.groupBy(entries, ({ event }) => event);
  const findings: Finding[] = [];
  for (const event of events) {
    const { id, decision } = event.body;
    const find = (message: string) => void findings.push({ event: id, message });
    const own = deliveriesByEvent.get(id) ?? [];
    const answers = own.flatMap(({ answer }) => answer ?? []);
    if (answers.length !== event.copies.length)
      find(`${event.copies.length - answers.length} of ${event.copies.length} deliveries got no final answer.`);
    const expected = decision === "accept" ? 200 : 409;
    const wrong = answers.find(({ status, body }) => status !== expected || Object(JSON.parse(body)).event !== id);
    if (wrong) find(`Its answer is not the app's: ${textOf(wrong).slice(0, 120)}`);
    else check(own, answers, entriesByEvent.get(id) ?? [], find);
  }
  return findings;
}

/** Checks a run with a store. Counts second starts by their cause. */
export function judgeStore(history: RunHistory): { findings: Finding[]; startedAgain: Map<Cause, number> } {
  const lives = new Map(history.lives.map((life) => [life.name, life]));
  const stalls = Map.groupBy(
    history.entries.filter(({ action }) => action === "stall"),
    ({ process }) => process,
  );
  const startedAgain = new Map<Cause, number>();
  const findings = checkEach(history, (_, answers, entries, find) => {
    const owners = ownersOf(entries, lives);
    checkAnswers(answers, owners, find);
    const handlers = owners.filter(({ handling }) => handling !== undefined);
    handlers.slice(1).forEach((later, index) => {
      for (const earlier of handlers.slice(0, index)) causeOf(earlier, later, history, stalls, find);
      const cause = causeOf(handlers[index] as Owner, later, history, stalls, find);
      if (cause) startedAgain.set(cause, (startedAgain.get(cause) ?? 0) + 1);
    });
  });
  return { findings, startedAgain };
}

/** All answers are the same, and of a handling that was stored once. Only those may differ that the store failed to keep. */
function checkAnswers(answers: readonly Answer[], owners: readonly Owner[], find: Find): void {
  const owned = answers.map((answer) => ({
    answer,
    owner: owners.find(({ handling }) => handling?.id === handlingOf(answer)),
  }));
  const kept = owned.filter(({ owner }) => !owner?.storeFailed);
  const texts = new Set(kept.map(({ answer }) => textOf(answer)));
  if (texts.size > 1)
    find(`It got ${texts.size} answers: ${[...texts].map((text) => text.slice(0, 120)).join(" and ")}`);
  const stored = owners.filter(({ completes }) => completes.some(({ result }) => result === "stored"));
  if (stored.length > 1) find(`It was completed ${stored.length} times.`);
  if (owned.some(({ owner }) => owner === undefined)) find("Its answer is not of one of its handlings.");
  // A killed process may have stored it without writing that down.
  const isStored = (owner: Owner) => stored.includes(owner) || (owner.life.killedMs !== undefined && !owner.settled);
  if (kept.some(({ owner }) => owner && !isStored(owner))) find("Its answer was never stored.");
}

/** Why the later handling could start, or undefined with a finding. */
function causeOf(
  earlier: Owner,
  later: Owner,
  { leaseMs, storeTimeoutMs }: RunHistory,
  stalls: ReadonlyMap<string, readonly ProcessEntry[]>,
  find: Find,
): Cause | undefined {
  const [first, second] = [earlier.handling, later.handling];
  if (first === undefined || second === undefined) return undefined;
  const names = `${second.id} started after ${first.id}`;
  const granted = later.claims.find((claim) => isGrant(claim) && claim.fromMs <= second.startMs);
  const wasLate = ({ result, fromMs, atMs }: ProcessEntry) => result === "error" || atMs - fromMs >= storeTimeoutMs;
  if (granted === undefined) {
    if (later.claims.some(wasLate)) return "the store failed or was late";
    find(`${names} without having the event.`);
    return undefined;
  }
  if (first.failed && (first.endMs ?? 0) <= second.startMs) return "the handling failed";
  // Two claims at the same time: the later one came first in the store, and its handling has failed.
  const earlierGrantMs = earlier.claims.find(isGrant)?.atMs ?? 0;
  const isReleased = later.settled?.result === "released" && later.settled.fromMs <= earlierGrantMs;
  if (second.failed && isReleased) return "the handling failed";
  const stored = earlier.completes.find(({ result }) => result === "stored");
  if (stored && stored.atMs < granted.fromMs - slackMs) {
    find(`${names}, which was completed.`);
    return undefined;
  }
  if (granted.atMs + slackMs < shortestLease(earlier, granted.atMs, leaseMs)) {
    find(`${names}, whose lease still ran.`);
    return undefined;
  }
  const cause = interruptionOf(earlier, second.startMs, leaseMs, stalls);
  if (cause === undefined) find(`${names}, which nothing had interrupted.`);
  return cause;
}

/** Until when an owner has the event at least, as far as the store had answered at that time. */
function shortestLease({ claims, settled }: Owner, atMs: number, leaseMs: number): number {
  const grants = claims.filter((claim) => isGrant(claim) && claim.atMs <= atMs);
  const end = Math.max(...grants.map(({ fromMs }) => fromMs + leaseMs));
  return settled && settled.result !== "refused" ? Math.min(end, settled.fromMs) : end;
}

/** What kept an owner from extending its lease before a time. */
function interruptionOf(
  { life, claims, handling, settled, storeFailed }: Owner,
  beforeMs: number,
  leaseMs: number,
  stalls: ReadonlyMap<string, readonly ProcessEntry[]>,
): Cause | undefined {
  const { killedMs, stops } = life;
  if (killedMs !== undefined && killedMs <= beforeMs && !settled) return "the process was killed";
  const fromMs = Math.min(handling?.startMs ?? 0, ...claims.filter(isGrant).map((claim) => claim.fromMs));
  const overlap = (from: number, to: number) => Math.max(0, Math.min(to, beforeMs) - Math.max(from, fromMs));
  // Leases are extended at a third of their length. Delays add up.
  const isLong = (ms: number) => ms >= leaseMs / 6;
  if (stops.some((stop) => isLong(overlap(stop.fromMs, stop.toMs)))) return "the process was stopped";
  const stalledMs = (stalls.get(life.name) ?? []).map((stall) => overlap(stall.fromMs, stall.atMs));
  if (isLong(Math.max(0, ...stalledMs))) return "the machine did not run the process";
  const wasLate = claims.some((claim) => isLong(claim.atMs - claim.fromMs));
  return storeFailed || wasLate ? "the store failed or was late" : undefined;
}

/** Checks a run with an inbox, in which PostgreSQL itself says who has an event: one row and one answer, of the same handling. */
export function judgeInbox(history: RunHistory, effects: readonly Effect[]): Finding[] {
  const rows = Map.groupBy(effects, ({ event }) => event);
  return checkEach(history, ([delivery], answers, _, find) => {
    const own = rows.get(delivery?.event ?? "") ?? [];
    if (own.length !== 1) find(`It left ${own.length} rows in the app's table.`);
    if (new Set(answers.map(textOf)).size > 1) find("It got several answers.");
    if (answers.some((answer) => handlingOf(answer) !== own[0]?.handling))
      find(`Its answer is of another handling than its row, which is of ${own[0]?.handling ?? "none"}.`);
  });
}

/**
 * Checks a run whose store is disturbed, but no process: no receiver contradicts itself, and one that is alone handles each event
 * once, whatever the store does. In a burst, nothing fails.
 */
export function judgeOutage(history: RunHistory, receivers: number, isBurst: boolean): Finding[] {
  const findings = checkEach(history, (own, _, entries, find) => {
    const starts = entries.filter(({ action }) => action === "start").length;
    if (receivers === 1 && starts !== 1) find(`It was handled ${starts} times.`);
    const byReceiver = Map.groupBy(own, ({ attempts }) => attempts.at(-1)?.receiver);
    for (const [receiver, copies] of byReceiver) {
      const texts = new Set(copies.flatMap(({ answer }) => (answer ? textOf(answer) : [])));
      if (texts.size > 1) find(`Receiver ${receiver} gave ${texts.size} answers: ${[...texts].join(" and ")}`);
    }
  });
  const errors = isBurst ? history.entries.filter(({ action }) => action === "error") : [];
  return [...findings, ...errors.map(({ event, result }) => ({ event, message: `A burst made an error: ${result}` }))];
}
