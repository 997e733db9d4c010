// Mock servers over HTTP: in this process, at an address, and in Cloudflare's runtime. Each case has its own sandbox.
import { inboxUrl } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import { receiverUrl, start } from "../src/fixtures/names.ts";
import type { Seed } from "../src/fixtures/seed.ts";
import { world } from "../src/fixtures/world.ts";
import type { Caller, Credentials, Delivery, Target } from "../src/suite/target.ts";
import { backendTarget, createReceiver } from "./in-process.ts";
import { type SharedSetup, type TargetRunner, withSharedSetup } from "./runner.ts";

/** Starts the mock server on a free port, over real sockets. Each case has its own sandbox. */
export async function openHttp(name: string): Promise<SharedSetup> {
  const server = await startMockServer({ port: 0, clockMode: "frozen", seed: structuredClone(world), now: start });
  let opened = 0;
  return {
    async open() {
      opened += 1;
      const sandbox = `case-${opened}`;
      const { received, fetch } = createReceiver();
      const backend = server.sandboxes.create(sandbox, { fetch });
      const baseUrl = `${server.url}/_sandbox/${sandbox}`;
      return {
        target: backendTarget(name, backend, received, { baseUrl, fetch: globalThis.fetch }),
        close: async () => void server.sandboxes.delete(sandbox),
      };
    },
    stop: () => server.close(),
  };
}

export const http = withSharedSetup("http", () => openHttp("http"));

/** Sends a request to a control plane; returns the JSON. Rejects with the error response's text. */
type Control = (method: string, path: string, body?: unknown) => Promise<unknown>;

const controlOf =
  (baseUrl: string, token: string | undefined): Control =>
  async (method, path, body) => {
    const response = await fetch(`${baseUrl}/_control/v1${path}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(300_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /_control/v1${path} → ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };

/** Replaces the receiver URL in a seed by the built-in inbox. */
const received = (seed: Seed): unknown => JSON.parse(JSON.stringify(seed).replaceAll(receiverUrl, inboxUrl));

async function credentialsOf(control: Control, who: Caller): Promise<Credentials> {
  const account = who.accountId === undefined ? {} : { accountId: who.accountId };
  if ("userId" in who) {
    const { userId, expired, deleted } = who;
    const issued = await control("POST", "/credentials/access-tokens", { userId, ...(expired ? { expired } : {}) });
    if (deleted) await control("DELETE", `/records/users/${userId}`);
    return { accessToken: (issued as { accessToken: string }).accessToken, ...account };
  }
  const { keyAccountId, accountId: _named, ...options } = who;
  const issued = await control("POST", "/credentials/api-keys", { accountId: keyAccountId, ...options });
  return { apiKey: (issued as { key: string }).key, ...account };
}

type Transfer = Awaited<ReturnType<NonNullable<Target["transfers"]>["read"]>>;

interface ListedDelivery extends Pick<Delivery, "url" | "body"> {
  readonly headers: Readonly<Record<string, string>>;
}

/** A sandbox of a mock server elsewhere, controlled over HTTP. */
function sandboxTarget(name: string, baseUrl: string, control: Control): Target {
  let now = start;
  let deliveries: readonly Delivery[] = [];
  const refresh = async () => {
    const listed = (await control("GET", "/webhooks/deliveries")) as { deliveries: readonly ListedDelivery[] };
    deliveries = listed.deliveries.map(({ url, headers, body }) => ({
      url: url.replace(inboxUrl, receiverUrl),
      headers: new Headers(headers),
      body,
    }));
  };
  return {
    name,
    baseUrl,
    fetch: globalThis.fetch,
    unsupported: {},
    credentialsFor: (who) => credentialsOf(control, who),
    seed: async (seed) => void (await control("POST", "/seed", received(seed))),
    clock: {
      now: () => now,
      async advance(step) {
        const moved = (await control("POST", "/clock/advance", step)) as { now: string };
        now = Date.parse(moved.now);
        await refresh();
      },
    },
    faults: {
      add: async ({ times = 1, ...fault }) => void (await control("POST", "/faults", { ...fault, when: { times } })),
    },
    policies: { set: async (limits) => void (await control("PATCH", "/policies", limits)) },
    deliveries: {
      async trigger(offer) {
        await control("POST", "/webhooks/trigger", offer);
        await refresh();
      },
      received: () => deliveries,
    },
    transfers: {
      start: async (transfer) => ((await control("POST", "/transfers", transfer)) as { id: string }).id,
      async read(id) {
        const { transfers } = (await control("GET", `/transfers?id=${id}`)) as { transfers: readonly Transfer[] };
        const [found] = transfers;
        if (found === undefined) throw new Error(`There is no transfer ${id}.`);
        return found;
      },
    },
  };
}

/** Opens a sandbox of its own for each case, at the mock server with an address and a control token. */
function sandboxesAt(name: string, url: string, token: string | undefined): Pick<SharedSetup, "open"> {
  const server = controlOf(url, token);
  let opened = 0;
  return {
    async open() {
      opened += 1;
      const sandbox = `contract-${process.pid}-${opened}`;
      const options = { seed: received(world), now: new Date(start).toISOString(), clockMode: "frozen" };
      await server("POST", "/sandboxes", { name: sandbox, ...options });
      const baseUrl = `${url}/_sandbox/${sandbox}`;
      return {
        target: sandboxTarget(name, baseUrl, controlOf(baseUrl, token)),
        close: async () => void (await server("DELETE", `/sandboxes/${sandbox}`)),
      };
    },
  };
}

/** A mock server elsewhere. Each case gets its own sandbox, which is deleted afterwards; `default` is not used. */
export const mockServerAt = (url: string): TargetRunner =>
  withSharedSetup(url, async () => ({
    ...sandboxesAt(url, url, process.env.CALL_TRANSFER_CONTROL_TOKEN),
    stop: async () => {},
  }));

/** The hosted mock server, whose sandboxes are Durable Objects, in Cloudflare's runtime. Each case has its own sandbox. */
export const durableObject = withSharedSetup("durable-object", async () => {
  const { controlToken, startWorkerd } = await import("../../../tests/hosting/workerd.ts");
  const { url, stop } = await startWorkerd();
  return { ...sandboxesAt("durable-object", url, controlToken), stop };
});
