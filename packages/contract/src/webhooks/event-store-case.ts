// What the cases for event stores are made of.
import type { EventClaim, EventStore } from "@call-transfer/sdk/webhooks";

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Opens a store. Each call may open another connection; all of them share one backend. */
export type OpenEventStore = () => EventStore | Promise<EventStore>;

/** A rule of `EventStore`, as a test. */
export interface EventStoreCase {
  /** What a store does if it passes. */
  readonly name: string;
  /** Rejects with what is wrong. Uses keys of its own, so cases can run side by side over the same backend. */
  run(openStore: OpenEventStore): Promise<void>;
}

/** Far longer than a case takes. */
export const longMs = 600_000;
/** A lease that runs out while a case waits. */
export const shortMs = 60;
/** How long something may take to run out. A limit for what never happens, not for what takes long. */
const limitMs = 30_000;
/** How many claims or answers a case sends at once. */
export const claimsAtOnce = 50;

/** What a case works with. */
interface Scene {
  /** Two stores over the same backend, which `openStore` opened one after the other. */
  readonly store: EventStore;
  readonly other: EventStore;
  /** A key that no other case uses. */
  readonly key: string;
  readonly first: string;
  readonly second: string;
}

/** A value as a message shows it. */
export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 120)}… (${text.length} characters)` : text;
};

/** Throws unless a method returned the value. */
export function equal(method: string, actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  throw new Error(`${method} must return ${shown(expected)}, not ${shown(actual)}.`);
}

/** Throws unless a claim has the state, and the response if there is one. */
export function claimed(claim: EventClaim, state: EventClaim["state"], when: string, response?: string): void {
  if (claim?.state === state && (claim.state !== "completed" || claim.response === response)) return;
  throw new Error(`claim() ${when} must return ${shown({ state, response })}, not ${shown(claim)}.`);
}

export const completed = (claim: EventClaim, response: string, when: string): void =>
  claimed(claim, "completed", when, response);

/** The states of many claims at once, each by another owner. */
export async function statesOfMany({ store, other, key }: Scene): Promise<EventClaim["state"][]> {
  const claims = Array.from({ length: claimsAtOnce }, (_, at) =>
    (at % 2 === 0 ? store : other).claim(key, crypto.randomUUID(), longMs),
  );
  return (await Promise.all(claims)).map(({ state }) => state);
}

/** Claims again and again until the event is the owner's. */
export async function claimedInTime(store: EventStore, key: string, owner: string, when: string): Promise<void> {
  const from = performance.now();
  let claim = await store.claim(key, owner, longMs);
  for (
    ;
    claim?.state !== "claimed" && performance.now() - from < limitMs;
    claim = await store.claim(key, owner, longMs)
  )
    await sleep(shortMs / 2);
  claimed(claim, "claimed", when);
}

/** Waits until leases of `shortMs` have run out, also where the backend's clock is coarse. */
export const untilOver = (): Promise<void> => sleep(shortMs * 5);

/** A case with stores and names of its own. */
export const caseOf = (name: string, prove: (scene: Scene) => Promise<void>): EventStoreCase => ({
  name,
  run: async (openStore) => {
    const [store, other] = [await openStore(), await openStore()];
    const [key, first, second] = [`case:${crypto.randomUUID()}`, crypto.randomUUID(), crypto.randomUUID()];
    await prove({ store, other, key, first, second });
  },
});

/** A case that begins with an event that `first` has claimed. */
export const heldCase = (name: string, prove: (scene: Scene) => Promise<void>): EventStoreCase =>
  caseOf(name, async (scene) => {
    await scene.store.claim(scene.key, scene.first, longMs);
    await prove(scene);
  });
