// Whatever prepares an error may fail. Then the error says less, and never what the helper worked on.
import { inspect } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { CallTransferError } from "../src/index.ts";
import { apiKey, clientOf, json, networkError, problem, type Step } from "./test-server.ts";

const broken = vi.hoisted(() => ({ name: "" }));

/** The functions of a module, of which the broken one throws what it was given. */
const breakable = vi.hoisted(() => async (original: () => Promise<object>) => {
  const wrap = ([name, given]: [string, unknown]) => {
    if (typeof given !== "function" || /^(?:class |[A-Z])/.test(`${given}`) || /^[A-Z]/.test(name))
      return [name, given];
    const wrapped = (...input: unknown[]) => {
      if (name === broken.name) throw new SyntaxError(`${name} failed on ${input[0]}`);
      return given(...input);
    };
    return [name, wrapped];
  };
  return Object.fromEntries(Object.entries(await original()).map(wrap));
});
vi.mock("../src/utils/redact.ts", breakable);
vi.mock("../src/errors/status-errors.gen.ts", breakable);

const helpers = ["redact", "cleanHeaders", "excerpt", "maskNumbers", "createApiError"];

const echo = `the key ${apiKey} %`;
const failures: Readonly<Record<string, [first: () => Step, outcome: string]>> = {
  "a lost connection": [() => new TypeError(echo, { cause: networkError("ECONNRESET") }), "unknown"],
  "a refused connection": [() => networkError("ECONNREFUSED"), "not_sent"],
  "a refusal": [() => problem(409, "conflict", { detail: echo }), "rejected"],
  "a failure of the server": [() => problem(500, "internal_error", { detail: echo }), "unknown"],
  "a page": [() => new Response(`<title>${echo}</title>`, { status: 502 }), "unknown"],
  "half an answer": [
    () => new Response(`{"type":"initiated","a":"${echo}`, { headers: { "content-type": "application/json" } }),
    "applied",
  ],
};

afterEach(() => {
  broken.name = "";
});

const cells = helpers.flatMap((name) => Object.keys(failures).map((failure) => [name, failure] as const));

it.each(cells)("%s fails at %s: the SDK's own error without the key, and no second call", async (name, failure) => {
  const [first, outcome] = failures[failure] as [() => Step, string];
  const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
  const { client, sent } = clientOf([first(), () => json(201, { type: "initiated", callId: "second" })], {
    logLevel: "off",
    maxRetries: outcome === "not_sent" ? 0 : 2,
  });
  broken.name = name;
  const error = (await client.calls.create(placement).catch((thrown: unknown) => thrown)) as CallTransferError;
  const shown = `${inspect(error)} ${error.stack} ${JSON.stringify(error)} ${inspect({ ...error, cause: error.cause })}`;
  broken.name = "";
  expect(error).toBeInstanceOf(CallTransferError);
  expect(error).toMatchObject(outcome === "unknown" || outcome === "applied" ? { name: "OutcomeUnknownError" } : {});
  expect(error).toMatchObject({ outcome });
  expect(shown).not.toContain(apiKey);
  expect(sent).toHaveLength(1);
});

it.each(helpers)("%s fails while a read is retried: it is retried all the same", async (name) => {
  const { client, sent } = clientOf([problem(503, "service_unavailable", { detail: echo }), json(200, { roles: [] })], {
    logLevel: "off",
    clock: { now: () => Date.now(), wait: async () => {} },
  });
  broken.name = name;
  const result = await client.roles.list().catch((error: unknown) => error);
  broken.name = "";
  expect(result).toEqual({ roles: [] });
  expect(sent).toHaveLength(2);
});
