import { CallTransfer, type ClientOptions } from "@call-transfer/sdk";
import { openTelemetry } from "@call-transfer/sdk/otel";
import { SpanStatusCode, trace } from "@opentelemetry/api";

/** Counts the calls within a span of the application. The client's spans become its children. */
export async function countCalls(options: ClientOptions): Promise<number> {
  const client = new CallTransfer({ ...options, instrumentation: openTelemetry() });
  return trace.getTracer("reports").startActiveSpan("count calls", async (span) => {
    try {
      const { meta } = await client.calls.list({ limit: 1 });
      return meta.total;
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
