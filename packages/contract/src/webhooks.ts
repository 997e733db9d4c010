// Entry point for testing event stores: cases for every rule of EventStore, for any test runner.

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
const longMs = 600_000;
/** A lease that runs out while a case waits. */
const shortMs = 60;
/** How long something may take to run out. A limit for what never happens, not for what takes long. */
const limitMs = 30_000;
/** How many claims or answers a case sends at once. */
const claimsAtOnce = 50;

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
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 120)}… (${text.length} characters)` : text;
};

/** Throws unless a method returned the value. */
function equal(method: string, actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  throw new Error(`${method} must return ${shown(expected)}, not ${shown(actual)}.`);
}

/** Throws unless a claim has the state, and the response if there is one. */
function claimed(claim: EventClaim, state: EventClaim["state"], when: string, response?: string): void {
  if (claim?.state === state && (claim.state !== "completed" || claim.response === response)) return;
  throw new Error(`claim() ${when} must return ${shown({ state, response })}, not ${shown(claim)}.`);
}

const completed = (claim: EventClaim, response: string, when: string): void =>
  claimed(claim, "completed", when, response);

/** The states of many claims at once, each by another owner. */
async function statesOfMany({ store, other, key }: Scene): Promise<EventClaim["state"][]> {
  const claims = Array.from({ length: claimsAtOnce }, (_, at) =>
    (at % 2 === 0 ? store : other).claim(key, crypto.randomUUID(), longMs),
  );
  return (await Promise.all(claims)).map(({ state }) => state);
}

/** Claims again and again until the event is the owner's. */
async function claimedInTime(store: EventStore, key: string, owner: string, when: string): Promise<void> {
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
const untilOver = (): Promise<void> => sleep(shortMs * 5);

/** A case with stores and names of its own. */
const caseOf = (name: string, prove: (scene: Scene) => Promise<void>): EventStoreCase => ({
  name,
  run: async (openStore) => {
    const [store, other] = [await openStore(), await openStore()];
    const [key, first, second] = [`case:${crypto.randomUUID()}`, crypto.randomUUID(), crypto.randomUUID()];
    await prove({ store, other, key, first, second });
  },
});

/** A case that begins with an event that `first` has claimed. */
const heldCase = (name: string, prove: (scene: Scene) => Promise<void>): EventStoreCase =>
  caseOf(name, async (scene) => {
    await scene.store.claim(scene.key, scene.first, longMs);
    await prove(scene);
  });

const maxAnswerBytes = 24_000;
const answer = '{"status":204}';

const leases: readonly EventStoreCase[] = [
  caseOf("gives a new event to the first owner", async ({ store, key, first }) => {
    claimed(await store.claim(key, first, longMs), "claimed", "of a new event");
  }),
  heldCase("gives no other owner an event while its lease runs", async ({ store, key, second }) => {
    claimed(await store.claim(key, second, longMs), "in_progress", "while another owner's lease runs");
    claimed(await store.claim(key, second, longMs), "in_progress", "of an owner that was refused before");
  }),
  caseOf("gives an event to one of many owners at once", async (scene) => {
    const states = await statesOfMany(scene);
    const [taken, inProgress] = ["claimed", "in_progress"].map(
      (name) => states.filter((state) => state === name).length,
    );
    if (taken !== 1 || inProgress !== claimsAtOnce - 1)
      throw new Error(
        `One of ${claimsAtOnce} claims at once must be "claimed", the others "in_progress". ${taken} were "claimed", ${inProgress} "in_progress".`,
      );
  }),
  caseOf("gives an event whose lease ran out to one of many owners at once", async (scene) => {
    await scene.store.claim(scene.key, scene.first, shortMs);
    await untilOver();
    const taken = (await statesOfMany(scene)).filter((state) => state === "claimed").length;
    if (taken !== 1)
      throw new Error(`One of ${claimsAtOnce} claims at once must get an event whose lease ran out, not ${taken}.`);
  }),
  heldCase("lets an owner claim its event again", async ({ store, other, key, first }) => {
    claimed(await store.claim(key, first, longMs), "claimed", "of the owner that has the event");
    claimed(
      await other.claim(key, first, longMs),
      "claimed",
      "of the owner that has the event, over another connection",
    );
  }),
  caseOf("extends a lease that its owner claims again", async ({ store, key, first, second }) => {
    await store.claim(key, first, shortMs);
    await store.claim(key, first, longMs);
    await untilOver();
    claimed(await store.claim(key, second, longMs), "in_progress", "while the extended lease runs");
  }),
  caseOf("gives the event to another owner when the lease ran out", async ({ store, key, first, second }) => {
    await store.claim(key, first, shortMs);
    await claimedInTime(store, key, second, "after the lease ran out");
    claimed(
      await store.claim(key, first, longMs),
      "in_progress",
      "of the first owner, after another one took the event",
    );
  }),
  caseOf("keeps events with different keys apart", async ({ store, key, first, second }) => {
    const keys = [key, `${key}a`, `${key}A`, `${key}:`, `${key}*`, `${key}%`, `${key}_`, `${key}\\`, `${key}'"`];
    for (const each of [...keys, key.slice(0, -1), key.toUpperCase()])
      claimed(await store.claim(each, each === key ? first : second, longMs), "claimed", `of the new event ${each}`);
    equal("complete()", await store.complete(key, first, answer), true);
    for (const each of keys.slice(1))
      claimed(await store.claim(each, first, longMs), "in_progress", `of ${each}, after ${key} was completed`);
  }),
  caseOf("takes keys of 512 characters and of every printable character", async ({ store, key, first, second }) => {
    const printable = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join("");
    const long = `${key}${printable}`.padEnd(511, "k");
    claimed(await store.claim(`${long}1`, first, longMs), "claimed", "of a key of 512 characters");
    claimed(await store.claim(`${long}2`, second, longMs), "claimed", "of a key that differs in its last character");
    claimed(
      await store.claim(`${long}1`, second, longMs),
      "in_progress",
      "of a key of 512 characters, by another owner",
    );
  }),
];

const answers: readonly EventStoreCase[] = [
  heldCase("gives everyone the stored answer", async ({ store, key, first, second }) => {
    equal("complete() of the owner", await store.complete(key, first, answer), true);
    completed(await store.claim(key, second, longMs), answer, "of another owner, after the event was completed");
    completed(await store.claim(key, first, longMs), answer, "of the owner that completed the event");
    completed(await store.claim(key, second, longMs), answer, "of the completed event, once more");
  }),
  caseOf("stores one answer when many complete at once", async ({ store, other, key }) => {
    const completions = await Promise.all(
      Array.from({ length: claimsAtOnce }, async (_, at) => {
        const text = JSON.stringify({ status: 200, at });
        const isStored = await (at % 2 === 0 ? store : other).complete(key, crypto.randomUUID(), text);
        return { text, isStored };
      }),
    );
    const stored = completions.filter(({ isStored }) => isStored).map(({ text }) => text);
    if (stored.length !== 1)
      throw new Error(`One of ${claimsAtOnce} complete() at once must return true, not ${stored.length}.`);
    completed(await store.claim(key, crypto.randomUUID(), longMs), stored[0] ?? "", "after many completed at once");
  }),
  heldCase("refuses to complete an event that another owner has", async ({ store, key, first, second }) => {
    equal("complete() of another owner", await store.complete(key, second, '"theirs"'), false);
    claimed(await store.claim(key, second, longMs), "in_progress", "after another owner could not complete the event");
    equal("complete() of the owner", await store.complete(key, first, answer), true);
    completed(await store.claim(key, second, longMs), answer, "after the owner completed the event");
  }),
  caseOf("refuses the answer of an owner whose event was completed by another", async (scene) => {
    const { store, key, first, second } = scene;
    await store.claim(key, first, shortMs);
    await claimedInTime(store, key, second, "after the lease ran out");
    equal("complete() of the first owner", await store.complete(key, first, '"late"'), false);
    equal("complete() of the second owner", await store.complete(key, second, answer), true);
    equal("complete() of the first owner, later", await store.complete(key, first, '"late"'), false);
    completed(
      await store.claim(key, first, longMs),
      answer,
      "of the first owner, after the second completed the event",
    );
  }),
  caseOf("stores an answer after the lease ran out", async ({ store, key, first, second }) => {
    await store.claim(key, first, shortMs);
    await untilOver();
    equal("complete() after the lease ran out", await store.complete(key, first, answer), true);
    completed(await store.claim(key, second, longMs), answer, "after the event was completed late");
  }),
  caseOf("stores an answer of an event that it has nothing of", async ({ store, key, first, second }) => {
    equal("complete() of an event that is not stored", await store.complete(key, first, answer), true);
    completed(await store.claim(key, second, longMs), answer, "after the event was completed");
  }),
  heldCase("keeps the answer when its owner completes again", async ({ store, key, first, second }) => {
    await store.complete(key, first, answer);
    const again: unknown = await store.complete(key, first, answer);
    if (typeof again !== "boolean") throw new Error(`complete() must return true or false, not ${shown(again)}.`);
    completed(await store.claim(key, second, longMs), answer, "after the owner completed the event twice");
  }),
  caseOf("keeps an answer after the lease would have run out", async ({ store, key, first, second }) => {
    await store.claim(key, first, shortMs);
    await store.complete(key, first, answer);
    await untilOver();
    completed(await store.claim(key, second, longMs), answer, "after the lease would have run out");
  }),
  caseOf("returns answers of 24 kB character by character", async ({ store, other, key, first, second }) => {
    const characters = 'aÄß€漢字\u0000\u2028\uFEFF😀👩\u200d🚒"\\ \r\n\t$1%s{{}}';
    const bytes = new TextEncoder().encode(JSON.stringify(characters)).byteLength;
    const text = JSON.stringify(characters.repeat(Math.floor(maxAnswerBytes / bytes)));
    await store.claim(key, first, longMs);
    equal("complete() with an answer of 24 kB", await store.complete(key, first, text), true);
    completed(await other.claim(key, second, longMs), text, "of an event with an answer of 24 kB");
  }),
  heldCase("shares events between connections", async ({ store, other, key, first, second }) => {
    claimed(await other.claim(key, second, longMs), "in_progress", "over another connection");
    equal("complete() of another owner", await other.complete(key, second, '"theirs"'), false);
    equal("complete() over another connection", await other.complete(key, first, answer), true);
    completed(await store.claim(key, second, longMs), answer, "of an event completed over another connection");
  }),
];

const releases: readonly EventStoreCase[] = [
  heldCase("gives a released event to the next owner", async ({ store, other, key, first, second }) => {
    await store.release(key, first);
    claimed(await other.claim(key, second, longMs), "claimed", "after the owner released the event");
    claimed(await store.claim(key, first, longMs), "in_progress", "of the owner that released the event");
  }),
  heldCase("does not let another owner release an event", async ({ store, key, first, second }) => {
    await store.release(key, second);
    claimed(await store.claim(key, second, longMs), "in_progress", "after another owner's release()");
    equal("complete() of the owner", await store.complete(key, first, answer), true);
  }),
  caseOf("does not release an event that was taken over", async ({ store, key, first, second }) => {
    await store.claim(key, first, shortMs);
    await claimedInTime(store, key, second, "after the lease ran out");
    await store.release(key, first);
    claimed(await store.claim(key, first, longMs), "in_progress", "after release() of an owner that lost the event");
  }),
  heldCase("keeps the answer of an event that is released after it", async ({ store, key, first, second }) => {
    await store.complete(key, first, answer);
    await store.release(key, first);
    await store.release(key, second);
    completed(await store.claim(key, second, longMs), answer, "after release() of a completed event");
  }),
  caseOf("accepts a release of an event that it has nothing of", async ({ store, key, first, second }) => {
    await store.release(key, first);
    claimed(await store.claim(key, second, longMs), "claimed", "of a new event, after a release()");
  }),
];

/**
 * Tests for an `EventStore`, one for each rule. They take a few seconds.
 *
 * @example
 * for (const { name, run } of eventStoreCases) it(name, () => run(() => createStore()));
 */
export const eventStoreCases: readonly EventStoreCase[] = [...leases, ...answers, ...releases];
