// One simulated world: a backend, clients and a network on one virtual time, run to rest.
import { getEventListeners } from "node:events";
import { type Backend, createBackend, demo, type Seed } from "@call-transfer/backend";
import { OutcomeUnknownError } from "@call-transfer/sdk";
import type { Answer } from "./answers.ts";
import { createCaller } from "./caller.ts";
import { createClients } from "./clients.ts";
import { createNetwork, type Network } from "./network.ts";
import { type Plan, planOf } from "./plan.ts";
import { createReceiver, type Issued } from "./receiver.ts";
import type { AttemptRecord, CallRecord, ClientRecord, LookRecord, Violation } from "./records.ts";
import { createRandom, createScheduler } from "./scheduler.ts";

/** What a world leaves behind. */
export interface Evidence {
  readonly plan: Plan;
  readonly backend: Backend;
  readonly clients: readonly ClientRecord[];
  readonly calls: readonly CallRecord[];
  readonly attempts: readonly AttemptRecord[];
  readonly looks: readonly LookRecord[];
  /** What was found while it ran. */
  readonly violations: readonly Violation[];
  /** Everything that the SDK and the backend wrote for people to read. */
  readonly produced: readonly string[];
  /** Everything that must not be in what was produced. */
  readonly secrets: ReadonlySet<string>;
  /** Secrets of each destination, oldest first. */
  readonly rotations: ReadonlyMap<string, readonly Issued[]>;
  readonly trace: readonly string[];
  readonly offers: { readonly offers: number; readonly copies: number };
}

const start = Date.parse("2026-03-02T12:00:00Z");
/** More tasks than any world needs to come to rest. */
const maxTasks = 20_000;
const healAfterMs = 120_000;
const encoder = new TextEncoder();

/** Runs the world of a seed to rest, with so many calls. */
export async function runWorld(seed: number, size: number): Promise<Evidence> {
  const plan = planOf(seed, size);
  const scheduler = createScheduler(start);
  const [calls, attempts, looks]: [CallRecord[], AttemptRecord[], LookRecord[]] = [[], [], []];
  const [violations, produced, trace]: [Violation[], string[], string[]] = [[], [], []];
  const secrets = new Set<string>([demo.apiKey, demo.foreignApiKey]);
  const tell = (words: string): void => {
    trace.push(`${(scheduler.now - start).toFixed(3)} ${words}`);
  };
  const violate = (invariant: string, message: string): void => {
    violations.push({ invariant, message });
  };

  const receiver = createReceiver({ scheduler, random: createRandom(seed, "receiver"), trace: tell, violate });
  const backend = createBackend({
    seed: worldSeed,
    now: start,
    prng: seed,
    policies: plan.policies,
    fetch: receiver.fetch,
  });
  const rotations = new Map<string, Issued[]>();
  /** What a request may change, in short; new secrets are kept. */
  const fingerprint = (): string => {
    const { calls: placed, groups, members, destinations } = backend.state;
    let hours = 0;
    for (const member of members.values()) if (member.hours) hours += 1;
    let issued = 0;
    for (const { id, signingSecret: secret = "" } of destinations.values()) {
      const known = rotations.get(id) ?? [];
      issued += known.length;
      if (known.at(-1)?.secret === secret) continue;
      issued += 1;
      rotations.set(id, [...known, { secret, from: scheduler.now }]);
      secrets.add(secret);
    }
    return `${placed.size} ${groups.size} ${hours} ${issued}`;
  };
  let before = fingerprint();

  const execute = async (attempt: AttemptRecord, init: RequestInit, copy: boolean): Promise<Answer> => {
    backend.clock.set({ now: scheduler.now });
    const { method = "GET", body } = init;
    const headers = init.headers as Headers;
    const bytes = typeof body === "string" ? { bodyBytes: encoder.encode(body) } : {};
    // What a server calls: a genuine Request and Response take longer than all that the backend does.
    const { plain } = await backend.handle({ method, url: attempt.url, headers, body: null, ...bytes });
    if (plain === undefined) throw new Error("the backend has a fault of its own");
    const { status, text = "" } = plain;
    const after = fingerprint();
    const changed = after !== before;
    before = after;
    attempt.executions.push({ at: scheduler.now, status, text, changed, copy });
    tell(`execute ${attempt.call?.id ?? "look"} ${attempt.operation.id} ${status}${copy ? " copy" : ""}`);
    return { status, text, headers: plain.headers, ...hintsOf(text, plain.headers) };
  };

  const caller = createCaller({ scheduler, calls, attempts, trace: tell, violate });
  const network: Network = createNetwork({
    scheduler,
    random: createRandom(seed, "network"),
    plan,
    execute,
    begin: caller.begin,
    pass: caller.pass,
    trace: tell,
  });
  const clients = await createClients({ plan, scheduler, backend, network, produced, secrets, violate });

  const callAll = (wanted: (call: Plan["calls"][number]) => boolean): Promise<boolean> => {
    let waiting = 0;
    for (const call of plan.calls.filter(wanted)) {
      const client = clients[call.client];
      if (!client) continue;
      waiting += 1;
      scheduler.after(call.startMs, () => caller.call(call, client, () => (waiting -= 1)));
    }
    return scheduler.run(() => waiting === 0, maxTasks);
  };

  for (const atMs of plan.offers) scheduler.after(atMs, () => scheduler.hold(offer()));
  const offer = async (): Promise<void> => {
    const [own] = things;
    for (const id of own.apps) await receiver.offer(backend, id, rotations.get(id) ?? [], plan);
  };
  if (!(await callAll(({ healed }) => !healed))) violate("5 settles", "the world does not come to rest");
  checkRest(clients, calls, violate);
  if (!(await scheduler.run(() => false, maxTasks))) violate("5 settles", "timers never end");
  if (network.unreadBodies() > 0) violate("8 at rest", `${network.unreadBodies()} bodies were never read or cancelled`);

  network.heal();
  backend.policies.rateLimit = { requests: 10_000, windowSecs: 60 };
  scheduler.after(healAfterMs, () => {});
  await scheduler.run(() => false, maxTasks);
  await callAll(({ healed }) => healed);
  await lookBack();
  if (plan.offers.length > 0) await receiver.pastOverlap(backend, rotations, plan);
  produced.push(JSON.stringify(backend.journal.list()));

  /** After an unknown outcome somebody looks: a healthy list must not hide what was placed. */
  async function lookBack(): Promise<void> {
    for (const call of calls) {
      const { error } = call;
      if (!(error instanceof OutcomeUnknownError) || looks.length >= 5) continue;
      const looking = error.reconcile().then(({ complete, candidates, explanation }) => {
        const ids = candidates.map((candidate) => String(Reflect.get(Object(candidate), "id")));
        looks.push({
          call,
          from: Date.parse(error.window.from),
          at: scheduler.now,
          complete,
          candidates: ids,
          explanation,
        });
      });
      let over = false;
      looking.finally(() => (over = true));
      await scheduler.run(() => over, maxTasks);
    }
  }

  return {
    plan,
    backend,
    clients,
    calls,
    attempts,
    looks,
    violations,
    produced,
    secrets,
    rotations,
    trace,
    offers: receiver.count(),
  };
}

/** When every call has settled, the SDK must hold nothing any more. */
function checkRest(
  clients: readonly ClientRecord[],
  calls: readonly CallRecord[],
  violate: (invariant: string, message: string) => void,
): void {
  for (const { plan, timers } of clients)
    if (timers !== 0) violate("8 at rest", `${plan.name} has ${timers} timers left after its last call settled`);
  for (const { id, controller } of calls) {
    const left = controller ? getEventListeners(controller.signal, "abort").length : 0;
    if (left > 0) violate("8 at rest", `call ${id} left ${left} listeners on its caller's signal`);
  }
}

/** The wait that an answer of the backend asks for, by its own words: the longer of its body's and its header's. */
function hintsOf(text: string, headers: Answer["headers"]): Pick<Answer, "hintSecs" | "headerSecs"> {
  const header = headers["Retry-After"];
  const headerSecs = header === undefined ? undefined : Number(header);
  if (!text.includes("retryAfterSecs")) return { hintSecs: headerSecs, headerSecs };
  const { meta }: { meta?: { retryAfterSecs?: number } } = JSON.parse(text);
  return { hintSecs: Math.max(meta?.retryAfterSecs ?? 0, headerSecs ?? 0), headerSecs };
}

// What the backend of a simulated world knows at its start: two accounts with the same kinds of things.

const { accountId, foreignAccountId, users, members, destinations, flows, numbers } = demo;
const hours = { monday: [{ from: "09:00", to: "17:00" }] };

/** Things of one account that calls can name. */
export interface Things {
  readonly accountId: string;
  readonly members: readonly string[];
  readonly apps: readonly string[];
  readonly flowId: string;
  readonly fromNumber: string;
}

/** The things of each account. */
export const things: readonly [Things, Things] = [
  {
    accountId,
    members: [members.owner, members.agent],
    apps: [destinations.app, destinations.phone],
    flowId: flows.published,
    fromNumber: numbers.working,
  },
  {
    accountId: foreignAccountId,
    members: [members.foreign, members.suspended],
    apps: [destinations.foreign, destinations.disabled],
    flowId: flows.foreign,
    fromNumber: numbers.foreign,
  },
];

/** Where offers are delivered. */
export const receiverUrl = "https://receiver.example.net/offers";

const secretOf = (id: string): string => `planted-signing-secret-of-${id}`;

/** The backend's state at its start. All destinations are apps, so that all of them can be rotated. */
export const worldSeed: Seed = {
  accounts: things.map((one) => ({ id: one.accountId, name: `Account ${one.accountId}` })),
  users: [
    { id: users.owner, name: "Olivia" },
    { id: users.agent, name: "Aron" },
    { id: users.both, name: "Bela" },
    { id: users.outsider, name: "Otto" },
  ],
  members: [
    { id: members.owner, accountId, userId: users.owner, role: "owner", hours },
    { id: members.agent, accountId, userId: users.agent, role: "agent", hours },
    { id: members.foreign, accountId: foreignAccountId, userId: users.both, role: "owner", hours },
    { id: members.suspended, accountId: foreignAccountId, userId: users.outsider, role: "agent", hours },
  ],
  destinations: things.flatMap((one) =>
    one.apps.map((id) => ({
      id,
      accountId: one.accountId,
      name: `App ${id}`,
      kind: "app" as const,
      config: { url: receiverUrl },
      signingSecret: secretOf(id),
    })),
  ),
  flows: things.map((one) => ({ id: one.flowId, accountId: one.accountId, published: true })),
  numbers: things.map((one) => ({ accountId: one.accountId, number: one.fromNumber })),
  apiKeys: [
    { accountId, key: demo.apiKey },
    { accountId: foreignAccountId, key: demo.foreignApiKey },
  ],
};
