// Decides whether a state has every write that must be there, nothing else, and nothing in part; and whether offers were kept.
import { isDeepStrictEqual } from "node:util";
import { createBackend, type Snapshot, type TransferRecord } from "@call-transfer/backend";
import type { ClientPlan, Reaction, SandboxPlan } from "./plan.ts";

/**
 * What a client can read, by name: each of its records and values is a register, which only this client writes, one after the
 * other. After a restart, each must hold what was acknowledged last.
 */
export type Registers = Map<string, string>;

/** A write whose answer is missing. Perhaps it changed one register. */
export interface OpenWrite {
  /** The register, or the start of its name with a space at its end, if only the server knows the rest. */
  readonly register: string;
  /** Whether the write may have left this value; undefined for a register that is gone. */
  readonly fits: (value: string | undefined, before: string | undefined) => boolean;
  /** Whether the client knows that it was carried out, although not what it left. */
  isApplied?: boolean;
}

/**
 * Compares registers with what must be in them, and returns what is wrong, as sentences. `expected` becomes what is there, so that
 * what an open write did is known from then on, and so that a finding is found once.
 */
export function judgeRegisters(expected: Registers, actual: Registers, open: readonly OpenWrite[]): string[] {
  const names = new Set([...expected.keys(), ...actual.keys()]);
  const changed = [...names].filter((name) => expected.get(name) !== actual.get(name));
  const findings: string[] = [];
  const own = new Set<string>();
  for (const { register, fits, isApplied } of open) {
    const isNamed = (name: string): boolean => (register.endsWith(" ") ? name.startsWith(register) : name === register);
    const found = changed.find((name) => !own.has(name) && isNamed(name) && fits(actual.get(name), expected.get(name)));
    if (found !== undefined) own.add(found);
    else if (isApplied) findings.push(`The ${register} was carried out, but is not there.`);
  }
  for (const name of changed.filter((one) => !own.has(one))) {
    const [was, is] = [expected.get(name), actual.get(name)];
    if (is === undefined) findings.push(`The ${name} is lost. It was acknowledged as ${was}.`);
    else if (was === undefined) findings.push(`The ${name} is there as ${is}, but no client wrote it.`);
    else findings.push(`The ${name} is ${is}, but was acknowledged as ${was}.`);
  }
  expected.clear();
  for (const [name, value] of actual) expected.set(name, value);
  return findings;
}

interface Owned {
  readonly id: string;
  readonly accountId: string;
}

/** The parts of a snapshot that are read. */
export interface State {
  readonly calls: readonly (Owned & { readonly status: string; readonly request: { readonly toNumber: string } })[];
  readonly groups: readonly (Owned & GroupInput)[];
  readonly members: readonly (Owned & {
    readonly availability: { readonly status: string; readonly until?: string | null };
    readonly hours?: { readonly monday: readonly { readonly from: string }[] };
  })[];
  readonly destinations: readonly (Owned & { readonly signingSecret: string; readonly previousSecret?: string })[];
}

/** A group as a client creates it. */
export interface GroupInput {
  readonly name: string;
  readonly members: readonly { readonly destinationId: string; readonly ringTimeoutSecs?: number }[];
  readonly totalTimeoutSecs: number;
}

export const groupText = (id: string, { members, totalTimeoutSecs }: GroupInput): string =>
  [
    id,
    ...members.map(({ destinationId, ringTimeoutSecs }) => `${destinationId} ${ringTimeoutSecs}`),
    totalTimeoutSecs,
  ].join();

/** The rings of a transfer, as far as its answer and its record name them alike. */
export type Rings = readonly { readonly destinationId: string; readonly deliveryId?: string | undefined }[];

interface Rung {
  readonly destinationId?: string | undefined;
  readonly groupId?: string | undefined;
  readonly rings: Rings;
}

export const transferText = ({ destinationId, groupId, rings }: Rung): string =>
  [destinationId ?? groupId, ...rings.map((ring) => `${ring.destinationId}: ${ring.deliveryId}`)].join();

/** The registers of a client in a snapshot of its sandbox. What belongs to the whole sandbox is read by its first client. */
export function registersOf(snapshot: Snapshot, { clients }: SandboxPlan, client: ClientPlan): Registers {
  const registers: Registers = new Map();
  // A record that is there twice must differ from what was written.
  const add = (name: string, value: string): void =>
    void registers.set(name, registers.has(name) ? `${registers.get(name)} and ${value}` : value);
  const { seed, transfers, policies, mode, rate, now } = snapshot;
  const state = seed as unknown as State;
  const own = <Item extends Owned>(items: readonly Item[]): Item[] =>
    items.filter(({ accountId }) => accountId === client.accountId);
  for (const { id, request } of own(state.calls)) add(`call to ${request.toNumber}`, id);
  for (const group of own(state.groups)) add(`group ${group.name}`, groupText(group.id, group));
  for (const { id, availability, hours } of own(state.members)) {
    add(`availability of ${id}`, `${availability.status} ${availability.until}`);
    add(`hours of ${id}`, String(hours?.monday[0]?.from));
  }
  for (const { id, signingSecret, previousSecret } of own(state.destinations))
    add(`secrets of ${id}`, `${signingSecret} after ${previousSecret}`);
  for (const transfer of own(transfers)) add(`transfer ${transfer.id}`, transferText(transfer));
  if (client.advancesClock) add("clock", String(now));
  if (client === clients[0]) add("options of the sandbox", JSON.stringify([mode, rate ?? 1, policies]));
  return registers;
}

/** Whether a backend accepts a state: every record is valid, and refers only to records that exist. */
export function judgeSnapshot(snapshot: Snapshot): string[] {
  // It sends its open offers, to an app that is not there.
  const backend = createBackend({ fetch: async () => Promise.reject(new Error("Nothing is sent.")) });
  try {
    backend.restore(snapshot);
    return [];
  } catch (error) {
    return [`The state is not valid: ${error instanceof Error ? error.message : String(error)}.`];
  } finally {
    backend.close();
  }
}

/** A delivery of an offer, as the receiver got it. */
export interface Offer {
  /** The destination whose address it came to. */
  readonly destinationId: string;
  readonly body: string;
}

interface OfferBody {
  readonly id: string;
  readonly transferId: string;
  readonly destinationId: string;
}

const bodyOf = ({ body }: Offer): OfferBody => JSON.parse(body) as OfferBody;

/** The rings of apps, by the id of the event that must reach them. */
export const announced = (transfers: readonly TransferRecord[]): Map<string, string> =>
  new Map(
    transfers.flatMap(({ id, rings }) =>
      rings.flatMap(({ kind, outcome, destinationId, deliveryId }) =>
        kind === "app" && outcome !== "skipped" ? [[String(deliveryId), `${id} at ${destinationId}`] as const] : [],
      ),
    ),
  );

/** Each ring's offer was delivered at least once, as one event with one body, and no offer is of a transfer that is not stored. */
export function judgeOffers(offers: readonly Offer[], transfers: readonly TransferRecord[]): string[] {
  const rings = announced(transfers);
  const findings: string[] = [];
  const bodies = new Map<string, OfferBody>();
  for (const offer of offers) {
    const body = bodyOf(offer);
    const { id, transferId, destinationId } = body;
    const first = bodies.get(id) ?? body;
    bodies.set(id, first);
    const ring = `${transferId} at ${destinationId}`;
    if (rings.get(id) !== ring)
      findings.push(`The offer ${id} is of ${ring}, but the state has ${rings.get(id)} for it.`);
    if (!isDeepStrictEqual(body, first))
      findings.push(`The offer ${id} was sent again with another body: ${offer.body}`);
    if (destinationId !== offer.destinationId)
      findings.push(`The offer ${id} is for ${destinationId}, but came to ${offer.destinationId}.`);
  }
  for (const [id, ring] of rings) if (!bodies.has(id)) findings.push(`The offer ${id} of ${ring} was not delivered.`);
  return findings;
}

/** What becomes of a ring by the app's reaction. Another app of the group may have accepted before. */
const outcomes: Readonly<Record<Reaction, readonly string[]>> = {
  accept: ["ringing", "answered", "taken"],
  decline: ["ringing", "declined", "taken"],
  "hang up": ["ringing", "declined", "taken"],
};

/** The outcome of each ring is that of the app's reaction. */
export function judgeReactions(
  transfers: readonly TransferRecord[],
  reactionTo: (eventId: string) => Reaction,
): string[] {
  return transfers.flatMap(({ id, rings }) =>
    rings
      .filter(
        ({ kind, outcome, deliveryId = "" }) => kind === "app" && !outcomes[reactionTo(deliveryId)].includes(outcome),
      )
      .map(
        ({ outcome, destinationId, deliveryId = "", reason }) =>
          `Transfer ${id} at ${destinationId} is ${outcome} (${reason}), but the app's reaction is: ${reactionTo(deliveryId)}.`,
      ),
  );
}

/** Once all apps have answered and hours have passed, nothing is under way any more: no timer was lost. */
export function judgeRest(calls: State["calls"], transfers: readonly TransferRecord[]): string[] {
  return [
    ...calls
      .filter(({ status }) => status === "in_progress" || status === "queued")
      .map(({ id, status }) => `Call ${id} stays ${status} for ever.`),
    ...transfers
      .filter(({ status }) => status === "ringing" || status === "connected")
      .map(({ id, status }) => `Transfer ${id} stays ${status} for ever.`),
  ];
}

/** No request id of a sandbox repeats, over all its processes. */
export const judgeRequestIds = (requestIds: ReadonlyMap<string, readonly string[]>): string[] =>
  [...requestIds].flatMap(([sandbox, ids]) => {
    const repeated = ids.length - new Set(ids).size;
    return repeated > 0 ? [`${repeated} request ids of the sandbox "${sandbox}" repeat.`] : [];
  });
