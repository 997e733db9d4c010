// What the SDK reads from its runtime: environment variables and versions.
import { afterEach, describe, expect, it, vi } from "vitest";
import { CallTransfer } from "../src/client.ts";
import { defaultTimeoutMs } from "../src/generated/constants.gen.ts";
import { product } from "../src/generated/version.gen.ts";
import type { ApiKeyOptions, ClientOptions } from "../src/options/options.ts";
import { clientOf, json } from "./test-server.ts";

const roles = () => json(200, { roles: [] });
const key = "svc_live_from-the-environment";
const url = "https://env.example.com";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** What a client of only these options sends. */
async function sentBy(options: ClientOptions): Promise<{ url: string; headers: Headers }> {
  const sent: { url: string; headers: Headers }[] = [];
  const fetch = async (to: string | URL | Request, init: RequestInit = {}) => {
    sent.push({ url: String(to), headers: new Headers(init.headers) });
    return roles();
  };
  await new CallTransfer({ fetch, ...options }).roles.list();
  return sent[0] as { url: string; headers: Headers };
}

describe("environment variables", () => {
  it("give the API key and the base URL", async () => {
    vi.stubEnv("CALL_TRANSFER_API_KEY", ` ${key}\n`);
    vi.stubEnv("CALL_TRANSFER_BASE_URL", url);
    const sent = await sentBy({});
    expect(sent.url).toBe(`${url}/api/v1/roles`);
    expect(sent.headers.get("authorization")).toBe(`Bearer ${key}`);
  });

  it("stand back behind options", async () => {
    vi.stubEnv("CALL_TRANSFER_API_KEY", key);
    vi.stubEnv("CALL_TRANSFER_BASE_URL", url);
    const sent = await sentBy({
      accessToken: "token-of-an-option",
      accountId: "a",
      baseUrl: "https://api.example.com",
    });
    expect(sent.url).toBe("https://api.example.com/api/v1/roles");
    expect(sent.headers.get("authorization")).toBe("Bearer token-of-an-option");
  });

  it("that are empty count as not set", () => {
    vi.stubEnv("CALL_TRANSFER_API_KEY", " ");
    vi.stubEnv("CALL_TRANSFER_BASE_URL", "");
    expect(() => new CallTransfer({ apiKey: key })).toThrow(
      "baseUrl is required. Pass it, or set CALL_TRANSFER_BASE_URL.",
    );
    expect(() => new CallTransfer({ baseUrl: url })).toThrow(
      "apiKey or accessToken is required. Pass one, or set CALL_TRANSFER_API_KEY.",
    );
  });

  it.each([
    ["CALL_TRANSFER_API_KEY", "two words", "must be letters, digits"],
    ["CALL_TRANSFER_BASE_URL", "ftp://example.com", "must be a URL with https://"],
    ["CALL_TRANSFER_BASE_URL", "http://example.com", "must use https"],
    ["CALL_TRANSFER_LOG", "verbose", "must be one of debug, info, warn, error, off"],
  ])("that are invalid are named, without their value: %s=%s", (variable, value, problem) => {
    vi.stubEnv("CALL_TRANSFER_API_KEY", key);
    vi.stubEnv("CALL_TRANSFER_BASE_URL", url);
    vi.stubEnv(variable, value);
    const create = () => new CallTransfer();
    expect(create).toThrow(`${variable} ${problem}`);
    expect(create).not.toThrow(value);
    expect(create).toThrow(expect.objectContaining({ option: variable }));
  });

  it.each(["new client", "copy"])("never take the place of a user's token that is undefined, in a %s", (where) => {
    vi.stubEnv("CALL_TRANSFER_API_KEY", key);
    vi.stubEnv("CALL_TRANSFER_BASE_URL", url);
    const client = new CallTransfer({ accessToken: "token-of-a-user", accountId: "a" });
    const create = () =>
      where === "copy" ? client.withOptions({ accessToken: undefined }) : new CallTransfer({ accessToken: undefined });
    expect(create).toThrow("accessToken is undefined. Pass a token, or a function that returns one.");
  });

  it("are read once: copies inherit what the original read", async () => {
    vi.stubEnv("CALL_TRANSFER_API_KEY", key);
    vi.stubEnv("CALL_TRANSFER_BASE_URL", url);
    const sent: unknown[] = [];
    const fetch = async (to: unknown, init: RequestInit = {}) => {
      sent.push([String(to), new Headers(init.headers).get("authorization")]);
      return roles();
    };
    const client = new CallTransfer({ fetch });
    vi.stubEnv("CALL_TRANSFER_API_KEY", undefined);
    vi.stubEnv("CALL_TRANSFER_BASE_URL", "https://other.example.com");
    await client.withOptions({ accountId: "b" }).roles.list();
    expect(sent).toEqual([[`${url}/api/v1/roles`, `Bearer ${key}`]]);
  });

  it("that the runtime refuses to read are as if not set", () => {
    const env = new Proxy(
      {},
      {
        get: () => {
          throw new Error("NotCapable: requires env access");
        },
      },
    );
    vi.stubGlobal("process", { ...process, env });
    expect(() => new CallTransfer({ apiKey: key })).toThrow("baseUrl is required");
    expect(() => new CallTransfer({ apiKey: key, baseUrl: url })).not.toThrow();
  });
});

describe("logging", () => {
  const answers = () => [json(500, {}), roles()];
  const quick = {
    random: () => 0,
    clock: {
      now: () => 0,
      setTimeout: (run: () => void, ms: number) => ms < defaultTimeoutMs && run(),
      clearTimeout: () => {},
    },
  };
  const spied = () => {
    const counts = { debug: 0, info: 0, warn: 0, error: 0 };
    for (const level of ["debug", "info", "warn", "error"] as const) {
      vi.spyOn(console, level).mockImplementation(() => {
        counts[level]++;
      });
    }
    return counts;
  };

  it.each([
    ["debug", { debug: 2, warn: 1 }],
    ["info", { debug: 0, warn: 1 }],
    ["warn", { debug: 0, warn: 1 }],
    ["error", { debug: 0, warn: 0 }],
    ["off", { debug: 0, warn: 0 }],
  ] as const)("goes to the console from the level of CALL_TRANSFER_LOG or logLevel on: %s", async (level, expected) => {
    const counts = spied();
    await clientOf(answers(), { ...quick, logLevel: level }).client.roles.list();
    expect(counts).toMatchObject(expected);
    vi.stubEnv("CALL_TRANSFER_LOG", level);
    await clientOf(answers(), quick).client.roles.list();
    expect(counts).toMatchObject({ debug: expected.debug * 2, warn: expected.warn * 2 });
  });

  it("goes to a logger in full, or from the level on", async () => {
    const counts = spied();
    const seen: string[] = [];
    const log = (message: string) => seen.push(message);
    const logger = { debug: log, info: log, warn: log, error: log };
    await clientOf(answers(), { ...quick, logger }).client.roles.list();
    expect(seen).toHaveLength(3);
    await clientOf(answers(), { ...quick, logger, logLevel: "warn" }).client.roles.list();
    expect(seen).toHaveLength(4);
    expect(counts).toEqual({ debug: 0, info: 0, warn: 0, error: 0 });
  });
});

describe("the User-Agent", () => {
  const userAgentOf = async (options: ApiKeyOptions = {}) =>
    (await sentBy({ apiKey: key, baseUrl: url, ...options })).headers.get("user-agent");

  it("names the SDK, the contract, the runtime and their versions", async () => {
    expect(await userAgentOf()).toBe(`${product} node/${process.versions.node}`);
  });

  it.each<[runtime: string, globals: object, expected: string | null]>([
    ["Bun", { process: { versions: { node: "24.3.0", bun: "1.4.5" } } }, "bun/1.4.5"],
    ["Deno", { process: { versions: { node: "24.3.0", deno: "2.5.0" } } }, "deno/2.5.0"],
    [
      "Cloudflare Workers",
      { process: undefined, navigator: { userAgent: "Cloudflare-Workers" } },
      "Cloudflare-Workers",
    ],
    ["an unknown runtime", { process: undefined, navigator: undefined }, ""],
    ["a runtime without versions", { process: { env: {}, versions: null }, navigator: null }, ""],
    ["a runtime whose version is no text", { process: { versions: { node: Symbol("v") } }, navigator: undefined }, ""],
    ["a runtime whose name cannot be a product", { process: undefined, navigator: { userAgent: "a (b; c)" } }, ""],
  ])("names %s", async (_, globals, expected) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    expect(await userAgentOf()).toBe(`${product} ${expected}`.trim());
  });

  it("is left to the browser", async () => {
    vi.stubGlobal("document", {});
    expect(await userAgentOf({ dangerouslyAllowBrowser: true })).toBe(null);
  });

  it("can be replaced, however it is spelled", async () => {
    expect(await userAgentOf({ headers: { "User-Agent": "app/1" } })).toBe("app/1");
  });
});

describe("in a browser", () => {
  const accessToken = "token-of-a-user";
  const create = (options: ClientOptions) => () => new CallTransfer({ accountId: "a", ...options });

  it.each<[string, ClientOptions, string]>([
    ["a missing token", { baseUrl: url }, "accessToken is undefined. Pass a token, or a function that"],
    ["a missing address", { accessToken }, "baseUrl is required. Pass it."],
    [
      "a path as the address",
      { accessToken, baseUrl: "/" },
      "baseUrl must be a URL with https:// or http://, such as https://api.example.com or location.origin",
    ],
  ])("%s gets advice that works in a page, without environment variables", (_, options, message) => {
    vi.stubGlobal("document", {});
    expect(create(options)).toThrow(message);
    expect(create(options)).not.toThrow("CALL_TRANSFER_");
  });

  it("a request that the browser refused names the console, because the page gets no reason", async () => {
    vi.stubGlobal("document", {});
    const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
    const client = new CallTransfer({ accessToken, accountId: "a", baseUrl: url, fetch, maxRetries: 0 });
    await expect(client.roles.list()).rejects.toThrow(
      "listRoles could not be sent or lost its connection: Failed to fetch. The browser's console says why",
    );
  });
});
