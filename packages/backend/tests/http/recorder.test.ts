import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { RecordedRequest } from "../../src/http/request-log.ts";
import type { BackendEvent } from "../../src/model/events.ts";
import { createSandboxRegistry } from "../../src/sandboxes.ts";

const refused = (path: string, change: Partial<RecordedRequest> = {}): RecordedRequest => ({
  method: "GET",
  url: new URL(`http://mock.test${path}`),
  headers: new Headers(),
  status: 400,
  durationMs: 0.5,
  decidedBy: { step: "server", detail: "Duplicate header host. Send it once." },
  ...change,
});

describe("a request that something in front of the backend answered", () => {
  it("becomes an entry and an event", () => {
    const backend = createBackend();
    const seen: BackendEvent[] = [];
    backend.events.follow((event) => seen.push(event));
    backend.record(refused("/api/v1/roles?token=t", { code: "bad_request", requestId: "r" }));
    const entry = {
      at: "2026-03-02T12:00:00.000Z",
      method: "GET",
      path: "/api/v1/roles",
      status: 400,
      code: "bad_request",
      requestId: "r",
      durationMs: 0.5,
      decidedBy: { step: "server", detail: "Duplicate header host. Send it once." },
    };
    expect(backend.requests.list()).toEqual([{ ...entry, id: 1 }]);
    expect(seen).toEqual([expect.objectContaining({ ...entry, type: "request.completed", id: "1" })]);
    expect(backend.requests.get(1)?.query).toEqual({ token: "[redacted]" });
  });

  it("is an event only if the server did not accept its host or origin", () => {
    const backend = createBackend();
    const seen: BackendEvent[] = [];
    backend.events.follow((event) => seen.push(event));
    const decidedBy = { step: "server", detail: "The origin is not allowed." } as const;
    backend.record(refused("/api/v1/roles", { status: 403, code: "forbidden", decidedBy }));
    expect(backend.requests.list()).toEqual([]);
    expect(seen).toMatchObject([{ type: "request.rejected", path: "/api/v1/roles", status: 403, decidedBy }]);
    backend.record(refused("/api/v1/roles"));
    expect(backend.requests.list()).toMatchObject([{ status: 400 }]);
  });

  it("keeps a response that is not JSON, without secrets", () => {
    const backend = createBackend();
    backend.record(
      refused(`/${demo.apiKey}`, {
        ...{ responseText: `<p>${demo.apiKey}</p>`, responseHeaders: new Headers({ "Set-Cookie": "a=b" }) },
        decidedBy: { step: "server", detail: `Refused with ${demo.apiKey}.` },
      }),
    );
    expect(backend.requests.get(1)).toMatchObject({
      path: "/[redacted]",
      decidedBy: { step: "server", detail: "Refused with [redacted]." },
      responseBody: "<p>[redacted]</p>",
      responseHeaders: { "set-cookie": "[redacted]" },
    });
  });
});

it("a refused request is not an unmatched one", async () => {
  const backend = createBackend({ controlPlane: true });
  backend.record(refused("/nothing"));
  await backend.fetch("http://mock.test/nothing");
  const response = await backend.fetch("http://mock.test/_control/v1/requests?unmatched=true");
  expect(await response.json()).toMatchObject({ requests: [{ id: 2, closestOperations: [{}, {}, {}] }] });
  const coverage = await backend.fetch("http://mock.test/_control/v1/coverage");
  expect(await coverage.json()).toMatchObject({ unmatched: 1, rejected: 1 });
  expect(backend.requests.list().map(({ closestOperations }) => closestOperations?.length)).toEqual([undefined, 3]);
  expect(backend.events.latest().events.map(({ closestOperations }) => closestOperations)).toEqual([
    undefined,
    backend.requests.get(2)?.closestOperations,
  ]);
});

describe("of sandboxes, it is recorded in", () => {
  it.each<[string, string, Record<string, string>, string, string]>([
    ["the one of the path", "/_sandbox/one/api/v1/roles", {}, "one", "/api/v1/roles"],
    ["the one of the header", "/api/v1/roles", { "x-sandbox": "one" }, "one", "/api/v1/roles"],
    ["default if it selects none", "/api/v1/roles", {}, "default", "/api/v1/roles"],
    ["default if there is no such sandbox", "/_sandbox/two/x", {}, "default", "/_sandbox/two/x"],
  ])("%s", (_, path, headers, name, recorded) => {
    const sandboxes = createSandboxRegistry({ autoSandboxes: true });
    sandboxes.create("one");
    sandboxes.record(refused(path, { headers: new Headers(headers) }));
    expect(sandboxes.get(name)?.requests.list()).toMatchObject([{ path: recorded, decidedBy: { step: "server" } }]);
    expect(sandboxes.list()).toEqual(["default", "one"]);
  });

  it("default if the sandboxes refuse it, with their reason", async () => {
    const sandboxes = createSandboxRegistry();
    const response = await sandboxes.fetch("http://mock.test/_sandbox/two/api/v1/roles");
    expect(sandboxes.default.requests.list()).toMatchObject([
      {
        path: "/_sandbox/two/api/v1/roles",
        status: 404,
        code: "not_found",
        requestId: response.headers.get("x-request-id"),
        decidedBy: {
          step: "server",
          detail:
            'There is no sandbox "two". Create it with: call-transfer-mock sandbox create two (operation createSandbox).',
        },
      },
    ]);
    await sandboxes.fetch("http://mock.test/_sandbox/two/_control/v1/clock");
    expect(sandboxes.default.requests.list()).toHaveLength(1);
  });
});
