// The plan that follows from a seed: clients, calls, times, and the rate of faults.
import { demo, type Policies } from "@call-transfer/backend";
import type { OperationDescription } from "@call-transfer/spec";
import { allCells, type Condition, type FaultName, operationList } from "./faults.ts";
import { createRandom, type Random } from "./scheduler.ts";

export interface ClientPlan {
  readonly name: string;
  readonly onUnknownOutcome: "throw" | "check" | "retry";
  readonly trust503Codes: boolean;
  /** `fixedToken` is a string and expires. `renewedToken` is a function. */
  readonly credential: "apiKey" | "foreignApiKey" | "fixedToken" | "renewedToken";
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly skewMs: number;
  /** Whether middleware reads the bodies of errors, as one that logs them does. */
  readonly readsErrors: boolean;
}

/** When a caller aborts: milliseconds and microtasks after a point of the call. */
export interface AbortPlan {
  readonly point: "start" | "send" | "headers" | "chunk" | "end";
  /** How many times the call has reached the point before. */
  readonly nth: number;
  readonly delayMs: number;
  readonly ticks: number;
}

export interface CallPlan {
  readonly client: number;
  readonly operation: OperationDescription;
  /** Milliseconds after the world's start. */
  readonly startMs: number;
  readonly totalTimeoutMs: number | undefined;
  /** Whether the call names a resource of another account. */
  readonly foreign: boolean;
  /** The index of the named resource. */
  readonly choice: number;
  readonly abort: AbortPlan | undefined;
  /** The fault of the first attempt; random if undefined. */
  readonly fault: FaultName | undefined;
  /** Whether the call starts after all faults have ended. */
  readonly healed: boolean;
}

/** One world, except for the random faults of attempts. */
export interface Plan {
  readonly seed: number;
  readonly policies: Partial<Policies>;
  readonly clients: readonly ClientPlan[];
  readonly calls: readonly CallPlan[];
  /** Probability of a fault per attempt, from 0 to 1. */
  readonly faultRate: number;
  /** Whether the platform is down during all calls. */
  readonly outage: boolean;
}

const spreadMs = 240_000;
/** The default number of calls in a world. More calls per world make a long run faster. */
export const usualCalls = 60;
const outageCalls = 130;

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
/** How far the clocks of callers are ahead or behind at most, in milliseconds. */
const skews = [250_000, 2 * hourMs, 3 * yearMs];
/** How far a caller's clock is set forth or back while a world runs, in milliseconds. */
export const jumps = [20_000, hourMs, yearMs].flatMap((ms) => [ms, -ms]);

const timeouts = [60_000, 60_000, 60_000, 5_000, 1_000];
const retries = [2, 2, 2, 2, 0, 1, 3, 6];

function clientsOf(random: Random, seed: number, skewed: boolean): ClientPlan[] {
  const client = (
    name: string,
    onUnknownOutcome: ClientPlan["onUnknownOutcome"],
    credential: ClientPlan["credential"],
  ): ClientPlan => ({
    name,
    onUnknownOutcome,
    trust503Codes: name === "neighbour",
    credential,
    timeoutMs: random.pick(timeouts),
    maxRetries: random.pick(retries),
    skewMs: skewed || random.chance(0.2) ? Math.round(random.between(-1, 1) * (skews[seed % skews.length] ?? 0)) : 0,
    readsErrors: false,
  });
  const usual = client("usual", "throw", "apiKey");
  const others = [
    client("renewing", "throw", "renewedToken"),
    client("neighbour", "throw", "foreignApiKey"),
    client("fixed", "throw", "fixedToken"),
    client("checking", "check", "apiKey"),
    client("insisting", "retry", "apiKey"),
  ];
  const absent = [random.below(others.length), random.below(others.length)];
  const present = [
    { ...usual, timeoutMs: 60_000, maxRetries: 2 },
    ...others.filter((_, index) => !absent.includes(index)),
  ];
  // In turn: each client has it in some seeds.
  return present.map((plan, index) => ({ ...plan, readsErrors: (seed + index) % 3 === 0 }));
}

function policiesOf(random: Random): Partial<Policies> {
  const tight = random.chance(0.3);
  return {
    rateLimit: random.chance(0.2) ? { requests: 12, windowSecs: 20 } : { requests: 10_000, windowSecs: 60 },
    sendRetryAfterHeader: random.chance(0.5),
    concurrentCallLimit: tight ? 2 : 50,
    callQueueLimit: tight ? 3 : 100,
    callListDelaySecs: random.chance(0.3) ? random.pick([2, 30, 600]) : 0,
    includeQueuedCalls: !random.chance(0.3),
  };
}

const points: readonly AbortPlan["point"][] = ["start", "send", "headers", "chunk", "end"];

function abortOf(random: Random): AbortPlan {
  return {
    point: random.pick(points),
    nth: random.pick([0, 0, 0, 1, 2]),
    delayMs: random.chance(0.5) ? 0 : random.pick([0, 1, 100, 600, 20_000]) * random.next(),
    ticks: random.below(24),
  };
}

const isOnce = ({ idempotency }: OperationDescription): boolean => idempotency === "non_idempotent";
const risky = operationList.filter(isOnce);

function callOf(random: Random, clients: number): CallPlan {
  const operation = random.chance(0.4) ? random.pick(risky) : random.pick(operationList);
  return {
    client: random.below(clients),
    operation,
    startMs: random.chance(0.3) ? random.below(8) * 30_000 : random.between(0, spreadMs),
    totalTimeoutMs: random.chance(0.2) ? random.pick([300, 2_000, 30_000, 90_000]) : undefined,
    foreign: random.chance(0.04),
    choice: random.below(2),
    abort: random.chance(0.12) ? abortOf(random) : undefined,
    fault: undefined,
    healed: false,
  };
}

/** A call that is certain to cover a pair of fault and operation. */
function forced(random: Random, cell: (typeof allCells)[number]): CallPlan {
  const plain = { ...callOf(random, 1), operation: cell.operation, foreign: false };
  const isCondition = (name: FaultName | Condition): name is Condition =>
    name === "clock_skew" || name === "abort" || /call/.test(name);
  if (!isCondition(cell.fault)) return { ...plain, abort: undefined, totalTimeoutMs: undefined, fault: cell.fault };
  const abort = { point: "send", nth: 0, delayMs: 0, ticks: random.below(24) } as const;
  return { ...plain, abort: cell.fault === "abort" ? abort : undefined, fault: "none" };
}

/** The plan of a seed. Consecutive seeds cover all pairs of fault and operation in turn. */
export function planOf(seed: number, size: number): Plan {
  const random = createRandom(seed, "plan");
  const cell = allCells[seed % allCells.length] as (typeof allCells)[number];
  const outage = seed % 32 === 7;
  const clients = clientsOf(random, seed, cell.fault === "clock_skew");
  const policies = policiesOf(random);
  if (cell.fault === "lagging_call_list") policies.callListDelaySecs = 30;
  if (cell.fault === "unlisted_queued_calls") Object.assign(policies, { includeQueuedCalls: false });
  const calls = Array.from({ length: size }, () => callOf(random, clients.length));
  if (outage) calls.push(...Array.from({ length: outageCalls }, () => ({ ...callOf(random, 1), abort: undefined })));
  const ready = clients.flatMap(({ credential }, client) => (credential === "fixedToken" ? [] : [client]));
  const healing = operationList
    .filter(({ idempotency }) => idempotency === "idempotent")
    .map((operation) => ({ ...callOf(random, 1), client: random.pick(ready), operation }))
    .map((call) => ({ ...call, foreign: false, abort: undefined, totalTimeoutMs: undefined, healed: true }));
  return {
    seed,
    policies,
    clients,
    calls: [forced(random, cell), ...calls, ...healing],
    faultRate: random.pick([0.1, 0.4, 0.4, 0.8]),
    outage,
  };
}

/** The account of a client. */
export const accountOf = ({ credential }: ClientPlan): string =>
  credential === "foreignApiKey" ? demo.foreignAccountId : demo.accountId;
