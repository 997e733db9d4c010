// Wrong behaviours to plant. A run must fail with each of them.
import type { EventStore } from "@call-transfer/sdk/webhooks";

/** Breaks a store. */
type Breaks = (store: EventStore) => EventStore;

/** Wrong behaviours between the receiver and the store. */
export const wrappers = {
  /** After it has lost the lease, the receiver answers what it decided itself. */
  "own-answer": (store) => ({
    claim: (...claimed) => store.claim(...claimed),
    complete: async (...completed) => (await store.complete(...completed)) || true,
    release: (...released) => store.release(...released),
  }),
  /** The event of a failed handling stays taken. */
  "no-release": (store) => ({
    claim: (...claimed) => store.claim(...claimed),
    complete: (...completed) => store.complete(...completed),
    release: async () => {},
  }),
  /** A lease is never extended. */
  "no-renewal": (store) => {
    const owners = new Set<string>();
    return {
      async claim(key, owner, leaseMs) {
        if (owners.has(owner)) return { state: "claimed" };
        const claim = await store.claim(key, owner, leaseMs);
        if (claim.state === "claimed") owners.add(owner);
        return claim;
      },
      complete: (...completed) => store.complete(...completed),
      release: (...released) => store.release(...released),
    };
  },
  /** A response is forgotten soon. */
  "short-memory": (store) => {
    const completedAt = new Map<string, number>();
    return {
      async claim(key, owner, leaseMs) {
        const claim = await store.claim(key, owner, leaseMs);
        if (claim.state !== "completed") return claim;
        const at = completedAt.get(key) ?? Date.now();
        completedAt.set(key, at);
        return Date.now() - at < 100 ? claim : { state: "claimed" };
      },
      complete: (...completed) => store.complete(...completed),
      release: (...released) => store.release(...released),
    };
  },
} satisfies Record<string, Breaks>;

/**
 * Mistakes of `hand-written-store.ts`: `claim-in-two-steps` reads, then writes. `complete-ignores-owner` stores
 * every answer over the one before.
 */
export const mistakes = ["claim-in-two-steps", "complete-ignores-owner"] as const;
export type Mistake = (typeof mistakes)[number];

export type WrapperName = keyof typeof wrappers;
export const wrapperNames = Object.keys(wrappers) as readonly WrapperName[];

/** A mistake with an inbox: the app writes its row over another connection. */
export const effectOutside = "effect-outside-transaction";

export type PlantName = Mistake | WrapperName | typeof effectOutside;
export const plantNames: readonly PlantName[] = [...mistakes, ...wrapperNames, effectOutside];

/** The store in which a mistake is planted. */
export const storeOfPlant = (plant: PlantName) => (plant === effectOutside ? "inbox-pg" : "redis");
