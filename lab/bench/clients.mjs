// The clients that are compared, with their defaults, and what stands in their bundles.
import { readFileSync } from "node:fs";

const id = "e0000000-0000-4000-8000-000000000001";
const apiKey = "svc_live_demo0000000000000000000000000001";

/** The version of a package in lab/node_modules. */
export const versionOf = (name) =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8")).version;

/** A member's availability: the response that every client reads. */
export const body = JSON.stringify({
  memberId: id,
  timezone: "Europe/Berlin",
  isAvailable: true,
  availableHours: Object.fromEntries(
    ["monday", "tuesday", "wednesday"].map((day) => [day, [{ start: "09:00", end: "17:00" }]]),
  ),
});
export const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };

const placement = { flowId: id, fromNumber: "+15550100001", toNumber: "+15550200001" };

/** `fetch` without a library, with the timeout that the libraries have too. */
export const bare = {
  name: "fetch",
  create({ url, fetch = globalThis.fetch }) {
    const headers = { accept: "application/json", authorization: `Bearer ${apiKey}` };
    const written = { ...headers, "content-type": "application/json" };
    const send = async (path, init) =>
      (await fetch(url + path, { ...init, signal: AbortSignal.timeout(60_000) })).json();
    return {
      get: () => send(`/api/v1/members/${id}/availability`, { headers }),
      post: () => send("/calls", { method: "POST", headers: written, body: JSON.stringify(placement) }),
    };
  },
};

/** This repository's SDK, as built. */
export async function ours() {
  const { CallTransfer } = await import("../../packages/sdk/dist/index.js");
  return {
    name: "@call-transfer/sdk",
    create({ url, ...options }) {
      const client = new CallTransfer({ baseUrl: url, apiKey, ...options });
      return { get: () => client.members.getAvailability(id), post: () => client.calls.create(placement) };
    },
  };
}

/** The other SDKs. */
export async function peers() {
  const [{ default: Stripe }, { default: OpenAI }, { default: Anthropic }, { default: Retell }] = await Promise.all(
    ["stripe", "openai", "@anthropic-ai/sdk", "retell-sdk"].map((name) => import(name)),
  );
  const stripe = (name, withFetch) => ({
    name,
    needsNetwork: !withFetch,
    create({ url, fetch }) {
      const { hostname: host, port } = new URL(url);
      const httpClient = withFetch && { httpClient: Stripe.createFetchHttpClient(fetch) };
      const client = new Stripe("sk_test_key", { host, port, protocol: "http", ...httpClient });
      return { get: () => client.customers.retrieve(id) };
    },
  });
  /** A client made by the generator that three of the peers use. */
  const generated = (name, Client, get) => ({
    name,
    create({ url, ...options }) {
      const client = new Client({ baseURL: url, apiKey, ...options });
      return { get: () => get(client) };
    },
  });
  return [
    stripe("stripe", false),
    stripe("stripe (fetch)", true),
    generated("openai", OpenAI, (client) => client.models.retrieve(id)),
    generated("@anthropic-ai/sdk", Anthropic, (client) => client.models.retrieve(id)),
    generated("retell-sdk", Retell, (client) => client.call.retrieve(id)),
  ];
}

/** Contents of the measured bundles: the whole package, and one operation if the package is tree-shakable. */
export const programs = {
  "@call-transfer/sdk": {
    whole: 'export * from "@call-transfer/sdk";',
    one: 'export { CallTransferCore, listRoles } from "@call-transfer/sdk";',
  },
  stripe: {
    whole: 'export * from "stripe"; export { default } from "stripe";',
  },
  openai: {
    whole: 'export * from "openai"; export { default } from "openai";',
  },
  "@anthropic-ai/sdk": {
    whole: 'export * from "@anthropic-ai/sdk"; export { default } from "@anthropic-ai/sdk";',
    one: `export { BaseAnthropic } from "@anthropic-ai/sdk/client";
export { Models } from "@anthropic-ai/sdk/resources/models";`,
  },
  "retell-sdk": {
    whole: 'export * from "retell-sdk"; export { default } from "retell-sdk";',
  },
};
