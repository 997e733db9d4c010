// Whatever fetch or middleware returns or throws, a request ends with data or with an error of the SDK.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallTransferError } from "../src/index.ts";
import type { Middleware } from "../src/options/options.ts";
import { clientOf } from "./test-server.ts";

fc.configureGlobal({ seed: 1 });

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const stray: unknown[] = [];
const note = (reason: unknown) => stray.push(reason);

beforeEach(() => {
  stray.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(stray).toEqual([]);
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const throwing = () =>
  new Proxy(
    {},
    {
      get() {
        throw new RangeError("unreadable");
      },
    },
  );

/** Values that break code which looks at them. */
const odd = fc.constantFrom<() => unknown>(
  revoked,
  throwing,
  () => Object.create(null),
  () => undefined,
  () => null,
  () => Symbol("odd"),
  () => "text",
  () => "{}",
  () => 204,
  () => 200,
  () => Number.NaN,
  () => 10n,
  () => true,
  () => [],
  () => () => {},
  () => () => revoked(),
  () => () => {
    throw revoked();
  },
  () => new Headers(),
  () => new Map([["content-type", "application/json"]]),
  () => new Response("{}", { status: 500 }).body,
);
const members = ["ok", "status", "headers", "body", "text", "json", "type", "clone"] as const;
/** A response with some members replaced, or a plain object of such members. */
const oddResponse = fc
  .tuple(fc.boolean(), fc.dictionary(fc.constantFrom(...members), odd))
  .map(([isGenuine, replaced]) => () => {
    const response = isGenuine ? new Response("{}", { status: 500 }) : {};
    for (const [name, make] of Object.entries(replaced)) {
      Object.defineProperty(response, name, { value: make(), configurable: true, enumerable: true });
    }
    return response;
  });
const anything = fc.oneof(odd, oddResponse);

/** Fails unless the request ended as a caller can handle it. */
async function expectHandled(request: Promise<unknown>): Promise<void> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => ({ thrown }),
  );
  if (error) expect(error.thrown).toBeInstanceOf(CallTransferError);
}

const options = { maxRetries: 0, accountId: "a" };

describe("a value of any kind", () => {
  it.each<[how: string, answer: (value: unknown) => Promise<Response>]>([
    ["returned by fetch", async (value) => value as Response],
    ["returned by fetch without a promise", (value) => value as Promise<Response>],
    [
      "thrown by fetch",
      async (value) => {
        throw value;
      },
    ],
  ])("%s ends the request with data or with an error of the SDK", async (_, answer) => {
    await fc.assert(
      fc.asyncProperty(anything, async (make) => {
        const script = () => answer(make());
        await expectHandled(clientOf([script], options).client.roles.list());
        await expectHandled(clientOf([script], options).client.calls.create(placement));
        await expectHandled(clientOf([script], options).client.request("GET", "/api/v1/contacts"));
        const { ok } = await clientOf([script], options).client.roles.list().result();
        expect(typeof ok).toBe("boolean");
      }),
      { numRuns: 400 },
    );
  });

  it.each<[how: string, answer: (value: unknown) => ReturnType<Middleware>]>([
    ["returned", async (value) => value as Response],
    [
      "thrown",
      async (value) => {
        throw value;
      },
    ],
  ])("%s by middleware, before or after sending, does the same", async (_, answer) => {
    await fc.assert(
      fc.asyncProperty(anything, fc.boolean(), async (make, isSent) => {
        const middleware: Middleware = async (_request, next) => {
          if (isSent) await next();
          return answer(make());
        };
        const script = () => new Response("{}", { status: 201 });
        await expectHandled(clientOf([script], { ...options, middleware: [middleware] }).client.roles.list());
        const { client } = clientOf([script], { ...options, middleware: [middleware] });
        const { error } = await client.calls.create(placement).result();
        expect(error).toBeInstanceOf(CallTransferError);
        if (isSent) expect(error).toMatchObject({ name: "OutcomeUnknownError" });
      }),
      { numRuns: 400 },
    );
  });

  it("thrown by the token function, or returned as a token, does the same", async () => {
    await fc.assert(
      fc.asyncProperty(anything, fc.boolean(), fc.boolean(), async (make, isThrown, isRenewal) => {
        const accessToken = ({ forceRefresh }: { forceRefresh: boolean }) => {
          if (isRenewal && !forceRefresh) return "some-token";
          if (isThrown) throw make();
          return make() as string;
        };
        const expired = () => new Response('{"code":"token_expired"}', { status: 401 });
        const script = [expired, expired];
        await expectHandled(clientOf(script, { ...options, accessToken }).client.roles.list());
        await clientOf(script, { ...options, accessToken })
          .client.roles.list()
          .result();
      }),
      { numRuns: 400 },
    );
  });
});
