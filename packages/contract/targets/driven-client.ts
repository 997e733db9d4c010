// A client in another language, which a driver process holds. packages/contract/vectors/README.md describes the protocol.
import * as sdk from "@call-transfer/sdk";
import { type OperationId, operations } from "@call-transfer/spec";
import type { TimeRecord } from "../src/suite/target.ts";

/** An error as the driver reports it. */
export interface ReportedError {
  readonly name: string;
  readonly message: string;
  readonly outcome?: sdk.RequestOutcome;
  readonly attempts?: readonly sdk.Attempt[];
  readonly retrySkippedReason?: sdk.RetrySkippedReason;
  /** Those of an error response. */
  readonly status?: number;
  readonly body?: NonNullable<sdk.ApiErrorDetails["body"]>;
  readonly requestId?: string;
  readonly retryAfterSecs?: number;
  /** That of an unknown outcome, and how its last attempt ended. */
  readonly window?: sdk.OutcomeWindow;
  readonly cause?: ReportedError;
}

/** What came of a call. */
export interface Report {
  readonly waitsMs: readonly number[];
  readonly limitsMs: readonly number[];
  readonly data?: unknown;
  /** Those of a success. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error?: ReportedError;
}

/** Sends a message to the driver, and returns its answer. */
export type Ask = (message: Readonly<Record<string, unknown>>) => Promise<Report>;

/** Creates the SDK's error of the same name. */
function errorOf(reported: ReportedError, operationId: string): Error {
  const { name, message, outcome = "unknown", attempts = [], window, status = 0 } = reported;
  const details = { ...reported, operationId, outcome, attempts, status };
  const cause = reported.cause && errorOf(reported.cause, operationId);
  if (name === "OutcomeUnknownError" && window)
    return new sdk.OutcomeUnknownError(message, { ...details, window }, cause);
  const [subject = "", ...problem] = message.split(" ");
  if (name === "ConfigurationError") return new sdk.ConfigurationError(subject, problem.join(" "));
  if (name === "InvalidArgumentError") return new sdk.InvalidArgumentError(subject, problem.join(" "));
  const kind: unknown = Reflect.get(sdk, name);
  if (typeof kind !== "function") return new Error(`The driver reported ${name}: ${message}`);
  const isApi = kind === sdk.ApiError || kind.prototype instanceof sdk.ApiError;
  return Reflect.construct(kind, isApi ? [details] : [message, details, cause]) as Error;
}

function operationAt(method: string, route: string): OperationId {
  const found = Object.values(operations).find((one) => one.method === method && one.path === route);
  if (found === undefined) throw new TypeError(`There is no operation ${method} ${route}.`);
  return found.id;
}

/** Has the methods of the SDK's client, and sends through the driver. */
export class DrivenClient extends sdk.CallTransfer {
  readonly #ask: Ask;
  readonly #time: TimeRecord | undefined;

  constructor(options: sdk.ClientOptions, ask: Ask, time?: TimeRecord) {
    super(options);
    this.#ask = ask;
    this.#time = time;
  }

  override request<T>(method: string, path: string, input: sdk.RequestInput = {}): sdk.ApiPromise<T> {
    const respond = async (): Promise<sdk.ApiResponse<T>> => {
      const operation = operationAt(method, path);
      const report = await this.#ask({ do: "call", operation, ...input });
      this.#time?.waits.push(...report.waitsMs);
      this.#time?.attemptTimeoutsMs.push(...report.limitsMs);
      if (report.error) throw errorOf(report.error, operation);
      const { data, status = 200, headers } = report;
      const response = new Response(null, { status, ...(headers && { headers }) });
      return { data: data as T, response, requestId: response.headers.get("x-request-id") ?? undefined };
    };
    const whole = respond();
    const promise = whole.then(({ data }) => data);
    // A case may ask for either.
    for (const one of [whole, promise]) one.catch(() => {});
    const result = () =>
      whole.then(
        (success) => ({ ...success, ok: true, error: undefined }),
        (error: unknown) => ({ ok: false, data: undefined, error }),
      );
    // The SDK's own promise begins with the SDK's own request.
    return Object.assign(promise, { withResponse: () => whole, result }) as unknown as sdk.ApiPromise<T>;
  }
}
