// The clients that are compared. `create` returns a reading call and, for an SDK, one that causes
// something; defaults apply unless given.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const id = "e0000000-0000-4000-8000-000000000001";
const apiKey = "svc_live_demo0000000000000000000000000001";
const built = fileURLToPath(new URL("../../../packages/sdk/dist/index.js", import.meta.url));

/** The version of a package in lab/node_modules. */
export const versionOf = (name) =>
  JSON.parse(readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), "utf8")).version;

/** The options that are given, so that the others keep their defaults. */
const given = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** `fetch` without a library, with the timeout that the libraries have too. */
export const bare = {
  name: "fetch",
  create({ url, fetch = globalThis.fetch, timeoutMs = 60_000 }) {
    const headers = { accept: "application/json", authorization: `Bearer ${apiKey}` };
    return {
      async get(member = id) {
        const init = { headers, signal: AbortSignal.timeout(timeoutMs) };
        return (await fetch(`${url}/api/v1/members/${member}/availability`, init)).json();
      },
    };
  },
};

/** This repository's SDK. `path` is its built index.js. */
export async function ours(path = built, name = "@call-transfer/sdk") {
  const { CallTransfer } = await import(pathToFileURL(resolve(path)).href);
  return {
    name,
    construct: (options) => new CallTransfer(options),
    create({ url, maxRetries, ...options }) {
      const client = new CallTransfer({ baseUrl: url, apiKey, ...given({ maxRetries, ...options }) });
      const call = { flowId: id, fromNumber: "+15550100001", toNumber: "+15550200001" };
      return {
        get: (member = id, options = undefined) => client.members.getAvailability(member, options),
        post: () => client.calls.create(call),
      };
    },
  };
}

function stripe(Stripe, name, withFetch) {
  return {
    name,
    package: "stripe",
    needsNetwork: !withFetch,
    construct: (options) => new Stripe(undefined, options),
    create({ url, fetch, timeoutMs, maxRetries, ...options }) {
      const { hostname: host, port } = new URL(url);
      const client = new Stripe("sk_test_key", {
        ...{ host, port, protocol: "http", ...options },
        ...given({ timeout: timeoutMs, maxNetworkRetries: maxRetries }),
        ...(withFetch && { httpClient: Stripe.createFetchHttpClient(fetch) }),
      });
      return {
        get: (customer = id) => client.customers.retrieve(customer),
        post: () => client.customers.create({ name: "A" }),
      };
    },
  };
}

/** A client made by the generator that three of the peers use. */
function generated(name, Client, get, post) {
  return {
    name,
    construct: (options) => new Client(options),
    create({ url, timeoutMs, ...options }) {
      const client = new Client({ baseURL: url, apiKey, ...given({ timeout: timeoutMs, ...options }) });
      return { get: (thing = id, options = undefined) => get(client, thing, options), post: () => post(client) };
    },
  };
}

/** The peers, and openapi-fetch, which is not a peer but a floor, as `fetch` is. */
export async function peers() {
  const [{ default: Stripe }, { default: OpenAI }, { default: Anthropic }, { default: Retell }, openapiFetch] =
    await Promise.all(["stripe", "openai", "@anthropic-ai/sdk", "retell-sdk", "openapi-fetch"].map((p) => import(p)));
  const message = { model: "claude", max_tokens: 1, messages: [{ role: "user", content: "Hello" }] };
  const phoneCall = { from_number: "+15550100001", to_number: "+15550200001" };
  return [
    stripe(Stripe, "stripe", false),
    stripe(Stripe, "stripe (fetch)", true),
    generated(
      "openai",
      OpenAI,
      (client, model, options) => client.models.retrieve(model, options),
      (client) => client.responses.create({ model: "gpt", input: "Hello" }),
    ),
    generated(
      "@anthropic-ai/sdk",
      Anthropic,
      (client, model, options) => client.models.retrieve(model, {}, options),
      (client) => client.messages.create(message),
    ),
    generated(
      "retell-sdk",
      Retell,
      (client, call, options) => client.call.retrieve(call, options),
      (client) => client.call.createPhoneCall(phoneCall),
    ),
    {
      name: "openapi-fetch",
      isFloor: true,
      create({ url, fetch }) {
        const client = openapiFetch.default({ baseUrl: url, ...given({ fetch }) });
        const headers = { authorization: `Bearer ${apiKey}` };
        return {
          async get(member = id) {
            const options = { params: { path: { id: member } }, headers };
            return (await client.GET("/api/v1/members/{id}/availability", options)).data;
          },
        };
      },
    },
  ];
}
