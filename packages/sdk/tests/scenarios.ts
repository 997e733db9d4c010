// Plays the vectors of retries with a client: that of the sources, or the built one.
import type { CallTransfer, RequestError } from "../src/index.ts";
import type { Clock } from "../src/options/options.ts";
import { networkError } from "./network-error.ts";

/** What a scenario needs of the SDK. */
export interface Sdk {
  readonly CallTransfer: typeof CallTransfer;
  readonly RequestError: typeof RequestError;
}

/** What the platform does with one request. */
interface Answer {
  readonly lost?: "before" | "after" | "body" | "timeout";
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

/** A case of the vectors `retries`. */
export interface Scenario {
  readonly name: string;
  readonly operation: string;
  readonly answers: readonly Answer[];
  readonly retry?: Readonly<Record<string, unknown>>;
  readonly expect: {
    readonly sent: number;
    readonly result: string;
    readonly outcome?: string;
    readonly retrySkippedReason?: string;
    readonly waitsMs: readonly number[];
  };
}

const invoke: Readonly<Record<string, (client: CallTransfer) => PromiseLike<unknown>>> = {
  createCall: (client) => client.calls.create({ flowId: "f", fromNumber: "+15550100001", toNumber: "+15550200001" }),
  rotateDestinationSecret: (client) => client.destinations.rotateSecret("d-1"),
  listRoles: (client) => client.roles.list(),
  deleteMemberHours: (client) => client.members.deleteHours("m-1"),
  createDestinationGroup: (client) => client.destinationGroups.create({ name: "Desk", members: [] }),
};

/** A body that begins and then fails. */
function brokenBody(text: string): ReadableStream {
  const chunks = [new TextEncoder().encode(text)];
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.error(networkError("ECONNRESET"));
    },
  });
}

function respond({ status = 200, headers, json, text, lost }: Answer): Response {
  const body = json === undefined ? (text ?? null) : JSON.stringify(json);
  const isJson = json !== undefined || lost === "body";
  const named = { ...(isJson && { "content-type": "application/json" }), ...headers };
  // A Response labels text by itself.
  const response = new Response(lost === "body" ? brokenBody(text ?? "") : body, { status, headers: named });
  if (!("content-type" in named)) response.headers.delete("content-type");
  return response;
}

/** A client that gets the answers of a scenario, and on whose clock waits and deadlines end at once. */
function clientOf(create: Sdk["CallTransfer"], { answers, retry: { maxRetries, ...retry } = {} }: Scenario) {
  const waits: number[] = [];
  let sent = 0;
  let elapsed = 0;
  let deadline = (): void => {};
  const clock: Clock = {
    now: () => 1_772_452_800_000 + elapsed,
    monotonicNow: () => elapsed,
    async wait(delayMs) {
      waits.push(delayMs);
      elapsed += delayMs;
    },
    setTimeout(callback, delayMs) {
      const end = elapsed + delayMs;
      deadline = () => {
        elapsed = Math.max(elapsed, end);
        callback();
      };
      return undefined;
    },
    clearTimeout() {},
  };
  const client = new create({
    baseUrl: "https://api.example.com",
    apiKey: "svc_live_vectors",
    logLevel: "off",
    clock,
    random: () => 0,
    ...(maxRetries !== undefined && { maxRetries: Number(maxRetries) }),
    retry,
    async fetch() {
      const answer = answers[Math.min(sent, answers.length - 1)] as Answer;
      sent += 1;
      if (answer.lost === "before") throw networkError("ECONNREFUSED");
      if (answer.lost === "after") throw networkError("ECONNRESET");
      if (answer.lost !== "timeout") return respond(answer);
      queueMicrotask(deadline);
      return new Promise<never>(() => {});
    },
  });
  return { client, waits, sent: () => sent };
}

/** Sends the scenario's request. Returns what was seen, as the vectors write it, with the error. */
export async function playScenario(sdk: Sdk, scenario: Scenario) {
  const { client, waits, sent } = clientOf(sdk.CallTransfer, scenario);
  const run = invoke[scenario.operation];
  if (!run) throw new Error(`There is no ${scenario.operation} here.`);
  const error = await run(client).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error !== undefined && !(error instanceof sdk.RequestError)) throw error;
  const seen = {
    sent: sent(),
    result: error?.name ?? "success",
    ...(error && { outcome: error.outcome }),
    ...(error?.retrySkippedReason && { retrySkippedReason: error.retrySkippedReason }),
    waitsMs: waits,
  };
  return { seen, error };
}
