// Decides whether a run kept its promises: none lost, one answer an event, one completion, and a cause for each second start.
import type { ProcessEntry } from "./entries.ts";
import type { Life } from "./fleet.ts";
import { isGrant, type Owner, ownersOf } from "./history.ts";
import type { EventPlan } from "./plan.ts";
import type { Answer, Delivery } from "./sender.ts";

/** Why an event was handled again although an earlier handling had started. */
export const causes = [
  "the process was killed",
  "the process was stopped",
  "the machine did not run the process",
  "the handling failed",
  "the store failed or was late",
] as const;
export type Cause = (typeof causes)[number];

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

export interface Verdict {
  readonly findings: readonly Finding[];
  /** Second starts by cause. */
  readonly startedAgain: ReadonlyMap<Cause, number>;
  /** Events that were started more than once. */
  readonly eventsStartedAgain: number;
  /** Answers that were sent although the store failed to keep them. */
  readonly answersNotKept: number;
}

/** Clocks count whole milliseconds, and databases read theirs once a command. */
const slackMs = 20;

/** Checks the whole run. */
export function judge(history: RunHistory): Verdict {
  const deliveries = Map.groupBy(history.deliveries, ({ event }) => event);
  const entries = Map.groupBy(history.entries, ({ event }) => event);
  const lives = new Map(history.lives.map((life) => [life.name, life]));
  const stalls = Map.groupBy(entries.get("") ?? [], ({ process }) => process);
  const findings: Finding[] = [];
  const startedAgain = new Map<Cause, number>();
  let [eventsStartedAgain, answersNotKept] = [0, 0];
  for (const event of history.events) {
    const { id } = event.body;
    const owners = ownersOf(entries.get(id) ?? [], lives);
    const find = (message: string) => findings.push({ event: id, message });
    answersNotKept += checkAnswers(event, deliveries.get(id) ?? [], owners, find);
    checkBusy(owners, deliveries.get(id) ?? [], history, find);
    const handlers = owners.filter(({ handling }) => handling !== undefined);
    if (handlers.length > 1) eventsStartedAgain += 1;
    handlers.slice(1).forEach((later, index) => {
      for (const earlier of handlers.slice(0, index)) causeOf(earlier, later, history, stalls, find);
      const cause = causeOf(handlers[index] as Owner, later, history, stalls, find);
      if (cause) startedAgain.set(cause, (startedAgain.get(cause) ?? 0) + 1);
    });
  }
  return { findings, startedAgain, eventsStartedAgain, answersNotKept };
}

type Find = (message: string) => void;

const textOf = ({ status, contentType, body }: Answer): string => `${status} ${contentType} ${body}`;

/** Returns how many answers the store could not keep, because it failed. Only those may differ. */
function checkAnswers(event: EventPlan, deliveries: readonly Delivery[], owners: readonly Owner[], find: Find): number {
  const lost = deliveries.filter(({ answer }) => answer === undefined);
  if (lost.length > 0) find(`${lost.length} of ${deliveries.length} deliveries got no final answer.`);
  if (deliveries.length !== event.copies.length) find(`${event.copies.length - deliveries.length} were not delivered.`);
  const answers = deliveries
    .flatMap(({ answer }) => answer ?? [])
    .map((answer) => ({ answer, owner: ownerOf(answer, event, owners) }));
  const kept = answers.filter(({ owner }) => owner === undefined || !owner.storeFailed);
  const texts = new Set(kept.map(({ answer }) => textOf(answer)));
  if (texts.size > 1)
    find(`It got ${texts.size} answers: ${[...texts].map((text) => text.slice(0, 120)).join(" and ")}`);
  const stored = owners.filter(({ completes }) => completes.some(({ result }) => result === "stored"));
  if (stored.length > 1) find(`It was completed ${stored.length} times.`);
  const expected = event.body.decision === "accept" ? 200 : 409;
  const wrong = answers.find(({ answer, owner }) => answer.status !== expected || owner === undefined);
  if (wrong) find(`Its answer is not of one of its handlings: ${textOf(wrong.answer).slice(0, 120)}`);
  // A killed process may have stored it without writing that down.
  const isStored = (owner: Owner) => stored.includes(owner) || (owner.life.killedMs !== undefined && !owner.settled);
  if (kept.some(({ owner }) => owner && !isStored(owner))) find("Its answer was never stored.");
  return answers.length - kept.length;
}

/** Whose handling made an answer. */
function ownerOf({ body }: Answer, { body: { id } }: EventPlan, owners: readonly Owner[]): Owner | undefined {
  return owners.find(
    ({ handling }) => handling && body.startsWith(JSON.stringify({ event: id, handling: handling.id }).slice(0, -1)),
  );
}

/** An event may be busy only as long as an owner has it. */
function checkBusy(owners: readonly Owner[], deliveries: readonly Delivery[], history: RunHistory, find: Find): void {
  const { leaseMs, lives } = history;
  const holds = owners.map((owner) => ({ owner, ...longestHold(owner, history) }));
  const unanswered = deliveries.flatMap(({ attempts }) => attempts).filter(({ status }) => status === undefined);
  // A killed process may have claimed it without writing that down. Its request got no response.
  const mayBeHeld = (claim: ProcessEntry): boolean =>
    lives.some(
      ({ killedMs }) =>
        killedMs !== undefined &&
        killedMs + history.storeTimeoutMs + leaseMs + slackMs >= claim.fromMs &&
        unanswered.some(
          (attempt) => attempt.fromMs <= Math.min(claim.atMs, killedMs) && attempt.atMs >= killedMs - slackMs,
        ),
    );
  for (const owner of owners) {
    for (const claim of owner.claims.filter(({ result }) => result === "in_progress")) {
      // An extension may arrive together with the completion of the same owner.
      const isSettling = owner.settled !== undefined && owner.settled.fromMs <= claim.atMs;
      const holder = holds.find(
        (hold) =>
          (hold.owner !== owner || isSettling) &&
          hold.fromMs - slackMs <= claim.atMs &&
          hold.toMs + slackMs >= claim.fromMs,
      );
      if (holder || mayBeHeld(claim)) continue;
      find(`A claim of process ${owner.life.name} found it busy, but no owner had it any more.`);
      return;
    }
  }
}

/** The time in which an owner may have had the event. */
function longestHold({ claims, settled, life, handling, respondedMs }: Owner, { leaseMs, storeTimeoutMs }: RunHistory) {
  // A claim that failed may have taken it, and only its answer was lost. After that, ioredis sends it again.
  const isLost = ({ result, fromMs, atMs }: ProcessEntry) => result === "error" || atMs - fromMs > leaseMs;
  const grants = claims.filter((claim) => isGrant(claim) || isLost(claim));
  const last = grants.at(-1);
  if (last === undefined) return { fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY };
  // What a killed process had sent, the store may execute later.
  const lastMs = life.killedMs === undefined ? last.atMs : Math.max(last.atMs, life.killedMs + storeTimeoutMs);
  const leaseEnd = lastMs + leaseMs;
  const failedMs = handling?.failed && life.killedMs === undefined ? respondedMs : undefined;
  // A refused completion does not end what another claim got: extensions may arrive in another order than they were sent.
  const isOpen = settled?.result === "error" || (settled?.result === "refused" && last.atMs >= settled.fromMs);
  const settledMs = isOpen ? leaseEnd : settled?.atMs;
  return { fromMs: grants[0]?.fromMs ?? 0, toMs: settledMs ?? failedMs ?? leaseEnd };
}

/** Why the later handling could start, or undefined with a finding. */
function causeOf(
  earlier: Owner,
  later: Owner,
  history: RunHistory,
  stalls: ReadonlyMap<string, readonly ProcessEntry[]>,
  find: Find,
): Cause | undefined {
  const { leaseMs, storeTimeoutMs } = history;
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
