// Checks a server after a restart, while all clients wait: its state, what the SDK says about it, and the offers.
import { setTimeout as sleep } from "node:timers/promises";
import type { Snapshot } from "@call-transfer/backend";
import { dataAs } from "@call-transfer/backend/control-client";
import { CallTransfer, type OutcomeUnknownError } from "@call-transfer/sdk";
import type { Client } from "./clients/client.ts";
import { reactionTo } from "./clients/receiver.ts";
import { controlOf, recordingFetch, type Target } from "./clients/requests.ts";
import { type ChangeOf, type History, isThere, type Write, writesOf } from "./history.ts";
import { judgeOffers, judgeReactions, judgeSignatures, undelivered } from "./judge/judge-offers.ts";
import { judgeOptions, judgeShape, judgeSnapshot } from "./judge/judge-shape.ts";
import { judgeRequestIds, judgeSandboxes, judgeWrites } from "./judge/judge-writes.ts";
import { type SandboxState, stateOf } from "./judge/state.ts";
import { newVerdict } from "./judge/verdict.ts";
import type { Plan, SandboxPlan } from "./plan.ts";

/** A limit for what never comes, not for what takes long, in milliseconds. */
const deliveryLimitMs = 30_000;
/** The credentials of each client that a check tries, beside the checks of the stored ones. */
const triedCredentials = 2;

export interface Checked {
  readonly plan: Plan;
  readonly target: Target;
  readonly history: History;
  readonly clients: readonly Client[];
}

/** Returns what a check found, as sentences. `isEnd` also waits until no app rings any more. */
export async function check(run: Checked, isEnd: boolean): Promise<string[]> {
  const { plan, history } = run;
  const { writes, offers } = history;
  const verdict = newVerdict();
  const { findings } = verdict;
  const firstNew = history.judgedOffers;
  if (isEnd) await ringingEnds(run);

  const names = await sandboxNames(run);
  judgeSandboxes(
    plan.sandboxes.map(({ name }) => name),
    writes,
    names,
    verdict,
  );
  const states = new Map<string, SandboxState>();
  for (const sandbox of plan.sandboxes) {
    const snapshot = await snapshotOf(run, sandbox.name);
    const state = stateOf(snapshot);
    states.set(sandbox.name, state);
    judgeSnapshot(snapshot, verdict);
    judgeShape(state, verdict);
    judgeOptions(sandbox, state, verdict);
    for (const client of sandbox.clients) judgeWrites(client, writes, state, verdict);
    judgeReactions(state, (eventId) => reactionTo(plan.seed, eventId), isEnd, findings);
  }
  for (const [write, { isThere, answer }] of verdict.decided) {
    write.isThere = isThere;
    Object.assign(write.change, answer);
  }

  for (const startedMs = Date.now(); undelivered(writes, offers).size > 0; await sleep(20))
    if (Date.now() - startedMs > deliveryLimitMs) break;
  judgeOffers(writes, offers, findings);
  history.judgedOffers = offers.length;
  await judgeSignatures(writes, offers.slice(firstNew), history.lives, findings);
  for (const client of run.clients) {
    const state = states.get(client.plan.sandbox);
    if (state !== undefined) await checkThroughSdk(run, client, state, isEnd, findings);
  }
  judgeRequestIds(history.requestIds, findings);
  if (isEnd) await checkReset(run, findings);
  return [...findings, ...history.unexpected];
}

/** Checks that a reset still goes back to the options with which a sandbox was created. */
async function checkReset(run: Checked, findings: string[]): Promise<void> {
  for (const sandbox of run.plan.sandboxes.filter(({ name }) => name !== "default")) {
    const { name, clients } = sandbox;
    await controlOf(run.target, name, run.history).POST("/_control/v1/reset");
    const verdict = newVerdict();
    const state = stateOf(await snapshotOf(run, name));
    judgeOptions(sandbox, state, verdict);
    for (const client of clients) judgeWrites(client, [], state, verdict);
    findings.push(...verdict.findings.map((finding) => `After a reset of the sandbox "${name}": ${finding}`));
  }
}

async function sandboxNames({ target, history }: Checked): Promise<string[]> {
  const result = await controlOf(target, "default", history).GET("/_control/v1/sandboxes");
  return dataAs<"SandboxList">(result).sandboxes.map(({ name }) => name);
}

async function snapshotOf({ target, history }: Checked, sandbox: string): Promise<Snapshot> {
  const { data, error } = await controlOf(target, sandbox, history).GET("/_control/v1/snapshot");
  if (data === undefined) throw new Error(`The sandbox "${sandbox}" has no snapshot: ${JSON.stringify(error)}`);
  return data as unknown as Snapshot;
}

/** Waits until every app has reacted. The last check reports those that have not in time. */
async function ringingEnds(run: Checked): Promise<void> {
  const rings = async ({ name }: SandboxPlan): Promise<boolean> =>
    (await snapshotOf(run, name)).transfers.some(({ status }) => status === "ringing");
  for (const startedMs = Date.now(); Date.now() - startedMs < deliveryLimitMs; await sleep(100))
    if (!(await Promise.all(run.plan.sandboxes.map(rings))).includes(true)) return;
}

/** Checks that the list of calls, reconciliations and credentials agree with the state. */
async function checkThroughSdk(
  { target, history }: Checked,
  client: Client,
  state: SandboxState,
  isEnd: boolean,
  findings: string[],
): Promise<void> {
  const { accountId, sandbox } = client.plan;
  const stored = state.calls.filter((call) => call.accountId === accountId);
  const listed: string[] = [];
  for await (const { id } of client.sdk.calls.list({ limit: 100 })) listed.push(id);
  if (!isSame(listed, idsOf(stored)))
    findings.push(
      `The list of account ${accountId} has ${listed.length} calls, other ones than the ${stored.length} stored.`,
    );
  for (const [write, error] of client.lost) findings.push(...(await checkReconciliation(write, error, state)));
  client.lost.clear();

  const own = history.writes.filter((write) => write.accountId === accountId && isThere(write));
  const tried = (credentials: readonly (string | undefined)[]): string[] =>
    credentials.filter((one) => one !== undefined).slice(isEnd ? 0 : -triedCredentials);
  const common = { baseUrl: `${target.url}/_sandbox/${sandbox}`, fetch: recordingFetch(history, sandbox) };
  const clients = [
    ...tried(writesOf(own, "API key").map(({ change }) => change.key)).map((apiKey) => ({ ...common, apiKey })),
    ...tried(writesOf(own, "token").map(({ change }) => change.token)).map((accessToken) => ({
      ...common,
      accessToken,
      accountId,
    })),
  ];
  for (const options of clients) {
    const { error } = await new CallTransfer(options).roles.list().result();
    if (error !== undefined)
      findings.push(`A credential of account ${accountId} is not valid any more: ${error.message}`);
  }
}

/** Checks what `reconcile()` says about a lost write. */
async function checkReconciliation(
  write: Write<ChangeOf<"call" | "rotation">>,
  error: OutcomeUnknownError,
  { calls, destinations }: SandboxState,
): Promise<string[]> {
  const { candidates, complete, explanation, window } = await error.reconcile();
  const { change, accountId } = write;
  if (change.kind === "call") {
    const since = calls.filter((call) => call.accountId === accountId && call.createdAt >= window.start);
    const isListed = since.some(({ request }) => request.toNumber === change.toNumber);
    const isRight = complete && isListed === isThere(write) && isSame(idsOf(candidates), idsOf(since));
    return isRight ? [] : [`reconcile() is wrong about the lost call to ${change.toNumber}: ${explanation}`];
  }
  // The time until which the previous secret signs at least, if it was rotated.
  const until = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(explanation)?.[0];
  const { previousSecretExpiresAt = "" } = destinations.find(({ id }) => id === change.destinationId) ?? {};
  if (until !== undefined && (!isThere(write) || until <= previousSecretExpiresAt)) return [];
  return [`reconcile() is wrong about a lost rotation of ${change.destinationId}: ${explanation}`];
}

const idsOf = (records: readonly { readonly id: string }[]): string[] => records.map(({ id }) => id);

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && new Set([...one, ...other]).size === one.length;
}
