import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { operations } from "@call-transfer/spec";
import * as current from "msw";
import * as currentNode from "msw/node";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BackendOptions } from "../src/backend.ts";
import { createBackend } from "../src/backend.ts";
import { demo } from "../src/data/demo-seed.ts";
import { bypassFetch, callTransferHandlers, type MswOptions } from "../src/msw.ts";
import { inboxUrl } from "../src/platform/inbox.ts";
import { createSandboxRegistry } from "../src/sandboxes.ts";

const baseUrl = "https://api.example.com";
const roles = baseUrl + operations.listRoles.path;
const headers = { authorization: `Bearer ${demo.apiKey}` };

/** The part of MSW's API that these tests use. Under MSW 2 the contract suite runs each night. */
interface Mocked {
  listen(backend: MswOptions<unknown>["backend"], options?: { baseUrl?: string }): string[];
  readonly unmocked: typeof fetch;
  close(): void;
}

const versions: Record<string, () => Mocked> = {
  "msw 3": () => {
    const server = currentNode.setupServer();
    return {
      listen(backend, options) {
        const warnings: string[] = [];
        const warn = (message: string) => void warnings.push(message);
        server.use(...callTransferHandlers({ http: current.http, backend, baseUrl, warn, ...options }));
        server.listen({ onUnhandledFrame: "error" });
        return warnings;
      },
      unmocked: bypassFetch(current.bypass),
      close: () => server.close(),
    };
  },
};

describe.each(Object.entries(versions))("under %s", (_name, open) => {
  let mocked = open();
  afterEach(() => {
    mocked.close();
    mocked = open();
  });
  const listen = (options: BackendOptions = {}) => {
    const backend = createBackend(options);
    return { backend, warnings: mocked.listen(backend) };
  };

  it("responds byte for byte like the backend's fetch", async () => {
    listen();
    const asked = await fetch(roles, { headers });
    const direct = await createBackend().fetch(roles, { headers });
    expect(await asked.text()).toBe(await direct.text());
    expect([...asked.headers]).toEqual([...direct.headers]);
  });

  it.each([
    ["another platform", `https://other.example.com${operations.listRoles.path}`],
    ["another path of the same origin", `${baseUrl}/api/v10/roles`],
    ["an origin with the same beginning", `${baseUrl}.evil.example${operations.listRoles.path}`],
    ["a path that contains the API's", `${baseUrl}/elsewhere${operations.listRoles.path}`],
  ])("leaves %s to MSW", async (_what, url) => {
    const { backend } = listen();
    const complaint = vi.spyOn(console, "error").mockReturnValue();
    await expect(fetch(url, { headers })).rejects.toThrow();
    expect(complaint).toHaveBeenCalled();
    expect(backend.requests.list()).toEqual([]);
  });

  it("serves a base URL with a path", async () => {
    const backend = createBackend();
    mocked.listen(backend, { baseUrl: `${baseUrl}/telephony/` });
    const url = `${baseUrl}/telephony${operations.listRoles.path}`;
    expect((await fetch(url, { headers })).status).toBe(200);
    expect(backend.requests.list().map(({ path }) => path)).toEqual([operations.listRoles.path]);
  });

  it("serves the control plane and selects sandboxes by path and header", async () => {
    const sandboxes = createSandboxRegistry({ autoSandboxes: true });
    mocked.listen(sandboxes);
    await fetch(`${baseUrl}/_sandbox/one${operations.listRoles.path}?x=1`, { headers });
    await fetch(roles, { headers: { ...headers, "x-sandbox": "two" } });
    const health = await fetch(`${baseUrl}/_sandbox/one/_control/v1/health`);
    expect([sandboxes.list(), health.status]).toEqual([["default", "one", "two"], 200]);
  });

  it("responds to a preflight without selecting a sandbox, and allows its origin", async () => {
    mocked.listen(createSandboxRegistry());
    const origin = "http://localhost:5173";
    const preflight = await fetch(roles, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "traceparent,x-sandbox",
      },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, origin]);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("traceparent,x-sandbox");
    const answer = await fetch(roles, { headers: { ...headers, origin } });
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
  });

  it("streams the control plane's events", async () => {
    const { backend } = listen({ controlPlane: true });
    const stream = await fetch(`${baseUrl}/_control/v1/events/stream`);
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("policies.changed")) {
      const part = reader?.read();
      if (text === "") backend.updatePolicies({ concurrentCallLimit: 3 });
      text += (await part)?.value ?? "";
    }
    await reader?.cancel();
    backend.close();
    expect(text).toContain("concurrentCallLimit");
  });

  it.each(["reset", "empty", "process_then_reset"] as const)(
    "turns the fault %s into a network error",
    async (fault) => {
      const { backend, warnings } = listen();
      backend.faults.add({ do: fault, when: { times: 2 } });
      await expect(fetch(roles, { headers })).rejects.toThrow(TypeError);
      await expect(fetch(roles, { headers })).rejects.toThrow(TypeError);
      const kind = fault === "empty" ? "empty" : "reset";
      expect(warnings).toEqual([expect.stringContaining(`The fault "${kind}" needs a real connection`)]);
      expect((await fetch(roles, { headers })).status).toBe(200);
    },
  );

  it("lets a request hang until it is aborted, with a warning", async () => {
    const { backend, warnings } = listen();
    backend.faults.add({ do: "hang" });
    const stop = new AbortController();
    const answer = fetch(roles, { headers, signal: stop.signal });
    answer.catch(() => {});
    while (warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await expect(answer).rejects.toThrow(/abort/);
    expect(warnings).toEqual([expect.stringContaining("hangs until it is aborted")]);
  });

  it("ends a latency when the client aborts, without a warning", async () => {
    const { backend } = listen();
    backend.faults.add({ do: { latencyMs: 5000 } });
    const complaint = vi.spyOn(console, "error").mockReturnValue();
    const stop = new AbortController();
    const answer = fetch(roles, { headers, signal: stop.signal });
    while (backend.clock.pendingTimers === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await expect(answer).rejects.toThrow(/abort/);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(complaint).not.toHaveBeenCalled();
  });

  it("fails in the middle of a truncated body, with a warning", async () => {
    const { backend, warnings } = listen();
    backend.faults.add({ do: "truncate" });
    const answer = await fetch(roles, { headers });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    expect(warnings).toEqual([expect.stringContaining("fails with a body error")]);
  });

  it("returns the head before a slow body", async () => {
    const { backend } = listen();
    backend.faults.add({ do: "slow_body" });
    const stop = new AbortController();
    const answer = await fetch(roles, { headers, signal: stop.signal });
    expect(answer.status).toBe(200);
    stop.abort();
    await expect(answer.text()).rejects.toThrow(/abort/);
  });

  it("sends webhook deliveries over the network", async () => {
    const seen: (string | undefined)[] = [];
    const receiver = createServer((request, response) => {
      seen.push(request.headers.accept);
      request.resume().on("end", () => response.end("thank you"));
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const { port } = receiver.address() as AddressInfo;
    const { backend } = listen({ fetch: mocked.unmocked });
    const config = { url: `http://127.0.0.1:${port}/offers` };
    backend.collections.update("destinations", demo.destinations.app, { config });
    const delivery = await backend.deliveries.trigger({ destinationId: demo.destinations.app });
    await new Promise((resolve) => receiver.close(resolve));
    expect(delivery).toMatchObject({ status: 200, accepted: true });
    expect(seen.join()).not.toContain("msw");
  });

  it("delivers to the built-in inbox without the network", async () => {
    const { backend } = listen({ fetch: mocked.unmocked });
    backend.collections.update("destinations", demo.destinations.app, { config: { url: inboxUrl } });
    await backend.deliveries.trigger({ destinationId: demo.destinations.app });
    expect(backend.inbox.list()).toHaveLength(1);
  });
});

it("writes warnings to the console by default", async () => {
  const { http } = current;
  const backend = createBackend({ faults: [{ do: "reset" }] });
  const server = currentNode.setupServer(...callTransferHandlers({ http, backend, baseUrl }));
  server.listen();
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  await expect(fetch(roles)).rejects.toThrow(TypeError);
  server.close();
  expect(warn).toHaveBeenCalledOnce();
});

it.each([
  ["/api", "absolute"],
  ["*/api/v1", "absolute"],
  ["ftp://api.example.com", "absolute"],
  ["https://*.example.com", "wildcard"],
  ["https://api.example.com/api/v1/", "must not include /api/v1"],
  ["https://api.example.com/?a=1", "query"],
  ["https://user:secret@api.example.com", "credentials"],
])("rejects the base URL %s", (bad, reason) => {
  const options = { http: current.http, backend: createBackend(), baseUrl: bad };
  expect(() => callTransferHandlers(options)).toThrow(new RegExp(`^baseUrl: .*${reason}`));
});
