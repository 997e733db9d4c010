import { eventStoreCases } from "@call-transfer/contract/webhooks";
import type { EventStore } from "@call-transfer/sdk/webhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

interface Held {
  readonly owner: string;
  readonly until: number;
  readonly answer?: string;
}

const retentionMs = 600_000;

/** The rules of a plain store. Changing one makes it wrong. */
const rules = {
  keyOf: (key: string): string => key,
  isOver: ({ until }: Held, now: number): boolean => until <= now,
  isTakenBy: (held: Held, owner: string): boolean => held.answer === undefined && held.owner === owner,
  canComplete: (held: Held | undefined, owner: string): boolean =>
    held === undefined || (held.answer === undefined && held.owner === owner),
  canRelease: (held: Held | undefined, owner: string): boolean => held?.owner === owner && held.answer === undefined,
  renewed: (_: Held | undefined, until: number): number => until,
  /** What is kept of an answer. */
  keptOf: (answer: string): string | undefined => answer,
  keptUntil: (_: Held | undefined, until: number): number => until,
  claimsInOneStep: true,
  completesInOneStep: true,
  givesNewEvents: true,
  beforeRelease: (_: Held | undefined): void => {},
  isSharedByConnections: true,
};

/** Opens connections to a plain store. */
function opener(changed: Partial<typeof rules>): () => EventStore {
  const rule = { ...rules, ...changed };
  let events = new Map<string, Held>();
  return () => {
    if (!rule.isSharedByConnections) events = new Map();
    const mine = events;
    /** What is stored of an event and has not run out. */
    const heldOf = (key: string): Held | undefined => {
      const held = mine.get(rule.keyOf(key));
      return held === undefined || rule.isOver(held, Date.now()) ? undefined : held;
    };
    return {
      async claim(key, owner, leaseDurationMs) {
        const held = heldOf(key);
        if (held?.answer !== undefined) return { state: "completed", response: held.answer };
        if (held !== undefined && !rule.isTakenBy(held, owner)) return { state: "in_progress" };
        if (held === undefined && !rule.givesNewEvents) return { state: "in_progress" };
        if (!rule.claimsInOneStep) await Promise.resolve();
        mine.set(rule.keyOf(key), { owner, until: rule.renewed(held, Date.now() + leaseDurationMs) });
        return { state: "claimed" };
      },
      async complete(key, owner, answer) {
        const held = heldOf(key);
        if (!rule.canComplete(held, owner)) return false;
        if (!rule.completesInOneStep) await Promise.resolve();
        const kept = rule.keptOf(answer);
        const until = rule.keptUntil(mine.get(rule.keyOf(key)), Date.now() + retentionMs);
        mine.set(rule.keyOf(key), { owner, until, ...(kept !== undefined && { answer: kept }) });
        return true;
      },
      async release(key, owner) {
        const held = heldOf(key);
        rule.beforeRelease(held);
        if (rule.canRelease(held, owner)) mine.delete(rule.keyOf(key));
      },
    };
  };
}

/** Stores that break one rule, and the case that must fail. */
const wrongStores: readonly [name: string, change: Partial<typeof rules>, failing: string][] = [
  ["claims in two steps", { claimsInOneStep: false }, "gives an event to one of many owners at once"],
  ["never gives a new event", { givesNewEvents: false }, "gives a new event to the first owner"],
  ["gives an event to everyone", { isTakenBy: () => true }, "gives no other owner an event while its lease runs"],
  ["gives an owner its event only once", { isTakenBy: () => false }, "lets an owner claim its event again"],
  [
    "never ends a lease",
    { isOver: (held, now) => held.answer !== undefined && held.until <= now },
    "gives the event to another owner when the lease ran out",
  ],
  ["ends every lease at once", { isOver: () => true }, "gives no other owner an event while its lease runs"],
  [
    "does not extend a lease",
    { renewed: (held, until) => held?.until ?? until },
    "extends a lease that its owner claims again",
  ],
  ["ignores case", { keyOf: (key) => key.toLowerCase() }, "keeps events with different keys apart"],
  ["cuts keys", { keyOf: (key) => key.slice(0, 255) }, "takes keys of 512 characters and of every printable character"],
  [
    "takes the part before a colon for the key",
    { keyOf: (key) => key.replace(/:$/, "") },
    "keeps events with different keys apart",
  ],
  ["keeps no answer", { keptOf: () => undefined }, "gives everyone the stored answer"],
  [
    "lets every owner complete",
    { canComplete: (held) => held?.answer === undefined },
    "refuses to complete an event that another owner has",
  ],
  [
    "lets a late owner replace the answer",
    { canComplete: (held, owner) => held === undefined || held.answer !== undefined || held.owner === owner },
    "refuses the answer of an owner whose event was completed by another",
  ],
  ["completes in two steps", { completesInOneStep: false }, "stores one answer when many complete at once"],
  [
    "completes only what it has",
    { canComplete: (held, owner) => held !== undefined && rules.canComplete(held, owner) },
    "stores an answer after the lease ran out",
  ],
  [
    "keeps an answer as long as the lease",
    { keptUntil: (held, until) => held?.until ?? until },
    "keeps an answer after the lease would have run out",
  ],
  ["cuts answers", { keptOf: (answer) => answer.slice(0, 8000) }, "returns answers of 24 kB character by character"],
  [
    "stores answers in one byte a character",
    { keptOf: (answer) => answer.replace(/[\u0100-\uffff]/g, "?") },
    "returns answers of 24 kB character by character",
  ],
  ["releases nothing", { canRelease: () => false }, "gives a released event to the next owner"],
  [
    "releases for every owner",
    { canRelease: (held) => held?.answer === undefined },
    "does not let another owner release an event",
  ],
  [
    "releases answers too",
    { canRelease: (held, owner) => held?.owner === owner },
    "keeps the answer of an event that is released after it",
  ],
  [
    "rejects an unknown release",
    {
      beforeRelease: (held) => {
        if (held === undefined) throw new Error("There is no such event.");
      },
    },
    "accepts a release of an event that it has nothing of",
  ],
  ["gives each connection events of its own", { isSharedByConnections: false }, "shares events between connections"],
];

/** Runs a case in virtual time. Returns its error. */
async function failureOf(name: string, openStore: () => EventStore): Promise<unknown> {
  let failure: unknown;
  let isOver = false;
  const run = eventStoreCases.find((each) => each.name === name)?.run(openStore);
  if (run === undefined) throw new Error(`There is no case named ${name}.`);
  const ended = run
    .catch((error: unknown) => {
      failure = error;
    })
    .finally(() => {
      isOver = true;
    });
  while (!isOver) await vi.advanceTimersByTimeAsync(20);
  await ended;
  return failure;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("eventStoreCases", () => {
  it.each(eventStoreCases.map(({ name }) => name))("a plain store %s", async (name) => {
    expect(await failureOf(name, opener({}))).toBeUndefined();
  });

  it.each(wrongStores)("a store that %s fails the case that says so", async (_, change, failing) => {
    expect(await failureOf(failing, opener(change))).toMatchObject({ message: expect.stringMatching(/must|no such/) });
  });

  it("each case fails for some wrong store", async () => {
    const biting = new Set<string>();
    for (const { name } of eventStoreCases)
      for (const [, change] of wrongStores)
        if ((await failureOf(name, opener(change))) !== undefined) {
          biting.add(name);
          break;
        }
    expect(eventStoreCases.map(({ name }) => name).filter((name) => !biting.has(name))).toEqual([]);
  });
});
