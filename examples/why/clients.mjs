// The clients that the other programs compare. Each has its own defaults, and its own option for the server's address.
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { demo } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import { CallTransfer } from "@call-transfer/sdk";
import { operations } from "@call-transfer/spec";
import OpenAI from "openai";
import Retell from "retell-sdk";

const { apiKey, flows, numbers, recipients } = demo;
const call = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };
const { path } = operations.createCall;

function versionOf(name) {
  const file = new URL(`node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

/** Another SDK. Its `post` reaches any path, with the same timeout and retries as the operations of its own API. */
const other = (name, Client) => ({
  name: `${name} ${versionOf(name)}`,
  place: (baseURL, options) => new Client({ baseURL, apiKey }).post(path, { body: call, ...options }),
});

const ours = {
  name: "this SDK",
  place: (baseUrl, { timeout, signal } = {}) =>
    new CallTransfer({ baseUrl, apiKey }).calls.create(call, { timeoutMs: timeout, signal }),
};

const clients = [other("retell-sdk", Retell), other("openai", OpenAI), other("@anthropic-ai/sdk", Anthropic), ours];

/** Lets each client place a call, on a mock server of its own, and prints what `observe` returns. */
export async function compare(options, observe) {
  const observations = clients.map(async ({ name, place }) => {
    const { url, backend } = await startMockServer({ port: 0, ...options });
    const before = backend.state.calls.size;
    const count = () => ({ calls: backend.state.calls.size - before, requests: backend.journal.list().length });
    return `${name.padEnd(26)}${await observe((settings) => place(url, settings), count)}`;
  });
  for (const line of await Promise.all(observations)) console.log(line);
  // Some clients may still wait.
  process.exit();
}

/** The name of an error, and the first sentence of its message. */
export const inShort = (error) => `${error.constructor.name}: ${error.message.split(/(?<=\.) /)[0]}`;
