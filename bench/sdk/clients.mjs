// The clients that are compared, each with its defaults and one simple reading call.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const id = "e0000000-0000-4000-8000-000000000001";
const apiKey = "svc_live_demo0000000000000000000000000001";
const built = fileURLToPath(new URL("../../packages/sdk/dist/index.js", import.meta.url));

/** The version of a package in bench/node_modules. */
export const versionOf = (name) =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8")).version;

/** `fetch` without a library, with the timeout that the libraries have too. */
export const bare = {
  name: "fetch",
  create:
    ({ url, fetch = globalThis.fetch }) =>
    async () => {
      const headers = { accept: "application/json", authorization: `Bearer ${apiKey}` };
      const signal = AbortSignal.timeout(60_000);
      return (await fetch(`${url}/api/v1/members/${id}/availability`, { headers, signal })).json();
    },
};

/** This repository's SDK. `path` is its built index.js. */
export async function ours(path = built, name = "@call-transfer/sdk") {
  const { CallTransfer } = await import(pathToFileURL(resolve(path)).href);
  return {
    name,
    create({ url, fetch }) {
      const client = new CallTransfer({ baseUrl: url, apiKey, ...(fetch && { fetch }) });
      return () => client.members.getAvailability(id);
    },
  };
}

/** The peers. `create` returns the measured call; `fetch` replaces the network. */
export async function peers() {
  const [{ default: Stripe }, { default: OpenAI }, { default: Anthropic }, { default: Retell }, openapiFetch] =
    await Promise.all(["stripe", "openai", "@anthropic-ai/sdk", "retell-sdk", "openapi-fetch"].map((p) => import(p)));
  return [
    {
      name: "stripe",
      create({ url, fetch }) {
        const { hostname: host, port } = new URL(url);
        const httpClient = Stripe.createFetchHttpClient(fetch);
        const client = new Stripe("sk_test_key", { host, port, protocol: "http", httpClient });
        return () => client.customers.retrieve(id);
      },
    },
    {
      name: "stripe (node:http)",
      package: "stripe",
      create({ url }) {
        const { hostname: host, port } = new URL(url);
        const client = new Stripe("sk_test_key", { host, port, protocol: "http" });
        return () => client.customers.retrieve(id);
      },
      needsNetwork: true,
    },
    {
      name: "openai",
      create({ url, fetch }) {
        const client = new OpenAI({ baseURL: url, apiKey, fetch });
        return () => client.models.retrieve(id);
      },
    },
    {
      name: "@anthropic-ai/sdk",
      create({ url, fetch }) {
        const client = new Anthropic({ baseURL: url, apiKey, fetch });
        return () => client.models.retrieve(id);
      },
    },
    {
      name: "retell-sdk",
      create({ url, fetch }) {
        const client = new Retell({ baseURL: url, apiKey, fetch });
        return () => client.call.retrieve(id);
      },
    },
    {
      name: "openapi-fetch",
      create({ url, fetch }) {
        const client = openapiFetch.default({ baseUrl: url, fetch });
        const headers = { authorization: `Bearer ${apiKey}` };
        return async () => {
          const params = { path: { id } };
          return (await client.GET("/api/v1/members/{id}/availability", { params, headers })).data;
        };
      },
    },
  ];
}
