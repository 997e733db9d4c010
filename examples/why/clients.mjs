// The clients that the other programs compare. Each has its own defaults,
// and its own option for the server's address.
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { startMockServer } from "@call-transfer/mock-server";
import { demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { operations } from "@call-transfer/spec";
import OpenAI from "openai";
import Retell from "retell-sdk";

const { apiKey } = demo;
const call = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
};

function versionOf(name) {
  const path = `node_modules/${name}/package.json`;
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  return JSON.parse(text).version;
}

/**
 * Another SDK. Its `post` reaches any path, with the same timeout and retries
 * as the operations of its own API.
 */
const other = (name, Client) => ({
  name: `${name} ${versionOf(name)}`,
  place(baseURL, options) {
    const client = new Client({ baseURL, apiKey });
    return client.post(operations.createCall.path, { body: call, ...options });
  },
});

const ours = {
  name: "this SDK",
  place(baseUrl, { timeout, signal } = {}) {
    const client = new CallTransfer({ baseUrl, apiKey });
    return client.calls.create(call, { timeoutMs: timeout, signal });
  },
};

const clients = [
  other("retell-sdk", Retell),
  other("openai", OpenAI),
  other("@anthropic-ai/sdk", Anthropic),
  ours,
];

/**
 * Lets each client place a call, on a mock server of its own, and prints the
 * lines that `observe` returns.
 */
export async function compare(options, observe) {
  const observations = clients.map(async ({ name, place }) => {
    const { url, backend } = await startMockServer({ port: 0, ...options });
    const before = backend.state.calls.size;
    const count = () => ({
      calls: backend.state.calls.size - before,
      requests: backend.requests.list().length,
    });
    const lines = await observe((settings) => place(url, settings), count);
    return [name, ...lines].join("\n  ");
  });
  for (const text of await Promise.all(observations)) console.log(text);
  // Some clients may still wait.
  process.exit();
}

/** The name of an error, and the first sentence of its message. */
export function inShort({ constructor: kind, message }) {
  return `${kind.name}: ${message.split(/(?<=\.) /)[0]}`;
}
