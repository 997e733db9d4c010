// The target of the tools: a backend in this process, a running mock server, or a real platform.
import { type Backend, createBackend, demo } from "@call-transfer/backend";
import { CallTransfer, type Clock, ConfigurationError } from "@call-transfer/sdk";
import type { OperationContext } from "../tools/operation-tools.ts";
import { everything } from "../tools/permissions.ts";
import type { ControlPlane } from "../tools/tool.ts";
import { openControlPlane } from "./control-plane.ts";
import type { McpServerOptions, MockServerAddress, PlatformOptions } from "./options.ts";

/** A target of the tools. */
export interface Target extends OperationContext {
  /** Names it in a sentence. */
  readonly name: string;
  /** Only a mock has one. */
  readonly control?: ControlPlane;
}

/**
 * Milliseconds that a request may take with its retries. MCP clients give up after 60 seconds. Before that, an assistant
 * should read whether a call was placed, which may take a second request.
 */
const totalTimeoutMs = 25_000;

/** The backend has no address. The name shows up in no message. */
const backendUrl = "http://localhost";

/** Deadlines and waits between attempts pass in real time. */
const realTime: Omit<Clock, "now"> = {
  monotonicNow: () => performance.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/**
 * Opens what the options name.
 *
 * @throws {ConfigurationError} An option is invalid, or a mock server does not answer.
 */
export async function openTarget(options: McpServerOptions = {}): Promise<Target> {
  const { backend, mockServer, platform, apiKey } = checked(options);
  if (platform !== undefined) return platformTarget(platform);
  if (mockServer !== undefined) return mockServerTarget(mockServer);
  return backendTarget(backend ?? createBackend({ controlPlane: true }), apiKey);
}

function checked(options: McpServerOptions): McpServerOptions {
  const known = { backend: true, apiKey: true, mockServer: true, platform: true };
  const given = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const unknown = given.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new ConfigurationError(unknown, `is not an option. Use one of ${Object.keys(known).join(", ")}.`);
  const targets = given.filter((name) => name !== "apiKey");
  const [first = "", ...others] = targets;
  if (others.length > 0)
    throw new ConfigurationError(first, `and ${others.join(" and ")} cannot be combined. Pass one of them.`);
  if (given.includes("apiKey") && targets.some((name) => name !== "backend"))
    throw new ConfigurationError("apiKey", `only works with backend. Pass it inside ${targets.join()}.`);
  return options;
}

async function backendTarget(backend: Backend, apiKey: string = demo.apiKey): Promise<Target> {
  if (typeof Object(backend).fetch !== "function")
    throw new ConfigurationError("backend", "must be a backend. Pass what createBackend() returns.");
  const fetch = backend.fetch.bind(backend);
  const control = await openControlPlane({ url: backendUrl, fetch }, "backend").catch(() => {
    throw new ConfigurationError("backend", "has no control plane. Create it with controlPlane: true.");
  });
  // By the backend's clock, the SDK finds out what may have been placed since a request was sent.
  const clock = { ...realTime, now: () => backend.clock.now() };
  const client = new CallTransfer({ baseUrl: backendUrl, apiKey, totalTimeoutMs, fetch, clock });
  return { name: "a mock of the platform in this process", client, control, isMock: true, permissions: everything };
}

async function mockServerTarget({ url, controlToken, sandbox, apiKey }: MockServerAddress): Promise<Target> {
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw new ConfigurationError("mockServer.url", "must be a URL. Write it as http://127.0.0.1:4010.");
  const base = url.replace(/\/+$/, "");
  const client = new CallTransfer({
    baseUrl: base,
    apiKey: apiKey ?? demo.apiKey,
    totalTimeoutMs,
    allowInsecureHttp: true,
    ...(sandbox !== undefined && { headers: { "x-sandbox": sandbox } }),
  });
  const address = { url: base, token: controlToken, sandbox, fetch: (request: Request) => fetch(request) };
  const control = await openControlPlane(address, "mockServer");
  return { name: `the mock server at ${base}`, client, control, isMock: true, permissions: everything };
}

function platformTarget({ client: given = {}, allowCalls, allowChanges, saveSecret }: PlatformOptions): Target {
  const client = new CallTransfer({ totalTimeoutMs, ...given });
  const permissions = {
    calls: allowCalls === true,
    changes: allowChanges === true,
    secrets: saveSecret !== undefined,
  };
  const at = given.baseUrl === undefined ? "" : ` at ${given.baseUrl}`;
  const hasFixedAccount = given.accountId !== undefined;
  return { name: `the real platform${at}`, client, isMock: false, permissions, saveSecret, hasFixedAccount };
}
