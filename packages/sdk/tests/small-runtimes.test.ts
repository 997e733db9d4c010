// The parts of a runtime that the SDK uses: it runs in a context that has nothing else, without one part at a time. The table
// in docs/sdk.md names them.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type AccessTokenOptions, type ApiKeyOptions, CallTransfer } from "../src/index.ts";
import type { openTelemetry } from "../src/otel.ts";
import type { listRolesQueryOptions } from "../src/query.ts";
import type { createRawClient } from "../src/raw.ts";

/** What nothing replaces. */
const required = ["AbortController", "Headers", "Response", "URL", "URLSearchParams"];
/** What the SDK does without. */
const replaced = ["DOMException", "performance", "TextDecoder", "TextEncoder", "ReadableStream", "AbortSignal"];
const readIfPresent = ["console", "navigator", "process"];
/** Members of the language, which each context has its own of. */
const members = ["Object.hasOwn", "Array.prototype.findLast"];
/** Members of globals, which contexts share with this test. */
const sharedMembers = [
  ["URL.canParse", URL, "canParse"],
  ["AbortSignal.any", AbortSignal, "any"],
  ["AbortSignal.throwIfAborted", AbortSignal.prototype, "throwIfAborted"],
] as const;

interface Sdk {
  CallTransfer: typeof CallTransfer;
  openTelemetry: typeof openTelemetry;
  listRolesQueryOptions: typeof listRolesQueryOptions;
  createRawClient: typeof createRawClient;
}

let code = "";
beforeAll(async () => {
  const contents = ["index", "otel", "query", "raw"].map((entry) => `export * from "./src/${entry}.ts";`).join("\n");
  const resolveDir = fileURLToPath(new URL("..", import.meta.url));
  const bundle = { bundle: true, format: "iife", globalName: "sdk", write: false, target: "es2022" } as const;
  const { outputFiles } = await build({ ...bundle, stdin: { contents, resolveDir, loader: "ts" } });
  code = outputFiles[0]?.text ?? "";
});

/** Loads the SDK into a context with all globals that it uses except for one, after some code has run there. */
function loadWithout(missing?: string, before = ""): Sdk {
  const host = globalThis as unknown as Record<string, unknown>;
  const names = ["setTimeout", "clearTimeout", ...required, ...replaced, ...readIfPresent];
  const globals = Object.fromEntries(names.filter((name) => name !== missing).map((name) => [name, host[name]]));
  return runInContext(`${before};\n${code}\nsdk`, createContext(globals)) as Sdk;
}

const token = "svc_live_small-runtime";
const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

/** Answers lists, and never a placement. */
const fetch = async (url: unknown, { method }: RequestInit = {}): Promise<Response> => {
  const path = `${method} ${new URL(String(url)).pathname}`;
  if (path === "GET /api/v1/roles") return json(200, { roles: [] });
  if (path === "GET /api/v1/calls") return json(404, { code: "not_found", title: token });
  return new Promise(() => {});
};

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };

const outcome = (promise: Promise<unknown>) =>
  promise.catch(({ name, message, cause }: Error) => `${name} ${message} ${(cause as Error | undefined)?.name}`);

/** Uses each entry, and returns what came of it. */
async function use({ CallTransfer, openTelemetry, listRolesQueryOptions, createRawClient }: Sdk) {
  const shared = { baseUrl: "https://api.example.com", apiKey: token, fetch, maxRetries: 0 } as const;
  const client = new CallTransfer({ ...shared, logLevel: "error", instrumentation: openTelemetry() });
  const [aborted, cancelled] = [new AbortController(), new AbortController()];
  const abortedPlacement = outcome(client.calls.create(placement, { signal: aborted.signal }));
  const query = listRolesQueryOptions(client, { signal: cancelled.signal });
  aborted.abort();
  cancelled.abort();
  return {
    success: await outcome(client.roles.list()),
    raw: (await createRawClient(client).GET("/api/v1/roles")).data,
    refusal: await outcome(client.calls.list()),
    timeout: await outcome(client.calls.create(placement, { timeoutMs: 20 })),
    abort: await abortedPlacement,
    query: await outcome(query.queryFn({ signal: new AbortController().signal })),
    option: await outcome(client.roles.list({ toString: 5 } as never)),
    address: await outcome((async () => client.withOptions({ baseUrl: "https://" }))()),
  };
}

const expected = {
  success: { roles: [] },
  raw: { roles: [] },
  refusal: expect.stringMatching(/^NotFoundError /),
  timeout: expect.stringMatching(/^OutcomeUnknownError .*within 20 ms.* TimeoutError$/),
  abort: expect.stringMatching(/^AbortError .* AbortError$/),
  query: expect.stringMatching(/^AbortError .* AbortError$/),
  option: expect.stringContaining("toString is not an option"),
  address: expect.stringContaining("baseUrl must be a URL"),
};

describe("in a runtime with nothing else than the parts of the page", () => {
  it("the SDK works", async () => {
    expect(await use(loadWithout())).toEqual(expected);
  });

  it.each([...replaced, ...readIfPresent])("the SDK works without %s", async (part) => {
    expect(await use(loadWithout(part))).toEqual(expected);
  });

  it.each(members)("the SDK works without %s", async (part) => {
    expect(await use(loadWithout(undefined, `delete ${part}`))).toEqual(expected);
  });

  it.each(sharedMembers)("the SDK works without %s", async (_, owner, name) => {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
    Reflect.deleteProperty(owner, name);
    try {
      expect(await use(loadWithout())).toEqual(expected);
    } finally {
      Object.defineProperty(owner, name, descriptor);
    }
  });

  it.each(required)("the constructor says that %s is missing", (part) => {
    const { CallTransfer } = loadWithout(part);
    expect(() => new CallTransfer({ baseUrl: "https://api.example.com", apiKey: token })).toThrow(
      `${part} is missing in this runtime. Load a polyfill before you create a client.`,
    );
  });

  it("a placement says that fetch is missing instead of an unknown outcome", async () => {
    const { CallTransfer } = loadWithout();
    const client = new CallTransfer({ baseUrl: "https://api.example.com", apiKey: token });
    const message = "ConfigurationError fetch is missing in this runtime. Pass the option fetch. undefined";
    expect(await outcome(client.calls.create(placement))).toBe(message);
  });

  it("the page names each part", () => {
    const page = readFileSync(new URL("../../../docs/sdk.md", import.meta.url), "utf8");
    const table = page.slice(page.indexOf("## Where it runs"), page.indexOf("## Types"));
    const parts = [
      ...required,
      "fetch",
      ...replaced,
      ...readIfPresent,
      ...members,
      ...sharedMembers.map(([part]) => part),
    ];
    expect(parts.filter((part) => !table.includes(`\`${part}\``))).toEqual([]);
  });
});

describe("React Native", () => {
  // Vitest does it before the next test, but the next file of this worker creates clients earlier.
  afterEach(() => void vi.unstubAllGlobals());

  const baseUrl = "https://api.example.com";
  const create = (options: Partial<ApiKeyOptions> | AccessTokenOptions) => () =>
    new CallTransfer({ baseUrl, ...options } as ApiKeyOptions);

  it("refuses an API key, which every user of the app could read, unless that is allowed", () => {
    vi.stubGlobal("navigator", { product: "ReactNative" });
    expect(create({ apiKey: token })).toThrow(
      "apiKey would be exposed to every user. Use accessToken, or set dangerouslyAllowBrowser: true.",
    );
    expect(create({ apiKey: token, dangerouslyAllowBrowser: true })).not.toThrow();
    expect(create({ accessToken: "token-of-a-user" })).not.toThrow();
  });
});
