// One simulated world: a backend, clients and a network on one virtual clock, run until nothing is left to do.
import { getEventListeners } from "node:events";
import { createBackend, demo } from "@call-transfer/backend";
import { OutcomeUnknownError } from "@call-transfer/sdk";
import type { Answer } from "./answers.ts";
import { createCaller } from "./caller.ts";
import { createClients } from "./clients.ts";
import { createNetwork } from "./network.ts";
import { planOf } from "./plan.ts";
import type { AttemptRecord, CallRecord, ClientRecord, Evidence, World } from "./records.ts";
import { createRandom, createScheduler } from "./scheduler.ts";
import { worldSeed } from "./seed.ts";

const start = Date.parse("2026-03-02T12:00:00Z");
/** More tasks than any world needs. */
const maxTasks = 20_000;
const maxReconciliations = 5;
const healAfterMs = 120_000;
const encoder = new TextEncoder();

/** Runs the world of a seed until nothing is left to do. `size` is the number of calls. */
export async function runWorld(seed: number, size: number): Promise<Evidence> {
  const world = createWorld(seed, size);
  const { plan, scheduler, backend, violate } = world;
  const caller = createCaller(world);
  const network = createNetwork(world, createRandom(seed, "network"), createExecute(world), caller);
  const clients = await createClients(world, network);

  const callAll = (healed: boolean): Promise<boolean> => {
    let pending = 0;
    for (const call of plan.calls.filter((one) => one.healed === healed)) {
      const client = clients[call.client];
      if (!client) continue;
      pending += 1;
      scheduler.after(call.startMs, () => caller.call(call, client, () => (pending -= 1)));
    }
    return scheduler.run(() => pending === 0, maxTasks);
  };

  if (!(await callAll(false))) violate("5 settles", "the calls never end");
  checkRest(world, clients);
  if (!(await scheduler.run(() => false, maxTasks))) violate("5 settles", "the timers never end");
  const unread = network.unreadBodies();
  if (unread > 0) violate("8 nothing is left open", `${unread} bodies were neither read nor cancelled`);

  network.heal();
  backend.updatePolicies({ rateLimit: { requests: 10_000, windowSecs: 60 } });
  scheduler.after(healAfterMs, () => {});
  await scheduler.run(() => false, maxTasks);
  await callAll(true);
  for (const call of world.calls) await reconcile(world, call);
  world.produced.push(JSON.stringify(backend.requests.list()));
  return { ...world, clients };
}

function createWorld(seed: number, size: number): World {
  const plan = planOf(seed, size);
  const scheduler = createScheduler(start);
  const backend = createBackend({ seed: worldSeed, now: start, randomSeed: seed, policies: plan.policies });
  const world: World = {
    plan,
    scheduler,
    backend,
    calls: [],
    attempts: [],
    reconciliations: [],
    violations: [],
    produced: [],
    secrets: new Set([demo.apiKey, demo.foreignApiKey]),
    rotations: new Map(),
    trace: [],
    log: (message) => void world.trace.push(`${(scheduler.now - start).toFixed(3)} ${message}`),
    violate: (invariant, message) => void world.violations.push({ invariant, message }),
  };
  return world;
}

/** Creates the function that executes requests in the backend and records whether they changed its state. */
function createExecute(world: World) {
  const { scheduler, backend, rotations, secrets, log } = world;
  /** A summary of the state that requests can change. Records new secrets. */
  const fingerprint = (): string => {
    const { calls, groups, members, destinations } = backend.state;
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
    return `${calls.size} ${groups.size} ${hours} ${issued}`;
  };
  let before = fingerprint();

  return async (attempt: AttemptRecord, init: RequestInit, copy: boolean): Promise<Answer> => {
    backend.clock.set({ now: scheduler.now });
    const { method = "GET", body } = init;
    const headers = init.headers as Headers;
    const bytes = typeof body === "string" ? { bodyBytes: encoder.encode(body) } : {};
    // The entry point of servers: creating a real Request and Response takes longer than the backend itself.
    const { plain } = await backend.handle({ method, url: attempt.url, headers, body: null, ...bytes });
    if (plain === undefined)
      throw new Error("The backend applied a fault of its own. Remove it: the network makes the faults.");
    const { status, text = "" } = plain;
    const after = fingerprint();
    attempt.executions.push({ at: scheduler.now, status, text, changed: after !== before, copy });
    before = after;
    log(`execute ${attempt.call?.id ?? "reconcile"} ${attempt.operation.id} ${status}${copy ? " copy" : ""}`);
    return { status, text, headers: plain.headers, ...hintsOf(text, plain.headers) };
  };
}

/** Calls reconcile() if the outcome of a call is unknown, and records the result. */
async function reconcile({ scheduler, reconciliations }: World, call: CallRecord): Promise<void> {
  const { error } = call;
  if (!(error instanceof OutcomeUnknownError) || reconciliations.length >= maxReconciliations) return;
  let over = false;
  const done = error.reconcile().then(({ complete, candidates, explanation, window }) => {
    const ids = candidates.map((candidate) => String(Reflect.get(Object(candidate), "id")));
    reconciliations.push({ call, window, complete, candidates: ids, explanation });
  });
  done.finally(() => (over = true));
  await scheduler.run(() => over, maxTasks);
}

/** Checks that the SDK has no timers or listeners after every call has settled. */
function checkRest({ calls, violate }: World, clients: readonly ClientRecord[]): void {
  const invariant = "8 nothing is left open";
  for (const { plan, timers } of clients)
    if (timers !== 0) violate(invariant, `${plan.name} has ${timers} timers after its last call settled`);
  for (const { id, controller } of calls) {
    const left = controller ? getEventListeners(controller.signal, "abort").length : 0;
    if (left > 0) violate(invariant, `call ${id} left ${left} listeners on the signal of its caller`);
  }
}

/** The wait in a response of the backend: the longer one of body and header. */
function hintsOf(text: string, headers: Answer["headers"]): Pick<Answer, "hintSecs" | "headerSecs"> {
  const header = headers["Retry-After"];
  const headerSecs = header === undefined ? undefined : Number(header);
  if (!text.includes("retryAfterSecs")) return { hintSecs: headerSecs, headerSecs };
  const { meta }: { meta?: { retryAfterSecs?: number } } = JSON.parse(text);
  return { hintSecs: Math.max(meta?.retryAfterSecs ?? 0, headerSecs ?? 0), headerSecs };
}
