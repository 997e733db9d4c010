// Calls the hooks of instrumentation. What they throw is logged and never reaches the request.
import { kind } from "../errors/base.ts";
import type { AttemptInstrumentation, RequestInstrumentation } from "../options/options.ts";
import type { AttemptResult, Call } from "./call.ts";

function callHook<T>({ settings }: Call, hook: () => T): T | undefined {
  // Without its message, which may quote the URL.
  const report = (error: unknown) =>
    settings.log.error?.(
      () => `instrumentation threw ${error instanceof Error ? error.name : typeof error}`,
      "instrumentation",
    );
  try {
    const returned = hook();
    // An async hook may reject, which must not end the process.
    (async () => returned)().catch(report);
    return returned;
  } catch (error) {
    report(error);
    return undefined;
  }
}

/** Runs what is followed, and reports its end once, also if it throws. */
async function untilEnd<T>(run: Promise<T>, end: (result: T | undefined, thrown?: unknown) => unknown): Promise<T> {
  try {
    const result = await run;
    end(result);
    return result;
  } catch (error) {
    end(undefined, error);
    throw error;
  }
}

export function followRequest<T extends { readonly error?: unknown }>(
  call: Call,
  run: (request: RequestInstrumentation | undefined) => Promise<T>,
): Promise<T> {
  const { operationId, method, route, context, settings } = call;
  const { instrumentation, baseUrl } = settings;
  const request = callHook(call, () => instrumentation?.startRequest({ operationId, method, route, baseUrl, context }));
  return untilEnd(run(request), (sent, thrown) => {
    const { outcome, retrySkippedReason } = call;
    const attempts = call.attempts.map((attempt) => ({ ...attempt }));
    const error = sent ? sent.error : thrown;
    callHook(call, () => request?.end({ outcome, attempts, retrySkippedReason, error }));
  });
}

export function followAttempt(
  call: Call,
  request: RequestInstrumentation,
  run: (attempt: AttemptInstrumentation | undefined) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const following = callHook(call, () => request.startAttempt(call.attempts.length + 1));
  return untilEnd(run(following), (result) => {
    // Without a result, the token function returned something that is not a token.
    const { outcome, attempt, failure }: Partial<AttemptResult> = result ?? {};
    const reported = failure && { name: failure.kind[kind], message: failure.message };
    const summary = { outcome: outcome ?? "not_sent", attempt: attempt && { ...attempt }, failure: reported };
    callHook(call, () => following?.end(summary));
  });
}

/** Calls `fetch` within the instrumentation of an attempt: once, whatever that does. It gets no response. */
export function exchangeWithin<T>(
  call: Call,
  attempt: AttemptInstrumentation,
  headers: Headers,
  fetchOnce: () => Promise<T>,
): Promise<T> {
  let sent: Promise<T> | undefined;
  let hasBegun = false;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = () => resolve();
  });
  const send = (added: Readonly<Record<string, string>> = {}): Promise<void> => {
    const extra = new Headers(added);
    // Getters of the headers, and the fetch itself, may call this function again.
    if (hasBegun) return ended;
    hasBegun = true;
    for (const [name, value] of extra) if (!headers.has(name)) headers.set(name, value);
    sent = fetchOnce();
    sent.then(end, end);
    return ended;
  };
  callHook(call, () => attempt.wrapSend(call.url, send));
  send();
  return sent as unknown as Promise<T>;
}
