// The metrics of requests and attempts.
import { type Counter, type Histogram, type Meter, type MeterProvider, metrics } from "@opentelemetry/api";

/** Name and version of the tracer and of the meter. */
export interface Scope {
  readonly name: string;
  readonly version: string;
}

/** The instruments of one meter provider. */
export interface Instruments {
  /** Attempts after the first one of a request. */
  readonly retries: Counter;
  /** Requests that ended in an `OutcomeUnknownError`. */
  readonly unknownOutcomes: Counter;
  /** Seconds from sending an attempt to its end. */
  readonly duration: Histogram | undefined;
}

/** The boundaries, in seconds, that the conventions advise for `http.client.request.duration`. */
const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

function createInstruments(meter: Meter, withDuration: boolean): Instruments {
  return {
    retries: meter.createCounter("call_transfer.client.retries", {
      description: "Attempts after the first one of a request.",
      unit: "{retry}",
    }),
    unknownOutcomes: meter.createCounter("call_transfer.client.unknown_outcomes", {
      description: "Requests that ended in an OutcomeUnknownError.",
      unit: "{request}",
    }),
    duration: withDuration
      ? meter.createHistogram("http.client.request.duration", {
          description: "Duration of HTTP client requests.",
          unit: "s",
          advice: { explicitBucketBoundaries },
        })
      : undefined,
  };
}

/**
 * Returns a function for the instruments of a meter provider.
 *
 * @param given By default the registered provider, also one that is registered later.
 */
export function instrumentsOf(
  scope: Scope,
  given: MeterProvider | undefined,
  withDuration: boolean,
): () => Instruments {
  let provider: MeterProvider | undefined;
  let instruments: Instruments | undefined;
  return () => {
    const current = given ?? metrics.getMeterProvider();
    if (instruments && provider === current) return instruments;
    provider = current;
    instruments = createInstruments(current.getMeter(scope.name, scope.version), withDuration);
    return instruments;
  };
}
