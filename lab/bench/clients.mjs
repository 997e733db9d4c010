// The clients that are compared, and the programs that use them. `create` returns a reading call and one that causes something;
// defaults apply unless given.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const id = "e0000000-0000-4000-8000-000000000001";
const apiKey = "svc_live_demo0000000000000000000000000001";
const built = fileURLToPath(new URL("../../packages/sdk/dist/index.js", import.meta.url));

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

/** The options that are given, so that the others keep their defaults. */
const given = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** `fetch` without a library, with the timeout that the libraries have too. */
export const bare = {
  name: "fetch",
  create({ url, fetch = globalThis.fetch, timeoutMs = 60_000 }) {
    const headers = { accept: "application/json", authorization: `Bearer ${apiKey}` };
    const send = async (path, init) =>
      (await fetch(url + path, { ...init, signal: AbortSignal.timeout(timeoutMs) })).json();
    const written = { ...headers, "content-type": "application/json" };
    return {
      get: (member = id) => send(`/api/v1/members/${member}/availability`, { headers }),
      post: () => send("/calls", { method: "POST", headers: written, body: JSON.stringify(placement) }),
    };
  },
};

/** This repository's SDK. `path` is its built index.js. */
export async function ours(path = built, name = "@call-transfer/sdk") {
  const { CallTransfer } = await import(pathToFileURL(resolve(path)).href);
  return {
    name,
    create({ url, maxRetries, ...options }) {
      const client = new CallTransfer({ baseUrl: url, apiKey, ...given({ maxRetries, ...options }) });
      return {
        get: (member = id, options = undefined) => client.members.getAvailability(member, options),
        post: () => client.calls.create(placement),
      };
    },
  };
}

function stripe(Stripe, name, withFetch) {
  return {
    name,
    package: "stripe",
    needsNetwork: !withFetch,
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
    create({ url, timeoutMs, ...options }) {
      const client = new Client({ baseURL: url, apiKey, ...given({ timeout: timeoutMs, ...options }) });
      return { get: (thing = id, options = undefined) => get(client, thing, options), post: () => post(client) };
    },
  };
}

/** The other SDKs. */
export async function peers() {
  const [{ default: Stripe }, { default: OpenAI }, { default: Anthropic }, { default: Retell }] = await Promise.all(
    ["stripe", "openai", "@anthropic-ai/sdk", "retell-sdk"].map((name) => import(name)),
  );
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
  ];
}

/** What stands in the measured programs: everything, one operation where a package allows that, and a line that uses it. */
export const programs = {
  "@call-transfer/sdk": {
    whole: 'export * from "@call-transfer/sdk";',
    one: 'export { CallTransferCore, listRoles } from "@call-transfer/sdk";',
    use: `import { CallTransfer } from "@call-transfer/sdk";
export const got = new CallTransfer({ baseUrl: "https://api.example.com", apiKey: "key" }).members.getAvailability("${id}");`,
  },
  stripe: {
    whole: 'export * from "stripe"; export { default } from "stripe";',
    use: `import Stripe from "stripe"; export const got = new Stripe("key").customers.retrieve("${id}");`,
  },
  openai: {
    whole: 'export * from "openai"; export { default } from "openai";',
    use: `import OpenAI from "openai"; export const got = new OpenAI({ apiKey: "key" }).models.retrieve("${id}");`,
  },
  "@anthropic-ai/sdk": {
    whole: 'export * from "@anthropic-ai/sdk"; export { default } from "@anthropic-ai/sdk";',
    one: `export { BaseAnthropic } from "@anthropic-ai/sdk/client";
export { Models } from "@anthropic-ai/sdk/resources/models";`,
    use: `import Anthropic from "@anthropic-ai/sdk"; export const got = new Anthropic({ apiKey: "key" }).models.retrieve("${id}");`,
  },
  "retell-sdk": {
    whole: 'export * from "retell-sdk"; export { default } from "retell-sdk";',
    use: `import Retell from "retell-sdk"; export const got = new Retell({ apiKey: "key" }).call.retrieve("${id}");`,
  },
};
