// What follows from a seed: who calls what, when, and how bad the network is.
import { demo, type Policies } from "@call-transfer/backend";
import type { OperationDescription } from "@call-transfer/spec";
import { allCells, type Condition, type FaultName, kindNames, type MiddlewareKind, operationList } from "./faults.ts";
import { createRandom, type Random } from "./scheduler.ts";

/** A client to make. */
export interface ClientPlan {
  readonly name: string;
  readonly unsafe: "never" | "check" | "always";
  /** `fixedToken` is never renewed; `renewedToken` comes from a function. */
  readonly credential: "apiKey" | "foreignApiKey" | "fixedToken" | "renewedToken";
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly skewMs: number;
  /** What its middleware makes of answers; undefined without one. */
  readonly middleware: MiddlewareKind | undefined;
}

/** When a caller aborts: so many milliseconds and microtasks after a point of the call's life. */
export interface AbortPlan {
  readonly point: "start" | "send" | "headers" | "chunk" | "end";
  /** The how-manieth time that the call comes by the point, from 0. */
  readonly nth: number;
  readonly delayMs: number;
  readonly ticks: number;
}

/** A call of one of the SDK's methods. */
export interface CallPlan {
  readonly client: number;
  readonly operation: OperationDescription;
  /** Milliseconds after the world's start. */
  readonly startMs: number;
  readonly totalTimeoutMs: number | undefined;
  /** Whether it names a resource of another account. */
  readonly foreign: boolean;
  /** Which of the resources of its kind it names. */
  readonly choice: number;
  readonly abort: AbortPlan | undefined;
  /** The fault of its first attempt; drawn where undefined. */
  readonly fault: FaultName | undefined;
  /** Whether it is made after everything healed. */
  readonly healed: boolean;
}

/** Everything that happens in one world, but for what the faults of later attempts are. */
export interface Plan {
  readonly seed: number;
  readonly policies: Partial<Policies>;
  readonly clients: readonly ClientPlan[];
  readonly calls: readonly CallPlan[];
  /** Probability of a fault per attempt, from 0 to 1. */
  readonly faultRate: number;
  /** Whether the platform is down for good while the calls run. */
  readonly outage: boolean;
  /** When offers are delivered, in milliseconds after the start. */
  readonly offers: readonly number[];
  /** Probability that an offer comes twice. */
  readonly duplicateOffers: number;
}

const spreadMs = 240_000;
/** Calls of a world where nothing else is asked for; more of them make better use of what a world costs. */
export const usualCalls = 60;
const outageCalls = 130;

const timeouts = [60_000, 60_000, 60_000, 5_000, 1_000];
const retries = [2, 2, 2, 2, 0, 1, 3, 6];

function clientsOf(random: Random, seed: number, skewed: boolean): ClientPlan[] {
  const client = (name: string, unsafe: ClientPlan["unsafe"], credential: ClientPlan["credential"]): ClientPlan => ({
    name,
    unsafe,
    credential,
    timeoutMs: random.pick(timeouts),
    maxRetries: random.pick(retries),
    skewMs: skewed || random.chance(0.2) ? Math.round(random.between(-250_000, 250_000)) : 0,
    middleware: undefined,
  });
  // In turn, so that a run of many seeds has every kind on every client.
  const withMiddleware = (plan: ClientPlan, index: number): ClientPlan => {
    const turn = seed + index;
    return turn % 3 === 0 ? { ...plan, middleware: kindNames[Math.floor(turn / 3) % kindNames.length] } : plan;
  };
  const usual = client("usual", "never", "apiKey");
  const others = [
    client("renewing", "never", "renewedToken"),
    client("neighbour", "never", "foreignApiKey"),
    client("fixed", "never", "fixedToken"),
    client("checking", "check", "apiKey"),
    client("insisting", "always", "apiKey"),
  ];
  const absent = [random.below(others.length), random.below(others.length)];
  const present = [
    { ...usual, timeoutMs: 60_000, maxRetries: 2 },
    ...others.filter((_, index) => !absent.includes(index)),
  ];
  return present.map(withMiddleware);
}

function policiesOf(random: Random): Partial<Policies> {
  const tight = random.chance(0.3);
  return {
    rateLimit: random.chance(0.2) ? { requests: 12, windowSecs: 20 } : { requests: 10_000, windowSecs: 60 },
    retryAfterHeader: random.chance(0.5),
    concurrentCallLimit: tight ? 2 : 50,
    callQueueLimit: tight ? 3 : 100,
    callListLagSecs: random.chance(0.3) ? random.pick([2, 30, 600]) : 0,
    queuedCallsListed: !random.chance(0.3),
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

const isOnce = ({ retry }: OperationDescription): boolean => retry === "once";
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

/** A call that meets the cell for sure: the world behind it is made to fit. */
function forced(random: Random, cell: (typeof allCells)[number]): CallPlan {
  const plain = { ...callOf(random, 1), operation: cell.operation, foreign: false };
  const isCondition = (name: FaultName | Condition): name is Condition =>
    name === "clock_skew" || name === "abort" || /call/.test(name);
  if (!isCondition(cell.fault)) return { ...plain, abort: undefined, totalTimeoutMs: undefined, fault: cell.fault };
  const abort = { point: "send", nth: 0, delayMs: 0, ticks: random.below(24) } as const;
  return { ...plain, abort: cell.fault === "abort" ? abort : undefined, fault: "none" };
}

/** Everything that follows from a seed and the number of calls. Seeds next to each other meet all cells in turn. */
export function planOf(seed: number, size: number): Plan {
  const random = createRandom(seed, "plan");
  const cell = allCells[seed % allCells.length] as (typeof allCells)[number];
  const outage = seed % 32 === 7;
  const clients = clientsOf(random, seed, cell.fault === "clock_skew");
  const policies = policiesOf(random);
  if (cell.fault === "lagging_call_list") policies.callListLagSecs = 30;
  if (cell.fault === "unlisted_queued_calls") Object.assign(policies, { queuedCallsListed: false });
  const calls = Array.from({ length: size }, () => callOf(random, clients.length));
  if (outage) {
    const storm = Array.from({ length: outageCalls }, () => ({ ...callOf(random, 1), abort: undefined }));
    calls.push(...storm);
  }
  const ready = clients.flatMap(({ credential }, client) => (credential === "fixedToken" ? [] : [client]));
  const healing = operationList
    .filter(({ retry }) => retry === "safe")
    .map((operation) => ({ ...callOf(random, 1), client: random.pick(ready), operation }))
    .map((call) => ({ ...call, foreign: false, abort: undefined, totalTimeoutMs: undefined, healed: true }));
  const withOffers = seed % 16 === 0;
  return {
    seed,
    policies,
    clients,
    calls: [forced(random, cell), ...calls, ...healing],
    faultRate: random.pick([0.1, 0.4, 0.4, 0.8]),
    outage,
    offers: withOffers ? Array.from({ length: 3 }, () => random.between(0, spreadMs)) : [],
    duplicateOffers: 0.3,
  };
}

/** The accounts that clients belong to. */
export const accountOf = ({ credential }: ClientPlan): string =>
  credential === "foreignApiKey" ? demo.foreignAccountId : demo.accountId;
