import type { Backend } from "@call-transfer/backend";
import type { Caller, Credentials, Delivery, Target } from "../src/suite/target.ts";
import { messageOf } from "../src/suite/trace.ts";

/** Creates a receiver that records and accepts all deliveries. */
export function createReceiver(): { received: readonly Delivery[]; fetch: typeof globalThis.fetch } {
  const received: Delivery[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    received.push({ url: request.url, headers: request.headers, body: await request.text() });
    return new Response(null, { status: 204 });
  };
  return { received, fetch };
}

async function credentialsOf({ keys, collections }: Backend, who: Caller): Promise<Credentials> {
  const account = who.accountId === undefined ? {} : { accountId: who.accountId };
  if ("userId" in who) {
    const expired = who.expired ? { expired: who.expired } : {};
    const accessToken = await keys.issueToken({ userId: who.userId, ...expired });
    if (who.deleted) collections.delete("users", who.userId);
    return { accessToken, ...account };
  }
  const { keyOf, accountId: _named, ...options } = who;
  return { apiKey: keys.issueApiKey({ accountId: keyOf, ...options }).key, ...account };
}

/** A reference backend as a target. Requests go through `place`; state and clock are controlled directly. */
export const backendTarget = (
  name: string,
  backend: Backend,
  received: readonly Delivery[],
  place: Pick<Target, "baseUrl" | "fetch">,
): Target => ({
  name,
  ...place,
  unsupported: {},
  credentialsFor: (who) => credentialsOf(backend, who),
  seed: async (seed) => backend.seed(structuredClone(seed)),
  clock: { now: () => backend.clock.now(), advance: (step) => backend.clock.advance(step) },
  faults: { add: async ({ times = 1, ...fault }) => void backend.faults.add({ ...fault, when: { times } }) },
  policies: { set: async (limits) => void backend.updatePolicies(limits) },
  deliveries: {
    trigger: async (offer) => void (await backend.deliveries.trigger(offer)),
    received: () => received,
  },
  transfers: {
    start: async (transfer) => backend.transfers.start(transfer).id,
    async read(id) {
      await backend.clock.runDue();
      const transfer = backend.transfers.get(id);
      if (transfer === undefined) throw new Error(`Unknown transfer ${id}`);
      return structuredClone(transfer);
    },
  },
});

/** What handlers of a backend threw. Responses do not say it. */
export function exceptionsOf({ journal }: Backend): string[] {
  const thrown = journal.list().flatMap(({ error }) => (error === undefined ? [] : [error.split("\n    at ")[0]]));
  return [...new Set(thrown)].map((error) => `A handler of the backend failed: ${error}`);
}

/** Why a snapshot of a backend's state cannot be restored; empty if it can. */
export function restoreProblems(backend: Backend): string[] {
  try {
    backend.restore(backend.snapshot());
    return [];
  } catch (error) {
    return [
      `The state cannot be restored from its snapshot: ${messageOf(error)}. Correct packages/backend/src/model/records.ts.`,
    ];
  }
}
