// Traces the packed SDK with a registered OpenTelemetry SDK, alone and beside instrumentation of fetch, against a server on
// this machine. Throws where a span, a header or a metric differs from docs/observability.md. The script that loads it defines `sdk`,
// `raw`, `otel`, `api`, `tracing`, `measuring`, `contexts`, `core` and `undici`.
import assert from "node:assert/strict";
import { createServer } from "node:http";

const apiKey = "svc_live_demo0000000000000000000000000001";
const [from, to] = ["+15550100001", "+15550100002"];
const placement = { flowId: "f0000000-0000-4000-8000-000000000001", fromNumber: from, toNumber: to };

/** Serves listRoles at the second attempt, loses createCall, leaves listAccounts without an answer, and refuses the rest. */
async function openServer(paths) {
  const received = [];
  const waiting = [];
  let failures = 1;
  const server = createServer((request, response) => {
    const { method, url, rawHeaders } = request;
    const values = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === "traceparent");
    received.push({ route: `${method} ${url}`, traceparents: values });
    const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(body);
    if (url === paths.createCall) return request.socket.destroy();
    if (url === paths.listAccounts) return waiting.shift()?.();
    const isKnown = url === paths.listRoles || url === "/plain";
    if (isKnown && failures-- <= 0) return answer(200, '{"roles":[]}');
    const problem = { code: isKnown ? "internal_error" : "resource_not_found", title: "T", detail: `${to} ${apiKey}` };
    return answer(isKnown ? 500 : 404, JSON.stringify(problem));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, received, waiting, close };
}

/** Registers an OpenTelemetry SDK of version 2 or 3. */
function register({ api, tracing, measuring, contexts, core }) {
  const spans = new tracing.InMemorySpanExporter();
  const isOld = tracing.BasicTracerProvider !== undefined;
  const processor = new tracing.SimpleSpanProcessor(isOld ? spans : { exporter: spans });
  const Provider = tracing.BasicTracerProvider ?? tracing.TracerProvider;
  const metrics = new measuring.InMemoryMetricExporter(measuring.AggregationTemporality.CUMULATIVE);
  const reader = new measuring.PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
  const meterProvider = new measuring.MeterProvider({ readers: [reader] });
  api.trace.setGlobalTracerProvider(new Provider({ spanProcessors: [processor] }));
  api.metrics.setGlobalMeterProvider(meterProvider);
  api.context.setGlobalContextManager(new contexts.AsyncLocalStorageContextManager().enable());
  api.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  return {
    spans: () => spans.getFinishedSpans(),
    measured: async () => {
      metrics.reset();
      await meterProvider.forceFlush();
      return metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    },
  };
}

async function sendAll({ sdk, raw, otel, api }, { url, waiting }) {
  const options = { baseUrl: url, apiKey, instrumentation: otel.openTelemetry() };
  const client = new sdk.CallTransfer(options);
  await api.trace.getTracer("app").startActiveSpan("job", async (job) => {
    await client.roles.list();
    job.end();
  });
  const lost = await client.calls.create(placement).result();
  assert.equal(lost.error.name, "OutcomeUnknownError");
  const abort = new AbortController();
  waiting.push(() => abort.abort());
  const aborted = await client.accounts.list({ signal: abort.signal }).result();
  assert.equal(aborted.error.name, "AbortError");
  const deaf = new sdk.CallTransfer({
    ...options,
    fetch: () => new Promise(() => {}),
    timeoutMs: 20,
    maxRetries: 0,
  });
  const timedOut = await deaf.roles.list().result();
  assert.equal(timedOut.error.name, "TimeoutError");
  await raw.createRawClient(client).GET(`/api/v1/lookups/${from}`);
}

/** Name, parent and error type of each span. */
const expectedSpans = (paths) => [
  [`GET ${paths.listRoles}`, "listRoles", "500"],
  [`GET ${paths.listRoles}`, "listRoles", undefined],
  ["listRoles", "job", undefined],
  ["job", undefined, undefined],
  [`POST ${paths.createCall}`, "createCall", "ConnectionError"],
  ["createCall", undefined, "OutcomeUnknownError"],
  [`GET ${paths.listAccounts}`, "listAccounts", "AbortError"],
  ["listAccounts", undefined, "AbortError"],
  [`GET ${paths.listRoles}`, "listRoles", "TimeoutError"],
  ["listRoles", undefined, "TimeoutError"],
  ["GET /api/v1/lookups/{redacted}", "GET /api/v1/lookups/{redacted}", "404"],
  ["GET /api/v1/lookups/{redacted}", undefined, "NotFoundError"],
];

function checkSpans(spans, received, paths) {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const seen = spans.map((span) => [
    span.name,
    byId.get(span.parentSpanContext?.spanId)?.name,
    span.attributes["error.type"],
  ]);
  assert.deepEqual(seen, expectedSpans(paths));
  // The fetch that never ends sends nothing.
  const sent = spans.filter(({ kind, attributes }) => kind === 2 && attributes["error.type"] !== "TimeoutError");
  const traceparents = sent.map((span) => [`00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`]);
  assert.deepEqual(
    received.map((request) => request.traceparents),
    traceparents,
  );
}

/** The number of measured requests by scope. */
const durations = (scopes) =>
  scopes.flatMap(({ scope, metrics }) =>
    metrics
      .filter(({ descriptor }) => descriptor.name === "http.client.request.duration")
      .map(({ dataPoints }) => [scope.name, dataPoints.reduce((sum, { value }) => sum + value.count, 0)]),
  );

function checkSecrets(...exported) {
  const part = (key, value) => (key === "resource" ? undefined : typeof value === "bigint" ? String(value) : value);
  const text = JSON.stringify(exported, part);
  assert.match(text, /call_transfer\.client\.unknown_outcomes/);
  for (const secret of [apiKey, from, to, from.slice(1), to.slice(1), "Bearer"])
    assert.ok(!text.includes(secret), secret);
}

/**
 * Runs everything. Returns what it found, for people.
 *
 * @param paths The path of each operation by its operationId.
 */
export async function trace(modules, paths) {
  const { undici, api } = modules;
  const { spans, measured } = register(modules);
  const instrumentation = undici && new undici.UndiciInstrumentation();
  const server = await openServer(paths);
  try {
    await sendAll(modules, server);
    checkSpans(spans(), server.received, paths);
    checkSecrets(
      spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
      await measured(),
    );
    if (!undici) return "one traceparent a request";
    // The instrumentation is at work: it traces a request that is not the SDK's.
    await (await fetch(`${server.url}/plain`)).text();
    const plain = spans().at(-1);
    assert.equal(plain.instrumentationScope.name, "@opentelemetry/instrumentation-undici");
    assert.equal(server.received.at(-1).traceparents.length, 1);
    // It measures the SDK's requests too, so the SDK leaves that to it: five requests and the plain one.
    assert.deepEqual(durations(await measured()), [["@opentelemetry/instrumentation-undici", 6]]);
    return "one traceparent a request beside instrumentation-undici";
  } finally {
    instrumentation?.disable();
    server.close();
    for (const part of [api.trace, api.metrics, api.context, api.propagation]) part.disable();
  }
}
