import { type Backend, createBackend } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import type { Credentials, Delivery, Target, Who } from "./target.ts";
import { start, world } from "./world.ts";

/** A target that has to be closed after its case. */
export interface OpenTarget {
  readonly target: Target;
  close(): Promise<void>;
}

const everything: Target["can"] = {
  stateful: true,
  validates: true,
  auth: true,
  clock: true,
  faults: true,
  policies: true,
  webhooks: true,
  destructive: true,
};

/** Records what receivers are sent, and accepts it. */
function createReceiver() {
  const received: Delivery[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    received.push({ url: request.url, headers: request.headers, body: await request.text() });
    return new Response(null, { status: 204 });
  };
  return { received, fetch };
}

async function credentialsOf({ keys }: Backend, who: Who): Promise<Credentials> {
  const account = who.accountId === undefined ? {} : { accountId: who.accountId };
  if ("userId" in who) {
    const expired = who.expired ? { expired: who.expired } : {};
    return { accessToken: await keys.issueToken({ userId: who.userId, ...expired }), ...account };
  }
  const { keyOf, accountId: _named, ...options } = who;
  return { apiKey: keys.issueApiKey({ accountId: keyOf, ...options }).key, ...account };
}

function targetOf(
  name: string,
  backend: Backend,
  received: readonly Delivery[],
  place: Pick<Target, "baseUrl" | "fetch">,
): Target {
  return {
    name,
    ...place,
    can: everything,
    as: (who) => credentialsOf(backend, who),
    given: async (seed) => backend.seed(structuredClone(seed)),
    clock: { now: () => backend.clock.now(), advance: (step) => backend.clock.advance(step) },
    faults: { add: async ({ times = 1, ...fault }) => void backend.faults.add({ ...fault, when: { times } }) },
    policies: { set: async (limits) => void Object.assign(backend.policies, limits) },
    deliveries: {
      trigger: async (offer) => void (await backend.deliveries.trigger(offer)),
      received: () => received,
    },
  };
}

/** The reference backend, called as a function. */
async function inProcess(): Promise<OpenTarget> {
  const { received, fetch } = createReceiver();
  const backend = createBackend({ seed: structuredClone(world), now: start, fetch });
  const target = targetOf("in-process", backend, received, {
    baseUrl: "http://localhost",
    fetch: (input, init) => backend.fetch(input, init, { address: "127.0.0.1" }),
  });
  return { target, close: async () => {} };
}

/** The mock server on a free port, over real sockets. */
async function overHttp(): Promise<OpenTarget> {
  const { received, fetch } = createReceiver();
  const server = await startMockServer({
    port: 0,
    clock: "frozen",
    seed: structuredClone(world),
    now: start,
    fetch,
  });
  const target = targetOf("HTTP", server.backend, received, { baseUrl: server.url, fetch: globalThis.fetch });
  return { target, close: () => server.close() };
}

/** Opens each target in a fresh state. */
export const targets: Readonly<Record<string, () => Promise<OpenTarget>>> = { "in-process": inProcess, HTTP: overHttp };
