import {
  type Baggage,
  context,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultTimeoutMs } from "../src/generated/constants.gen.ts";
import { VERSION } from "../src/generated/version.gen.ts";
import type { ClientOptions } from "../src/options/options.ts";
import { type OpenTelemetryOptions, openTelemetry } from "../src/otel.ts";
import { createRawClient } from "../src/raw.ts";
import { createWebhookHandler, signWebhook } from "../src/webhooks.ts";
import { apiKey, clientOf, json, networkError, problem, type Step } from "./test-server.ts";

const [from, to] = ["+15550100001", "+15550100002"];
const placement = { flowId: "flow", fromNumber: from, toNumber: to };
const roles = () => json(200, { roles: [] }, { "x-request-id": "req-2" });
const clock = {
  now: () => 0,
  setTimeout: (run: () => void, ms: number) => ms < defaultTimeoutMs && run(),
  clearTimeout: () => {},
};
const propagator = new CompositePropagator({
  propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()],
});

/** An OpenTelemetry SDK that keeps what it exports. */
function openSdk() {
  const spanExporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    tracerProvider,
    meterProvider,
    spans: () => spanExporter.getFinishedSpans(),
    /** Every data point that was exported, as [metric, attributes, value]. */
    points: async () => {
      await meterProvider.forceFlush();
      const exported = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
      return exported
        .flatMap((scope) => scope.metrics)
        .flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => [descriptor.name, attributes, value]),
        );
    },
  };
}

/** A client whose requests are answered by the script and followed by an SDK. */
function traced(script: Step[], more: Partial<ClientOptions> = {}, options: OpenTelemetryOptions = {}) {
  const sdk = openSdk();
  const { tracerProvider, meterProvider } = sdk;
  const instrumentation = openTelemetry({ tracerProvider, meterProvider, propagator, ...options });
  return { ...clientOf(script, { instrumentation, random: () => 0, clock, ...more }), ...sdk };
}

const shape = ({ name, kind, status, attributes }: ReadableSpan) => ({ name, kind, status: status.code, attributes });
const { INTERNAL, CLIENT } = SpanKind;
const { UNSET, ERROR } = SpanStatusCode;

beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager()));
afterAll(() => context.disable());

describe("openTelemetry", () => {
  it("creates a span for a request and one for each attempt", async () => {
    const { client, spans } = traced([problem(500, "internal_error"), roles()]);
    await client.roles.list();
    const http = {
      "http.request.method": "GET",
      "server.address": "api.example.com",
      "server.port": 443,
      "url.full": "https://api.example.com/api/v1/roles",
      "url.template": "/api/v1/roles",
    };
    expect(spans().map(shape)).toEqual([
      {
        name: "GET /api/v1/roles",
        kind: CLIENT,
        status: ERROR,
        attributes: {
          ...http,
          "http.response.status_code": 500,
          "error.type": "500",
          "call_transfer.outcome": "unknown",
          "call_transfer.error_code": "internal_error",
          "call_transfer.request_id": "req-1",
        },
      },
      {
        name: "GET /api/v1/roles",
        kind: CLIENT,
        status: UNSET,
        attributes: {
          ...http,
          "http.request.resend_count": 1,
          "http.response.status_code": 200,
          "call_transfer.outcome": "applied",
          "call_transfer.request_id": "req-2",
        },
      },
      {
        name: "listRoles",
        kind: INTERNAL,
        status: UNSET,
        attributes: {
          "call_transfer.operation": "listRoles",
          "call_transfer.outcome": "applied",
          "call_transfer.attempts": 2,
          "call_transfer.request_id": "req-2",
        },
      },
    ]);
  });

  it("makes attempts children of the request, and the request a child of the active span", async () => {
    const { client, spans, tracerProvider } = traced([problem(500, "internal_error"), roles()]);
    await tracerProvider.getTracer("app").startActiveSpan("job", async (job) => {
      await client.roles.list();
      job.end();
    });
    const [first, second, request, job] = spans();
    expect(first?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
    expect(second?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
    expect(request?.parentSpanContext?.spanId).toBe(job?.spanContext().spanId);
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it("reports a refusal: a 4xx is an error of both spans", async () => {
    const { client, spans } = traced([problem(404, "resource_not_found")]);
    await client.members.getAvailability("m-1").catch(() => {});
    expect(spans().map(shape)).toMatchObject([
      { name: "GET /api/v1/transfers/members/{memberId}/availability", status: ERROR },
      { name: "getMemberAvailability", status: ERROR },
    ]);
    expect(spans().map(({ attributes }) => attributes)).toMatchObject([
      { "error.type": "404", "call_transfer.error_code": "resource_not_found", "call_transfer.outcome": "rejected" },
      {
        "error.type": "NotFoundError",
        "call_transfer.error_code": "resource_not_found",
        "call_transfer.outcome": "rejected",
      },
    ]);
  });

  it("reports a lost placement with the reason why it was not retried", async () => {
    const { client, spans } = traced([networkError("ECONNRESET")]);
    await client.calls.create(placement).catch(() => {});
    const [attempt, request] = spans().map(shape);
    expect(attempt).toMatchObject({ status: ERROR, attributes: { "error.type": "ConnectionError" } });
    expect(request).toMatchObject({
      status: ERROR,
      attributes: {
        "error.type": "OutcomeUnknownError",
        "call_transfer.outcome": "unknown",
        "call_transfer.attempts": 1,
        "call_transfer.retry_skipped_reason": "not_idempotent",
      },
    });
  });

  it("ends both spans when the caller aborts", async () => {
    const abort = new AbortController();
    const script = [
      () => {
        abort.abort();
        return new Promise<Response>(() => {});
      },
    ];
    const { client, spans } = traced(script);
    await client.roles.list({ signal: abort.signal }).catch(() => {});
    expect(spans().map(({ attributes }) => attributes["error.type"])).toEqual(["AbortError", "AbortError"]);
  });

  it("follows raw requests, also to a path that this SDK does not know", async () => {
    const { client, spans } = traced([problem(404, "resource_not_found"), json(200, {})]);
    await createRawClient(client).GET("/api/v1/roles");
    const path = "/api/v2/lookups/{kind}/%2B15550100001/u-1?number=%2B15550100001" as "/api/v1/roles";
    await createRawClient(client).GET(path, { params: { path: { kind: "number" } } } as Record<string, unknown>);
    const template = "GET /api/v2/lookups/{kind}/{redacted}/{redacted}";
    expect(spans().map(({ name }) => name)).toEqual(["GET /api/v1/roles", "listRoles", template, template]);
    expect(spans()[2]?.attributes["url.full"]).toBe(`https://api.example.com${template.slice(4)}`);
  });

  it("creates no span for an attempt that sends nothing", async () => {
    const answers = traced([], { middleware: [async () => roles()] });
    await answers.client.roles.list();
    expect(answers.spans().map(({ name }) => name)).toEqual(["listRoles"]);
    const accessToken = () => {
      throw new Error("no token");
    };
    const fails = traced([], { accessToken, accountId: "a" });
    await fails.client.roles.list().catch(() => {});
    expect(fails.spans().map(shape)).toMatchObject([
      {
        name: "listRoles",
        status: ERROR,
        attributes: { "error.type": "RequestError", "call_transfer.outcome": "not_sent" },
      },
    ]);
  });

  it.each<[what: string, thrown: unknown]>([
    ["an error named by its data", Object.assign(new Error(""), { name: `cannot call ${to}` })],
    [
      "an error that cannot be read",
      Object.defineProperty({}, "name", {
        get: () => {
          throw new Error("unreadable");
        },
      }),
    ],
  ])("ends the span when the caller's own code throws %s", async (_, thrown) => {
    const accessToken = () => {
      throw thrown;
    };
    const { client, spans } = traced([], { accessToken, accountId: "a" });
    await client.roles.list().catch(() => {});
    expect(spans().map(shape)).toMatchObject([{ status: ERROR, attributes: { "error.type": "RequestError" } }]);
  });
});

describe("the trace context", () => {
  const baggage: Baggage = propagation.createBaggage({ tenant: { value: "t1" } });

  it("is passed to the server by each attempt", async () => {
    const { client, sent, spans } = traced([problem(500, "internal_error"), roles()]);
    await context.with(propagation.setBaggage(ROOT_CONTEXT, baggage), () => client.roles.list());
    const expected = spans()
      .slice(0, 2)
      .map((span) => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`);
    expect(sent.map(({ headers }) => headers.get("traceparent"))).toEqual(expected);
    expect(sent.map(({ headers }) => headers.get("baggage"))).toEqual(["tenant=t1", "tenant=t1"]);
  });

  it("is passed without the application's baggage, unless the application chose its own propagator", async () => {
    propagation.setGlobalPropagator(propagator);
    try {
      const { client, sent } = traced([roles()], {}, { propagator: undefined });
      await context.with(propagation.setBaggage(ROOT_CONTEXT, baggage), () => client.roles.list());
      expect([...(sent[0]?.headers.keys() ?? [])].filter((name) => /baggage|trace/.test(name))).toEqual([
        "traceparent",
      ]);
    } finally {
      propagation.disable();
    }
  });

  it("is not passed without a propagator", async () => {
    const { client, sent, spans } = traced([roles()], {}, { propagator: false });
    await client.roles.list();
    expect(sent[0]?.headers.has("traceparent")).toBe(false);
    expect(spans()).toHaveLength(2);
  });

  it("is active in fetch, where other instrumentation creates no span and adds no header", async () => {
    const headers: Record<string, string> = {};
    let active: string | undefined;
    const script = [
      () => {
        tracerProvider.getTracer("undici").startSpan("GET").end();
        propagator.inject(context.active(), headers, { set: (carrier, key, value) => (carrier[key] = value) });
        active = trace.getActiveSpan()?.spanContext().spanId;
        return roles();
      },
    ];
    const { client, spans, tracerProvider } = traced(script);
    await client.roles.list();
    expect(spans().map(({ name }) => name)).toEqual(["GET /api/v1/roles", "listRoles"]);
    expect(active).toBe(spans()[0]?.spanContext().spanId);
    expect(headers).toEqual({});
  });

  it("ends with the request: the caller's own code runs in its own context", async () => {
    const seen: unknown[] = [];
    const middleware = [
      async (_request: unknown, next: () => Promise<Response>) => {
        seen.push(trace.getActiveSpan());
        const response = await next();
        seen.push(trace.getActiveSpan());
        return response;
      },
    ];
    const { client } = traced([roles()], { middleware });
    await client.roles.list();
    seen.push(trace.getActiveSpan());
    expect(seen).toEqual([undefined, undefined, undefined]);
  });
});

describe("what is exported", () => {
  const token = "jwt-unit-test-secret";
  const secrets = [apiKey, token, "private-header"];
  const personal = [from, to, encodeURIComponent(from), from.slice(1), "m-17", "ann"];

  /** Sends requests of every kind with personal data wherever it can stand. Returns all that was exported, as text. */
  async function exportAll(options: OpenTelemetryOptions, credential: string, more: Partial<ClientOptions> = {}) {
    const detail = `${to} of ann with ${credential}`;
    const refused = () => problem(422, "contact_on_dnc_list", { detail, title: detail });
    const script = [
      refused(),
      problem(400, `number ${to}`, { detail }),
      json(400, { code: to, detail }, { "x-request-id": to }),
      new TypeError(`cannot reach ${to}`, { cause: new Error(detail) }),
      json(200, { calls: [], meta: { total: 0 } }),
      new Response(detail, { status: 502 }),
      refused(),
    ];
    const headers = { "x-team": "private-header", "x-number": from };
    const all = { recordRequestDuration: true, ...options };
    const { client, spans, points } = traced(script, { headers, maxRetries: 0, ...more }, all);
    await client.calls.create(placement).result();
    await client.members.deleteHours("m-17").result();
    await client.members.getAvailability("m-17").result();
    await client.calls.create(placement).result();
    await client.calls.list({ status: "ann" as "completed" }).result();
    await client.roles.list().result();
    await createRawClient(client).GET(`/api/v1/lookups/${from}` as "/api/v1/roles", { headers });
    const parts = spans().map(({ name, attributes, events, links, status }) => [
      name,
      attributes,
      events,
      links,
      status,
    ]);
    return JSON.stringify([parts, await points()]);
  }

  const exportBoth = async (options: OpenTelemetryOptions) =>
    (await exportAll(options, apiKey)) + (await exportAll(options, token, { accessToken: token, accountId: "a" }));

  it("holds no credential, header, phone number or id", async () => {
    const exported = await exportBoth({});
    expect(exported).toContain("contact_on_dnc_list");
    expect(exported).toContain("http.client.request.duration");
    for (const text of [...secrets, ...personal]) expect(exported).not.toContain(text);
  });

  it("holds URLs and messages if asked, but no credential", async () => {
    const exported = await exportBoth({ includeUrl: true, includeErrorMessages: true });
    expect(exported).toContain('"url.full":"https://api.example.com/api/v1/transfers/members/m-17/hours"');
    expect(exported).toContain('"url.full":"https://api.example.com/api/v1/calls?status=ann"');
    expect(exported).toContain("+1555*****02");
    for (const text of secrets) expect(exported).not.toContain(text);
  });

  it("holds the message of an error once, as status and as event, without a stack", async () => {
    const { client, spans } = traced([networkError("ECONNRESET")], { maxRetries: 0 }, { includeErrorMessages: true });
    await client.roles.list().catch(() => {});
    const message = "could not be sent or lost its connection: fetch failed (ECONNRESET)";
    expect(spans().map(({ status }) => status.message)).toEqual([message, `listRoles ${message}`]);
    expect(spans().map(({ events }) => events.map(({ name, attributes }) => [name, attributes]))).toEqual([
      [["exception", { "exception.type": "ConnectionError", "exception.message": message }]],
      [["exception", { "exception.type": "ConnectionError", "exception.message": `listRoles ${message}` }]],
    ]);
  });
});

describe("the metrics", () => {
  it("count retries and unknown outcomes", async () => {
    const { client, points } = traced([problem(500, "internal_error"), roles(), networkError("ECONNRESET")]);
    await client.roles.list();
    await client.calls.create(placement).catch(() => {});
    expect(await points()).toEqual([
      ["call_transfer.client.retries", { "call_transfer.operation": "listRoles" }, 1],
      ["call_transfer.client.unknown_outcomes", { "call_transfer.operation": "createCall" }, 1],
    ]);
  });

  it("count what a receiver of webhooks did", async () => {
    const { points, meterProvider } = openSdk();
    const instrumentation = openTelemetry({ meterProvider });
    const receive = createWebhookHandler({ secret: "secret", onEvent() {}, onError() {}, instrumentation });
    const body = '{"type":"transfer.offer"}';
    const signed = { "Service-Signature": await signWebhook(body, { secret: "secret" }) };
    for (const headers of [signed, signed, {}])
      await receive(new Request("http://localhost/", { method: "POST", headers, body }));
    expect(await points()).toEqual(
      ["handled", "deduplicated", "invalid_signature_header"].map((result) => [
        "call_transfer.webhooks",
        { "call_transfer.webhook.result": result },
        1,
      ]),
    );
  });

  it("measure attempts if asked", async () => {
    const script = [problem(500, "internal_error"), networkError("ECONNRESET"), roles()];
    const { client, points } = traced(script, { maxRetries: 2 }, { recordRequestDuration: true });
    await client.roles.list();
    const http = {
      "http.request.method": "GET",
      "server.address": "api.example.com",
      "server.port": 443,
      "url.template": "/api/v1/roles",
    };
    const one = expect.objectContaining({ count: 1 });
    const durations = (await points()).filter(([name]) => name === "http.client.request.duration");
    expect(durations.map(([, attributes, value]) => [attributes, value])).toEqual([
      [{ ...http, "http.response.status_code": 500, "error.type": "500" }, one],
      [{ ...http, "error.type": "ConnectionError" }, one],
      [{ ...http, "http.response.status_code": 200 }, one],
    ]);
  });
});

describe("the registered OpenTelemetry SDK", () => {
  it("is not required", async () => {
    const { client, sent } = clientOf([roles()], { instrumentation: openTelemetry() });
    expect(await client.roles.list()).toEqual({ roles: [] });
    expect(sent.map(({ headers }) => headers.has("traceparent"))).toEqual([false]);
  });

  it("may be registered after the client was created", async () => {
    const { tracerProvider, meterProvider, spans, points } = openSdk();
    const options = { instrumentation: openTelemetry({ recordRequestDuration: true }) };
    const { client, sent } = clientOf([roles(), roles()], options);
    await client.roles.list();
    trace.setGlobalTracerProvider(tracerProvider);
    metrics.setGlobalMeterProvider(meterProvider);
    propagation.setGlobalPropagator(propagator);
    try {
      await client.roles.list();
    } finally {
      for (const api of [trace, metrics, propagation]) api.disable();
    }
    expect(spans().map(({ name }) => name)).toEqual(["GET /api/v1/roles", "listRoles"]);
    expect(spans()[0]?.instrumentationScope).toMatchObject({ name: "@call-transfer/sdk", version: VERSION });
    expect((await points()).map(([name]) => name)).toEqual(["http.client.request.duration"]);
    expect(sent.map(({ headers }) => headers.has("traceparent"))).toEqual([false, true]);
  });
});
