// What follows from a seed: the sandboxes, the clients with the records of their accounts, and when the server is killed.
import type { Policies, Seed } from "@call-transfer/backend";
import { createRandom } from "../../simulate/scheduler.ts";

/** A client with an account of its own. It sends one request at a time. */
export interface ClientPlan {
  readonly name: string;
  readonly sandbox: string;
  readonly accountId: string;
  readonly apiKey: string;
  readonly userIds: readonly string[];
  readonly flowId: string;
  readonly fromNumber: string;
  readonly memberIds: readonly string[];
  readonly destinationIds: readonly string[];
  /** Starts the numbers that only this client calls. */
  readonly prefix: string;
  /** Whether it creates and deletes other sandboxes. */
  readonly managesSandboxes: boolean;
  /** Whether it advances the clock of its sandbox. */
  readonly advancesClock: boolean;
}

export interface SandboxPlan {
  readonly name: string;
  readonly clients: readonly ClientPlan[];
  /** How it is created; `default` gets the policies later. */
  readonly options: {
    readonly clockMode: "frozen" | "running";
    readonly now?: string;
    readonly clockRate?: number;
    readonly randomSeed: number;
  };
  readonly policies: Partial<Policies>;
}

/** When the server is killed, or stopped. */
export interface EndPlan {
  /** Milliseconds after the clients went on. */
  readonly afterMs: number;
  /** SIGTERM asks the server to end in order. */
  readonly signal: "SIGKILL" | "SIGTERM";
  /** Milliseconds after the next start, for a second kill while the server starts; undefined for none. */
  readonly duringStartMs: number | undefined;
}

/** The time of the sandbox `frozen`. */
export const frozenNow = "2026-03-02T12:00:00.000Z";

const id = (kind: string, client: number, index = 0): string =>
  `${kind}0000000-0000-4000-8000-${String(client * 1000 + index).padStart(12, "0")}`;

function clientOf(sandbox: string, client: number): ClientPlan {
  return {
    name: `${sandbox} ${client}`,
    sandbox,
    accountId: id("a", client),
    apiKey: `svc_live_kills${String(client).padStart(27, "0")}`,
    userIds: [id("b", client, 0), id("b", client, 1)],
    flowId: id("f", client),
    fromNumber: `+1555030${String(client).padStart(4, "0")}`,
    memberIds: [id("c", client, 0), id("c", client, 1)],
    destinationIds: [id("d", client, 0), id("d", client, 1)],
    prefix: `+1${200 + client}`,
    managesSandboxes: client === 1,
    advancesClock: sandbox === "frozen",
  };
}

/** High limits, so that no request is refused. Each sandbox has other numbers, so that they cannot be mixed up. */
const policiesOf = (sandbox: number): Partial<Policies> => ({
  rateLimit: { requests: 100_000_000 + sandbox, windowSecs: 60 },
  dailyCallLimit: 100_000_000 + sandbox,
  callQueueLimit: 100_000_000 + sandbox,
  concurrentCallLimit: 5 + sandbox,
  callDurationSecs: 2 + sandbox,
});

/** An advance waits for all offers: those of one client leave it time. */
export const sandboxes: readonly SandboxPlan[] = (
  [
    { name: "default", options: { clockMode: "running", randomSeed: 1 }, clients: [1, 2, 3, 4] },
    { name: "fast", options: { clockMode: "running", clockRate: 1.5, randomSeed: 7 }, clients: [5, 6, 7, 8] },
    { name: "frozen", options: { clockMode: "frozen", now: frozenNow, randomSeed: 11 }, clients: [9] },
  ] as const
).map(({ name, options, clients }, index) => ({
  ...{ name, options, policies: policiesOf(index) },
  clients: clients.map((client) => clientOf(name, client)),
}));

/** The ends of a seed. */
export function endsOf(seed: number, count: number): EndPlan[] {
  const random = createRandom(seed, "kills");
  return Array.from({ length: count }, () => ({
    // Many soon, because much is under way then: offers are sent again, and timers that were due fire.
    afterMs: random.chance(0.4) ? random.between(5, 150) : random.between(150, 1200),
    signal: random.chance(0.1) ? "SIGTERM" : "SIGKILL",
    duringStartMs: random.chance(0.1) ? random.between(0, 700) : undefined,
  }));
}

/** What an app does with an offer: accepts it, declines it, or closes the connection. */
export type Reaction = "accept" | "decline" | "hang up";

/** The reaction to an event, which follows from its id. A repeated event gets the same. */
export function reactionTo(seed: number, eventId: string): Reaction {
  const draw = createRandom(seed, `reaction to ${eventId}`).next();
  if (draw < 0.6) return "accept";
  return draw < 0.85 ? "decline" : "hang up";
}

/** Milliseconds until the reaction. Only to a repetition at once, so that kills come before answers, but not forever. */
export function delayOf(seed: number, eventId: string, isRepeated: boolean): number {
  const random = createRandom(seed, `delay of ${eventId}`);
  if (isRepeated) return 100;
  return random.chance(0.3) ? random.between(300, 900) : random.between(100, 300);
}

/** Hours on Mondays from a time to the evening. */
export const hoursFrom = (from: string) => ({ monday: [{ from, to: "23:00" }] });

/** The records of the clients. Their apps are at a receiver: `address` says where. */
export function seedOf({ clients }: SandboxPlan, address: (destinationId: string) => string): Seed {
  return {
    accounts: clients.map(({ accountId, name }) => ({ id: accountId, name })),
    users: clients.flatMap(({ userIds, name }) => userIds.map((id) => ({ id, name }))),
    members: clients.flatMap(({ accountId, userIds, memberIds }) =>
      memberIds.map((id, index) => ({
        id,
        accountId,
        userId: userIds[index] ?? "",
        role: index === 0 ? ("owner" as const) : ("agent" as const),
        hours: hoursFrom("09:00"),
      })),
    ),
    destinations: clients.flatMap(({ accountId, destinationIds }) =>
      destinationIds.map((id) => ({
        id,
        accountId,
        name: `app ${id}`,
        kind: "app" as const,
        signingSecret: `first-secret-of-${id}`,
        config: { url: address(id) },
      })),
    ),
    flows: clients.map(({ flowId, accountId }) => ({ id: flowId, accountId, published: true })),
    numbers: clients.map(({ fromNumber, accountId }) => ({ accountId, number: fromNumber })),
    apiKeys: clients.map(({ accountId, apiKey }) => ({ accountId, key: apiKey })),
  };
}
