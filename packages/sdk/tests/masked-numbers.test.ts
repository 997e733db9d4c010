// No error, log line or hook shows a phone number whole, unless the client is told to.
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import type { ClientOptions } from "../src/options/options.ts";
import { createWebhookHandler, signWebhook } from "../src/webhooks.ts";
import { clientOf, json, type Step } from "./test-server.ts";

const number = "+14155550167";
const whole = /14155550167/;

describe("a phone number that a server or the caller's code repeats", () => {
  const call = { flowId: "flow", fromNumber: "+15550100001", toNumber: number };
  const echo = {
    ...{ code: `code_${number}`, title: number, detail: `No route to ${number}.`, requestId: number },
    ...{ errors: [{ field: `numbers[${number}]`, code: number, message: number }], meta: { number } },
  };
  const headers = { "x-request-id": number, deprecation: number, sunset: number };
  const thrown = new Error(`no route to ${number}`, { cause: new Error(number) });
  const failures: [string, Step[], Partial<ClientOptions>][] = [
    ["an error of the API", [json(422, echo, headers)], {}],
    ["a proxy's page", [new Response(`no route to ${number}`, { status: 502, headers })], {}],
    ["a lost connection", [thrown], {}],
    ["a success that is no JSON", [new Response("x", { headers: { "content-type": `text/${number}` } })], {}],
    [
      "middleware that throws",
      [json(201, {})],
      { middleware: [(_, next) => next().then(() => Promise.reject(thrown))] },
    ],
    [
      "a validation that fails",
      [json(201, { type: "initiated", callId: "c" })],
      { responseValidator: () => Promise.reject(thrown) },
    ],
  ];

  async function shownBy(script: Step[], options: Partial<ClientOptions>): Promise<string> {
    const shown: unknown[] = [];
    const log = (line: string) => void shown.push(line);
    const { client } = clientOf(script, {
      ...{ maxRetries: 0, logger: { debug: log, info: log, warn: log, error: log } },
      instrumentation: {
        startRequest: () => ({
          startAttempt: () => ({
            wrapSend: (_, send) => send(),
            end: (summary) => shown.push(JSON.stringify(summary)),
          }),
          end: ({ attempts }) => shown.push(JSON.stringify(attempts)),
        }),
      },
      ...options,
    });
    const { error } = await client.calls.create(call).result();
    shown.push(error?.message, JSON.stringify(error), inspect(error), JSON.stringify({ ...error }));
    for (let cause = error?.cause; cause instanceof Error; cause = cause.cause) shown.push(cause.message, cause.stack);
    return shown.join("\n");
  }

  it.each(failures)("is masked everywhere in %s", async (_, script, options) => {
    const shown = await shownBy(script, options);
    expect(shown).toContain("+1415*****67");
    expect(shown).not.toMatch(whole);
  });

  it("is shown with showPhoneNumbers", async () => {
    const shown = await shownBy([json(422, echo, headers)], { showPhoneNumbers: true });
    expect(shown).toMatch(whole);
    expect(shown).not.toContain("*");
  });

  it("is masked in the name of a path that this SDK version does not know, and sent whole", async () => {
    const { client, sent } = clientOf([json(404, {})]);
    const { error } = await client.request("GET", `/api/v1/contacts/${number}`).result();
    expect(error?.message).toContain("GET /api/v1/contacts/+1415*****67 answered 404");
    expect(sent[0]?.url).toMatch(whole);
  });

  it("stays whole in what the API answers", async () => {
    const { client } = clientOf([json(200, { calls: [{ id: "c", toNumber: number }], meta: { total: 1 } })]);
    expect(JSON.stringify(await client.calls.list())).toContain(number);
  });

  it("is masked in the line of a receiver without onError", async () => {
    const lines: unknown[] = [];
    vi.spyOn(console, "error").mockImplementation((line) => lines.push(line));
    const secret = "whsec-masked-secret";
    const onEvent = () => Promise.reject(thrown);
    const body = JSON.stringify({ type: "transfer.offer", id: "evt_1" });
    const signed = { "Service-Signature": await signWebhook(body, { secret }) };
    await createWebhookHandler({ secret, onEvent })(
      new Request("https://a.example", { method: "POST", body, headers: signed }),
    );
    expect(lines.join()).toContain("no route to +1415*****67 (+1415*****67)");
  });
});
