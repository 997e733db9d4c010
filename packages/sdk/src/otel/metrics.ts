import { type Meter, type MeterProvider, metrics } from "@opentelemetry/api";
import { VERSION } from "../generated/version.gen.ts";

/** Name and version of the tracer and of the meter. */
export const scope = ["@call-transfer/sdk", VERSION] as const;

/** Milliseconds since any fixed moment. Not every runtime has `performance`. */
export const millisecondsNow = (): number => globalThis.performance?.now() ?? Date.now();

/** The boundaries, in seconds, that the conventions advise for `http.client.request.duration`. */
const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const createInstruments = (meter: Meter, withDuration: boolean) => ({
  retries: meter.createCounter("call_transfer.client.retries", {
    description: "Attempts after the first one of a request.",
    unit: "{retry}",
  }),
  unknownOutcomes: meter.createCounter("call_transfer.client.unknown_outcomes", {
    description: "Requests that ended in an OutcomeUnknownError.",
    unit: "{request}",
  }),
  webhooks: meter.createCounter("call_transfer.webhooks", {
    description: "Webhooks by result.",
    unit: "{webhook}",
  }),
  duration: withDuration
    ? meter.createHistogram("http.client.request.duration", {
        description: "Duration of HTTP client requests.",
        unit: "s",
        advice: { explicitBucketBoundaries },
      })
    : undefined,
});

/** Returns a function for the instruments of a meter provider, by default of the one that is registered by then. */
export function instrumentsOf(given: MeterProvider | undefined, withDuration: boolean) {
  let provider: MeterProvider | undefined;
  let instruments: ReturnType<typeof createInstruments> | undefined;
  return () => {
    const current = given ?? metrics.getMeterProvider();
    if (!instruments || provider !== current) instruments = createInstruments(current.getMeter(...scope), withDuration);
    provider = current;
    return instruments;
  };
}
