// Decides whether the state of a sandbox has every write that must be there, nothing else, and nothing in part.
import { isDeepStrictEqual } from "node:util";
import { limits } from "@call-transfer/spec";
import { type GroupInput, isThere, type Write, writesOf } from "../history.ts";
import { type ClientPlan, firstHours, firstSecret, frozenNow } from "../plan.ts";
import type { SandboxState, StoredDestination } from "./state.ts";
import { compare, compareValue, type Verdict } from "./verdict.ts";

/** Checks the state of a sandbox against all writes of a client in it. */
type Check = (writes: readonly Write[], state: SandboxState, verdict: Verdict, client: ClientPlan) => void;

const overlapMs = limits.previousSecretOverlapHours * 3_600_000;

/** Each call is there once, with the id of its answer. */
const checkCalls: Check = (writes, { calls }, verdict, { accountId }) => {
  const own = calls.filter((call) => call.accountId === accountId);
  const byNumber = Map.groupBy(own, ({ request }) => request.toNumber);
  for (const write of writesOf(writes, "call")) {
    const { toNumber, callId } = write.change;
    const [found, ...more] = byNumber.get(toNumber) ?? [];
    byNumber.delete(toNumber);
    compare(write, `The call to ${toNumber}`, found !== undefined, verdict);
    if (more.length > 0) verdict.findings.push(`The call to ${toNumber} is there ${more.length + 1} times.`);
    if (found !== undefined && callId !== undefined && found.id !== callId)
      verdict.findings.push(`The call to ${toNumber} has the id ${found.id}, but its answer said ${callId}.`);
  }
  for (const number of byNumber.keys())
    verdict.findings.push(`The call to ${number} is there, but no client placed it.`);
};

/** Each group is there with all its fields, until its deletion. */
const checkGroups: Check = (writes, { groups }, verdict, { accountId }) => {
  const byName = new Map(groups.filter((group) => group.accountId === accountId).map((group) => [group.name, group]));
  const deletions = new Map(writesOf(writes, "group deletion").map((write) => [write.change.name, write]));
  for (const write of writesOf(writes, "group")) {
    const { group, id } = write.change;
    const found = byName.get(group.name);
    const name = `The group "${group.name}"`;
    const deletion = deletions.get(group.name);
    if (deletion === undefined) compare(write, name, found !== undefined, verdict);
    else compare(deletion, `The deletion of the group "${group.name}"`, found === undefined, verdict);
    if (found === undefined) continue;
    if (id !== undefined && found.id !== id)
      verdict.findings.push(`${name} has the id ${found.id}, but its answer said ${id}.`);
    const stored: GroupInput = { name: found.name, members: found.members, totalTimeoutSecs: found.totalTimeoutSecs };
    if (!isDeepStrictEqual(stored, group))
      verdict.findings.push(`${name} is ${JSON.stringify(stored)} instead of ${JSON.stringify(group)}.`);
  }
};

/** The availability and the hours of each member are those that were set last. */
const checkMembers: Check = (writes, { members }, verdict, { memberIds }) => {
  for (const id of memberIds) {
    const member = members.find((one) => one.id === id);
    const set = writesOf(writes, "availability").filter(({ change }) => change.memberId === id);
    compareValue(
      `The availability of member ${id}`,
      "available undefined",
      set.map((write) => [write, `${write.change.status} ${write.change.until}`]),
      `${member?.availability.status} ${member?.availability.until}`,
      verdict,
    );
    const changed = writesOf(writes, "hours").filter(({ change }) => change.memberId === id);
    compareValue(
      `The start of the hours of member ${id}`,
      firstHours,
      changed.map((write) => [write, write.change.from]),
      member?.hours?.monday[0]?.from,
      verdict,
    );
  }
};

/** A secret of a destination, from the beginning of the rotation that issued it. Times are in milliseconds since 1970. */
export interface IssuedSecret {
  readonly secret: string;
  readonly beganMs: number;
  readonly endedMs: number;
}

/** The secrets of a destination over time, oldest first. */
export function secretsOf(destinationId: string, writes: readonly Write[]): IssuedSecret[] {
  const rotations = writesOf(writes, "rotation").filter(({ change }) => change.destinationId === destinationId);
  const issued = rotations.flatMap(({ change: { secret }, beganMs, endedMs = Number.POSITIVE_INFINITY }) =>
    secret === undefined ? [] : [{ secret, beganMs, endedMs }],
  );
  return [{ secret: firstSecret(destinationId), beganMs: 0, endedMs: 0 }, ...issued];
}

/** Each destination signs with the secrets of its last two rotations. One of unknown outcome has issued one more, or nothing. */
const checkSecrets: Check = (writes, { destinations }, verdict, { destinationIds }) => {
  for (const id of destinationIds) {
    const destination = destinations.find((one) => one.id === id);
    const [newest, previous] = secretsOf(id, writes).toReversed();
    const lost = writesOf(writes, "rotation").find(
      (write) => write.change.destinationId === id && write.change.secret === undefined && isThere(write) !== false,
    );
    const isRotated = destination?.previousSecret === newest?.secret;
    const { signingSecret } = destination ?? {};
    if (lost !== undefined) compare(lost, `A rotation of destination ${id}`, isRotated, verdict);
    if (lost !== undefined && isRotated)
      verdict.decided.set(lost, { isThere: true, answer: { secret: signingSecret } });
    else if (signingSecret !== newest?.secret)
      verdict.findings.push(`Destination ${id} signs with another secret than that of the last rotation.`);
    else if (destination?.previousSecret !== previous?.secret)
      verdict.findings.push(`Destination ${id} has another previous secret than that before the last rotation.`);
    if (destination?.previousSecret !== undefined) checkOverlap(destination, verdict);
  }
};

/** A rotation sets its secrets, the end of the overlap and its time together. */
function checkOverlap({ id, previousSecretExpiresAt = "", updatedAt = "" }: StoredDestination, verdict: Verdict): void {
  const differenceMs = Date.parse(previousSecretExpiresAt) - Date.parse(updatedAt) - overlapMs;
  // A clock that runs may have moved on between the two.
  if (!(Math.abs(differenceMs) < 1000))
    verdict.findings.push(
      `Destination ${id} was rotated in part: at ${updatedAt}, and its previous secret ends at ${previousSecretExpiresAt}.`,
    );
}

/** Records that only their answer names, such as keys: one without an answer may be that of a write of unknown outcome. */
function compareNamed(
  kind: string,
  writes: readonly (readonly [write: Write, id: string | undefined])[],
  stored: readonly string[],
  answerOf: (id: string) => object,
  verdict: Verdict,
): void {
  const named = new Set(writes.map(([, id]) => id));
  const unnamed = stored.filter((id) => !named.has(id));
  for (const [write, id] of writes) {
    if (id !== undefined) compare(write, `The ${kind} ${id}`, stored.includes(id), verdict);
    else if (isThere(write) !== false) {
      const found = unnamed.shift();
      compare(write, `A ${kind} without an answer`, found !== undefined, verdict);
      if (found !== undefined) verdict.decided.set(write, { isThere: true, answer: answerOf(found) });
    }
  }
  for (const id of unnamed) verdict.findings.push(`The ${kind} ${id} is there, but no client asked for it.`);
}

const checkKeys: Check = (writes, { apiKeys }, verdict, { accountId, apiKey }) => {
  const own = apiKeys.filter((key) => key.accountId === accountId && key.key !== apiKey);
  if (!apiKeys.some(({ key }) => key === apiKey))
    verdict.findings.push(`The first API key of account ${accountId} is lost.`);
  compareNamed(
    "API key",
    writesOf(writes, "API key").map((write) => [write, write.change.key]),
    own.map(({ key }) => key),
    (key) => ({ key }),
    verdict,
  );
  // Tokens are not stored: one that did not arrive is lost.
  for (const write of writesOf(writes, "token"))
    if (isThere(write) === undefined) verdict.decided.set(write, { isThere: false });
};

const checkTransfers: Check = (writes, { transfers }, verdict, { accountId }) => {
  const own = transfers.filter((transfer) => transfer.accountId === accountId);
  const started = writesOf(writes, "transfer");
  compareNamed(
    "transfer",
    started.map((write) => [write, write.change.id]),
    own.map(({ id }) => id),
    (id) => ({ id, rings: own.find((transfer) => transfer.id === id)?.rings }),
    verdict,
  );
  for (const { change } of started) {
    const stored = own.find(({ id }) => id === change.id);
    if (stored === undefined || (stored.destinationId === change.destinationId && stored.groupId === change.groupId))
      continue;
    verdict.findings.push(`Transfer ${stored.id} rings another destination or group than it was started for.`);
  }
};

/** An advance goes from timer to timer, so that a part of one whose outcome is unknown may be there. */
const checkClock: Check = (writes, { now }, verdict, { advancesClock }) => {
  if (!advancesClock) return;
  const advances = writesOf(writes, "advance");
  const known = advances.filter((write) => isThere(write));
  const least = known.reduce((sum, { change }) => sum + change.byMs, Date.parse(frozenNow));
  const open = advances.filter((write) => isThere(write) === undefined);
  const most = open.reduce((sum, { change }) => sum + change.byMs, least);
  if (now < least || now > most)
    verdict.findings.push(`The clock is at ${now} instead of ${least}${most > least ? ` to ${most}` : ""}.`);
  for (const write of open) verdict.decided.set(write, { isThere: now > least, answer: { byMs: now - least } });
};

const checks: readonly Check[] = [
  checkCalls,
  checkGroups,
  checkMembers,
  checkSecrets,
  checkKeys,
  checkTransfers,
  checkClock,
];

/** Checks everything that a client wrote. */
export function judgeWrites(client: ClientPlan, writes: readonly Write[], state: SandboxState, verdict: Verdict): void {
  const own = writes.filter(({ accountId }) => accountId === client.accountId);
  for (const check of checks) check(own, state, verdict, client);
}

/** Checks which sandboxes there are. */
export function judgeSandboxes(
  planned: readonly string[],
  writes: readonly Write[],
  names: readonly string[],
  verdict: Verdict,
): void {
  const deletions = new Map(writesOf(writes, "sandbox deletion").map((write) => [write.change.name, write]));
  const left = new Set(names);
  for (const name of planned) if (!left.delete(name)) verdict.findings.push(`The sandbox "${name}" is lost.`);
  for (const write of writesOf(writes, "sandbox")) {
    const { name } = write.change;
    const isFound = left.delete(name);
    const deletion = deletions.get(name);
    if (deletion === undefined) compare(write, `The sandbox "${name}"`, isFound, verdict);
    else compare(deletion, `The deletion of the sandbox "${name}"`, !isFound, verdict);
  }
  for (const name of left) verdict.findings.push(`The sandbox "${name}" is there, but no client created it.`);
}

/** No request id of a sandbox repeats, over all its processes. */
export function judgeRequestIds(requestIds: ReadonlyMap<string, readonly string[]>, findings: string[]): void {
  for (const [sandbox, ids] of requestIds) {
    const repeated = ids.length - new Set(ids).size;
    if (repeated > 0) findings.push(`${repeated} request ids of the sandbox "${sandbox}" repeat.`);
  }
}
