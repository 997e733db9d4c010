// Reference backends in this process: called as functions, or behind something that a target puts before them.
import { type Backend, createBackend } from "@call-transfer/backend";
import { start } from "../src/fixtures/names.ts";
import { world } from "../src/fixtures/world.ts";
import type { Caller, Credentials, Delivery, Target } from "../src/suite/target.ts";
import { messageOf } from "../src/suite/trace.ts";
import { type OpenTarget, perCase, type TargetRunner } from "./runner.ts";

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

async function credentialsOf({ credentials, collections }: Backend, who: Caller): Promise<Credentials> {
  const account = who.accountId === undefined ? {} : { accountId: who.accountId };
  if ("userId" in who) {
    const expired = who.expired ? { expired: who.expired } : {};
    const accessToken = await credentials.createAccessToken({ userId: who.userId, ...expired });
    if (who.deleted) collections.delete("users", who.userId);
    return { accessToken, ...account };
  }
  const { keyAccountId, accountId: _named, ...options } = who;
  return { apiKey: credentials.createApiKey({ accountId: keyAccountId, ...options }).key, ...account };
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
function exceptionsOf({ requests }: Backend): string[] {
  const thrown = requests.list().flatMap(({ error }) => (error === undefined ? [] : [error.split("\n    at ")[0]]));
  return [...new Set(thrown)].map((error) => `A handler of the backend failed: ${error}`);
}

/** Why a snapshot of a backend's state cannot be restored; empty if it can. */
function restoreProblems(backend: Backend): string[] {
  try {
    backend.restore(backend.snapshot());
    return [];
  } catch (error) {
    return [
      `The state cannot be restored from its snapshot: ${messageOf(error)}. Correct packages/backend/src/model/records.ts.`,
    ];
  }
}

/** A backend that is called as a function; by default the reference backend. */
export const inProcessRunner = (name: string, create: typeof createBackend = createBackend): TargetRunner =>
  perCase(name, async () => {
    const { received, fetch } = createReceiver();
    const backend = create({ seed: world, now: start, fetch });
    const target = backendTarget(name, backend, received, {
      baseUrl: "http://localhost",
      fetch: (input, init) => backend.fetch(input, init, { address: "127.0.0.1" }),
    });
    return {
      target,
      // The derived cases write every field, and restoring after each case would take as long as all cases.
      problems: ({ resource }) => [
        ...exceptionsOf(backend),
        ...(resource === "properties" ? restoreProblems(backend) : []),
      ],
      close: async () => {},
    };
  });

/** The reference backend as a target. */
export const inProcess = inProcessRunner("in-process");

/** The URL of the mocked platform, which does not exist. */
export const mockedUrl = "https://platform.invalid";

/** Handlers whose backend can be replaced for each case. */
export function mockedBackends(name: string): {
  /** Creates the handlers, without the warnings that the suite's faults cause. */
  readonly given: { backend: Pick<Backend, "handle">; baseUrl: string; warn(): void };
  open(): Promise<OpenTarget>;
} {
  let current: Backend | undefined;
  return {
    given: {
      backend: {
        handle(request, peer) {
          if (current === undefined) throw new Error("A request was sent between two cases");
          return current.handle(request, peer);
        },
      },
      baseUrl: mockedUrl,
      warn: () => {},
    },
    async open() {
      const { received, fetch } = createReceiver();
      current = createBackend({ seed: structuredClone(world), now: start, fetch });
      const target = backendTarget(name, current, received, {
        baseUrl: mockedUrl,
        // Looked up at each request, because MSW replaces it when it starts.
        fetch: (input, init) => globalThis.fetch(input, init),
      });
      return {
        target,
        close: async () => {
          current = undefined;
        },
      };
    },
  };
}
