// Entry point for OpenTelemetry: a span for each request and each of its attempts, trace context for the server, and metrics.
import {
  type Context,
  context,
  createContextKey,
  defaultTextMapSetter,
  type MeterProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import type { AttemptInstrumentation, Instrumentation } from "./options/options.ts";
import { type DescribedEnd, describeAttemptEnd, describeRequest, describeRequestEnd } from "./otel/attributes.ts";
import { instrumentsOf, millisecondsNow, scope } from "./otel/metrics.ts";

/** Options of `openTelemetry()`. */
export interface OpenTelemetryOptions {
  /** By default the registered one, also one that is registered later. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** By default the registered one, also one that is registered later. */
  readonly meterProvider?: MeterProvider | undefined;
  /** Adds the trace context to each request; by default the registered one, without baggage. With `false`, no header is added. */
  readonly propagator?: TextMapPropagator | false | undefined;
  /**
   * Records the metric `http.client.request.duration`; false by default, since `@opentelemetry/instrumentation-undici` records
   * it too.
   */
  readonly recordRequestDuration?: boolean | undefined;
  /** Records ids in the path, and the query, in `url.full`; false by default. */
  readonly includeUrl?: boolean | undefined;
  /**
   * Records the messages of errors; false by default. They hold no credential, and phone numbers only as
   * `showPhoneNumbers` of the client says.
   */
  readonly includeErrorMessages?: boolean | undefined;
}

/** Under this key of `@opentelemetry/core`, OpenTelemetry creates no spans and adds no headers. */
const suppressTracing = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

function endSpan(span: Span, { standard, own, failure }: DescribedEnd, includeMessage = false): void {
  try {
    span.setAttributes({ ...standard, ...own });
    if (failure) {
      const message = includeMessage ? failure.message : "";
      if (message) span.addEvent("exception", { "exception.type": failure.name, "exception.message": message });
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message && { message }) });
    }
  } finally {
    span.end();
  }
}

/**
 * Creates a span for each request and for each of its attempts, passes the trace context to the server, and counts retries and
 * unknown outcomes. As `instrumentation` of `createWebhookHandler`, it counts webhooks. Requires `@opentelemetry/api`. Without a registered OpenTelemetry SDK nothing is recorded.
 *
 * @example
 * const client = new CallTransfer({ baseUrl, apiKey, instrumentation: openTelemetry() });
 */
export function openTelemetry(
  options: OpenTelemetryOptions = {},
): Instrumentation & { recordWebhook(result: string): void } {
  const { meterProvider, recordRequestDuration = false, includeUrl, includeErrorMessages } = options;
  const tracer = (options.tracerProvider ?? trace).getTracer(...scope);
  const propagator = options.propagator ?? propagation;
  const instruments = instrumentsOf(meterProvider, recordRequestDuration);

  function startAttempt(
    request: ReturnType<typeof describeRequest>,
    parent: Context,
    number: number,
  ): AttemptInstrumentation {
    let sent: { readonly span: Span; readonly at: number } | undefined;
    return {
      // The span begins here, so that an attempt that sends nothing has none.
      wrapSend(url, send) {
        const attributes = {
          ...request.http,
          "url.full": includeUrl ? url : request.url,
          ...(number > 1 && { "http.request.resend_count": number - 1 }),
        };
        const span = tracer.startSpan(request.attemptName, { kind: SpanKind.CLIENT, attributes }, parent);
        sent = { span, at: millisecondsNow() };
        if (number > 1) instruments().retries.add(1, request.own);
        const active = trace.setSpan(parent, span);
        const headers: Record<string, string> = {};
        // Baggage is the application's own. It leaves only if the application has chosen what to send to the platform.
        const shown = options.propagator ? active : propagation.deleteBaggage(active);
        if (propagator) propagator.inject(shown, headers, defaultTextMapSetter);
        // Otherwise instrumentation of fetch adds a second span and a second traceparent.
        return context.with(active.setValue(suppressTracing, true), send, undefined, headers);
      },
      end(summary) {
        if (!sent) return;
        const end = describeAttemptEnd(summary);
        endSpan(sent.span, end, includeErrorMessages);
        const seconds = (millisecondsNow() - sent.at) / 1000;
        instruments().duration?.record(seconds, { ...request.http, ...end.standard }, parent);
      },
    };
  }

  return {
    recordWebhook: (result) => instruments().webhooks.add(1, { "call_transfer.webhook.result": result }),
    startRequest(given) {
      const request = describeRequest(given);
      const caller = context.active();
      const span = tracer.startSpan(request.name, { kind: SpanKind.INTERNAL, attributes: request.own }, caller);
      const parent = trace.setSpan(caller, span);
      return {
        startAttempt: (number) => startAttempt(request, parent, number),
        end(summary) {
          const end = describeRequestEnd(summary);
          endSpan(span, end, includeErrorMessages);
          if (end.failure?.name === "OutcomeUnknownError") instruments().unknownOutcomes.add(1, request.own);
        },
      };
    },
  };
}
