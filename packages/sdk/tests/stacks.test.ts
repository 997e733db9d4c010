// Errors of requests name the caller's own function in their stack.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultTimeoutMs } from "../src/generated/constants.gen.ts";
import { type CallTransfer, createCall, listCalls, listRoles } from "../src/index.ts";
import { clientOf, json, networkError, problem, type Step } from "./test-server.ts";

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };

type Client = CallTransfer;

const { stackTraceLimit } = Error;
beforeAll(() => {
  // The default of the runtime: Vitest shows more frames than a program does.
  Error.stackTraceLimit = 10;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

// Each waits for the network in its own way, as a caller's function does.
const callers: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  async awaits(client) {
    await client.roles.list();
  },
  async awaitsAPlacement(client) {
    await client.calls.create(placement);
  },
  async iterates(client) {
    for await (const _ of client.calls.list());
  },
  async iteratesOverPages(client) {
    for await (const _ of client.calls.list().pages());
  },
  async collects(client) {
    await client.calls.list().toArray({ maxItems: 10 });
  },
  async asksForTheResponse(client) {
    await client.roles.list().withResponse();
  },
  async asksForSeveral(client) {
    await Promise.all([client.roles.list(), client.calls.list()]);
  },
  async usesAFunction(client) {
    await listRoles(client);
  },
  async usesAFunctionToPlace(client) {
    await createCall(client, placement);
  },
  async usesAFunctionToIterate(client) {
    for await (const _ of listCalls(client));
  },
  async handlesAndRethrows(client) {
    await client.roles.list().finally(() => {});
  },
};

/** The stack of the error, which must begin with its message and name this file's caller. */
async function stackOf(caller: (client: Client) => Promise<unknown>, client: Client): Promise<string> {
  const error = await caller(client).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error("nothing was thrown");
  return error.stack ?? "";
}

const failures: Readonly<Record<string, () => Step>> = {
  "an error of the API": () => problem(403, "forbidden"),
  "a lost connection": () => networkError("ECONNRESET"),
  "an unusable success": () => json(200, []),
};

describe.each(Object.keys(failures))("the stack of %s names a function that", (failure) => {
  it.each(Object.keys(callers))("%s", async (name) => {
    const caller = callers[name] as (typeof callers)[string];
    const step = failures[failure] as () => Step;
    const { client } = clientOf([step(), step()], { maxRetries: 0 });
    expect(await stackOf(caller, client)).toContain(name);
  });

  it.each(Object.keys(callers))("%s, also after a retry", async (name) => {
    const caller = callers[name] as (typeof callers)[string];
    const step = failures[failure] as () => Step;
    const refused = () => networkError("ECONNREFUSED");
    const clock = { now: () => Date.now(), setTimeout: shortTimer, clearTimeout };
    const { client } = clientOf([refused(), refused(), step(), step()], { maxRetries: 1, clock: clock as never });
    expect(await stackOf(caller, client)).toContain(name);
  });
});

/** Ends waits at once, and deadlines never. */
const shortTimer = (callback: () => void, delayMs: number) =>
  delayMs < defaultTimeoutMs ? setTimeout(callback, 0) : undefined;

describe("the stack of an error from before sending names the caller", () => {
  const before: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
    async passesAnUnknownOption(client) {
      await client.roles.list({ timeout: 5 } as never);
    },
    async passesAnEmptyId(client) {
      await client.members.getAvailability("");
    },
    async passesNoBody(client) {
      await client.calls.create(undefined as never);
    },
    async iteratesWithAnUnknownOption(client) {
      for await (const _ of client.calls.list({}, { timeout: 5 } as never));
    },
  };

  it.each(Object.keys(before))("that %s", async (name) => {
    const { client } = clientOf([]);
    expect(await stackOf(before[name] as (typeof before)[string], client)).toContain(name);
  });
});
