// A mock server that keeps its data is killed and started again while its clients work. Nothing that was acknowledged may be lost.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Snapshot, TransferRecord } from "@call-transfer/backend";
import { dataAs, messageOf } from "@call-transfer/backend/control-client";
import { CallTransfer } from "@call-transfer/sdk";
import { type ServerProcess, startServer, temporaryFolder } from "../../../tests/receiving/server-process.ts";
import type { Plan, Run, World } from "../plan.ts";
import { Client, controlOf, type Log, recordingFetch, type Target } from "./client.ts";
import {
  announced,
  judgeOffers,
  judgeReactions,
  judgeRegisters,
  judgeRequestIds,
  judgeRest,
  judgeSnapshot,
  type Offer,
  registersOf,
  type State,
} from "./judge.ts";
import { delayOf, endsOf, reactionTo, type SandboxPlan, sandboxes, seedOf } from "./plan.ts";

/** A limit for what never comes, not for what takes long, in milliseconds. */
const limitMs = 30_000;
/** Longer than any call or transfer lasts, in milliseconds of a sandbox. */
const untilRestMs = 86_400_000;
/** What Cloudflare's runtime logs if its list of alarms and the storage of an object differ after a kill: the storage decides. */
const expectedErrors = /^workerd\/io\/actor-sqlite\.c\+\+:\d+: warning: NOSENTRY SQLite alarm .*\n/gm;
const workerToken = "a-control-token-for-kills";
const programOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const source = [
  process.execPath,
  "--conditions=@call-transfer/source",
  "--no-warnings=MODULE_TYPELESS_PACKAGE_JSON",
] as const;

/** The command of a server that keeps its data in its folder, and what it prints when it answers. */
function commandOf({ kind, plant }: Run, folder: string, port: string): readonly string[] {
  if (plant !== undefined) return [...source, programOf("plants.ts"), `${folder}/mock.db`, port, plant];
  if (kind === "durable-object") return [...source, programOf("worker.ts"), folder, port, workerToken];
  const options = ["--data-file", "mock.db", "--port", port, "--log-format", "silent", "--json"];
  return [...source, programOf("../../../packages/mock-server/src/cli.ts"), "start", ...options];
}

/** Holds all clients while the server is checked. */
class Gate {
  readonly #clients: number;
  #state: "open" | "closed" | "over" = "closed";
  #waiting: (() => void)[] = [];
  #arrived = (): void => {};

  constructor(clients: number) {
    this.#clients = clients;
  }

  /** Waits until the gate is open. False once the run is over. */
  readonly pass = async (): Promise<boolean> => {
    while (this.#state === "closed")
      await new Promise<void>((go) => {
        this.#waiting.push(go);
        if (this.#waiting.length === this.#clients) this.#arrived();
      });
    return this.#state === "open";
  };

  set(state: "open" | "closed" | "over"): void {
    this.#state = state;
    if (state !== "closed") for (const go of this.#waiting.splice(0)) go();
  }

  /** Waits until every client waits at the gate. */
  allWait(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve;
      if (this.#waiting.length === this.#clients) resolve();
    });
  }
}

/** The apps: they write offers down, and answer as the id of the event says. The paths of their addresses are their ids. */
async function startApps(seed: number, offers: Offer[]) {
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    try {
      // The sender may end while it sends.
      const body = await text(request);
      offers.push({ destinationId: (request.url ?? "").slice(1), body });
      const { id } = JSON.parse(body) as { readonly id: string };
      const delayMs = delayOf(seed, id, seen.has(id));
      seen.add(id);
      await sleep(delayMs);
      const reaction = reactionTo(seed, id);
      if (reaction === "hang up") response.destroy();
      else response.writeHead(reaction === "accept" ? 204 : 409).end();
    } catch {
      response.destroy();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Creates the sandboxes and their records. */
async function setUp(target: Target, log: Log, appsUrl: string): Promise<void> {
  for (const sandbox of sandboxes) {
    const { name, options, policies } = sandbox;
    const control = controlOf(target, name, log);
    const seed = seedOf(sandbox, (destinationId) => `${appsUrl}/${destinationId}`);
    const created =
      name === "default"
        ? [
            await control.POST("/_control/v1/seed", { body: seed }),
            await control.PATCH("/_control/v1/policies", { body: policies }),
          ]
        : [await control.POST("/_control/v1/sandboxes", { body: { name, ...options, policies, seed } })];
    for (const { error } of created) if (error !== undefined) throw new Error(messageOf(error));
  }
}

/** A world under way. */
interface Running {
  readonly seed: number;
  readonly target: Target;
  readonly log: Log;
  readonly clients: readonly Client[];
  readonly offers: Offer[];
}

async function snapshotOf({ target, log }: Running, { name }: SandboxPlan): Promise<Snapshot> {
  const { data, error } = await controlOf(target, name, log).GET("/_control/v1/snapshot");
  if (data === undefined) throw new Error(`The sandbox "${name}" has no snapshot: ${JSON.stringify(error)}`);
  return data as unknown as Snapshot;
}

const snapshotsOf = async (running: Running): Promise<readonly (readonly [SandboxPlan, Snapshot])[]> => {
  const snapshots: [SandboxPlan, Snapshot][] = [];
  for (const sandbox of sandboxes) snapshots.push([sandbox, await snapshotOf(running, sandbox)]);
  return snapshots;
};

const transfersIn = (snapshots: readonly (readonly [SandboxPlan, Snapshot])[]): TransferRecord[] =>
  snapshots.flatMap(([, { transfers }]) => transfers);

/** Waits until something is so, or never comes. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const startedMs = Date.now(); Date.now() - startedMs < limitMs; await sleep(50)) if (await isSo()) return;
}

/** Checks a server after a restart, while all clients wait. Returns what it found, as sentences. */
async function check(running: Running): Promise<string[]> {
  const { clients, target, log, offers, seed } = running;
  const findings: string[] = [];
  const listed = await controlOf(target, "default", log).GET("/_control/v1/sandboxes");
  const names = dataAs<"SandboxList">(listed).sandboxes.map(({ name }) => name);
  const snapshots = await snapshotsOf(running);
  for (const [sandbox, snapshot] of snapshots) {
    findings.push(...judgeSnapshot(snapshot));
    for (const client of clients.filter(({ plan }) => plan.sandbox === sandbox.name)) {
      const actual = registersOf(snapshot, sandbox, client.plan);
      if (client.plan.managesSandboxes) for (const name of names) actual.set(`sandbox ${name}`, "there");
      findings.push(...judgeRegisters(client.expected, actual, [...client.open]));
      client.open.clear();
    }
  }
  const transfers = transfersIn(snapshots);
  const rings = announced(transfers);
  await until(() => {
    const delivered = new Set(offers.map(({ body }) => (JSON.parse(body) as { readonly id: string }).id));
    return [...rings.keys()].every((id) => delivered.has(id));
  });
  findings.push(...judgeOffers(offers, transfers), ...judgeReactions(transfers, (id) => reactionTo(seed, id)));
  for (const client of clients) findings.push(...(await checkToken(running, client)));
  findings.push(...judgeRequestIds(log.requestIds));
  return [...findings, ...log.unexpected.splice(0)];
}

/** Tries the last token that was issued to a client. */
async function checkToken({ target, log }: Running, { plan, token }: Client): Promise<string[]> {
  if (token === undefined) return [];
  const { sandbox, accountId } = plan;
  const common = { baseUrl: `${target.url}/_sandbox/${sandbox}`, fetch: recordingFetch(log, sandbox) };
  const { error } = await new CallTransfer({ ...common, accessToken: token, accountId }).roles.list().result();
  return error ? [`A token of account ${accountId} is not valid any more: ${error.message}`] : [];
}

/** Waits until no app rings any more, lets a day pass in each sandbox, and checks that nothing is under way then. */
async function checkRest(running: Running): Promise<string[]> {
  await until(async () => transfersIn(await snapshotsOf(running)).every(({ status }) => status !== "ringing"));
  const findings: string[] = [];
  for (const sandbox of sandboxes) {
    const control = controlOf(running.target, sandbox.name, running.log);
    const { error } = await control.POST("/_control/v1/clock/advance", { body: { by: untilRestMs } });
    if (error !== undefined) findings.push(`A clock does not advance: ${messageOf(error)}`);
    const { seed, transfers } = await snapshotOf(running, sandbox);
    findings.push(...judgeRest((seed as unknown as State).calls, transfers));
  }
  return findings;
}

async function run(given: Run): Promise<World> {
  const { kind, seed, amount, plant } = given;
  const counts = {
    ...{ kills: 0, "kills during a start": 0, "ends in order": 0 },
    ...{ requests: 0, "acknowledged writes": 0, "writes without an answer": 0 },
  };
  const log: Log = { requestIds: new Map(), unexpected: [], counts };
  const offers: Offer[] = [];
  const apps = await startApps(seed, offers);
  const folder = temporaryFolder();
  const server: ServerProcess = await startServer(
    {
      ...{ command: (port) => commandOf(given, folder, String(port)), folder, endSignal: "SIGKILL", hasChildren: true },
      readyText: kind === "sqlite" && plant === undefined ? '"url"' : "ready",
    },
    "http://",
  );
  const target: Target = { url: server.url, token: kind === "durable-object" ? workerToken : undefined };
  const clients = sandboxes.flatMap((one) => one.clients.map((plan) => new Client(plan, target, seed, log)));
  const running: Running = { seed, target, log, clients, offers };
  const gate = new Gate(clients.length);
  const findings: string[] = [];
  let work: Promise<unknown> = Promise.resolve();
  try {
    await setUp(target, log, apps.url);
    // What is there now must stay there.
    await check(running);
    work = Promise.all(clients.map((client) => client.run(gate.pass)));
    // Awaited at the end.
    work.catch(() => {});
    for (const { afterMs, signal, duringStartMs } of endsOf(seed, amount)) {
      gate.set("open");
      await sleep(afterMs);
      // Only the command ends in order when it is asked to.
      const isAsked = signal === "SIGTERM" && kind === "sqlite" && plant === undefined;
      const ended = server.end(isAsked ? "SIGTERM" : "SIGKILL");
      gate.set("closed");
      const status = await ended;
      if (isAsked && status !== 0) findings.push(`The server was asked to end, and ended with exit status ${status}.`);
      counts[isAsked ? "ends in order" : "kills"] += 1;
      if (duringStartMs !== undefined) {
        await server.start(duringStartMs);
        counts["kills during a start"] += 1;
      }
      await server.start();
      // A client that fails never waits.
      await Promise.race([gate.allWait(), work]);
      findings.push(...(await check(running)));
      const errors = server.errors().replaceAll(expectedErrors, "").trim();
      if (errors !== "") findings.push(`The server printed: ${errors}`);
      if (findings.length > 0) break;
    }
    if (findings.length === 0) findings.push(...(await checkRest(running)));
  } catch (error) {
    findings.push(String(error), server.errors());
  } finally {
    gate.set("over");
    await work.catch((error) => findings.push(`A client failed: ${error}`));
    await server.stop().catch((error) => findings.push(String(error)));
    await apps.close();
  }
  const distinct = new Set(offers.map(({ body }) => (JSON.parse(body) as { readonly id: string }).id)).size;
  return { counts: { ...counts, offers: distinct, "offers sent again": offers.length - distinct }, findings };
}

const planted = { kind: "sqlite", amount: 25, seeds: 4 };

export const data: Plan = {
  does: "kills a mock server that keeps its data while clients write, and looks for what was acknowledged",
  kinds: ["sqlite", "durable-object"],
  unit: "kills",
  amount: 20,
  // With more, the state would grow, and checks would take most of the time.
  mostPerWorld: 25,
  plants: {
    "partial-commit": planted,
    "no-timers": planted,
    "new-event-ids": planted,
    "repeated-request-ids": planted,
  },
  run,
};
