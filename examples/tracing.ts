// Traces a request that is retried, and prints its spans. In a clone:
//   npm run example -- examples/tracing.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { openTelemetry } from "@call-transfer/sdk/otel";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

// Most programs leave this to `@opentelemetry/sdk-node`, and export to a
// collector.
const exporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager());
trace.setGlobalTracerProvider(
  new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  }),
);

const backend = createBackend();
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch: backend.fetch,
  instrumentation: openTelemetry(),
});

// A span of the application. The spans of the SDK become its children.
backend.faults.add({ do: { status: 503 } });
await trace
  .getTracer("reports")
  .startActiveSpan("count calls", async (span) => {
    await client.calls.list({ limit: 1 });
    span.end();
  });

const spans = exporter.getFinishedSpans();
function print(parentId?: string, indent = "") {
  for (const span of spans.filter(
    ({ parentSpanContext }) => parentSpanContext?.spanId === parentId,
  )) {
    const {
      "http.response.status_code": status,
      "call_transfer.attempts": attempts,
    } = span.attributes;
    const result = status ?? (attempts && `in ${attempts} attempts`);
    console.log(indent + (result ? `${span.name}: ${result}` : span.name));
    print(span.spanContext().spanId, `${indent}  `);
  }
}
print();
