// Sends requests to a server that is down now and then, and writes down their answers.
import { setTimeout as sleep } from "node:timers/promises";
import { type ControlClient, createControlClient } from "@call-transfer/backend/control-client";
import type { History } from "../history.ts";

/** Where a server is. */
export interface Target {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  /** What its control plane requires. */
  readonly token: string | undefined;
}

/** How long a request waits for the server to start again, in milliseconds. */
const patienceMs = 60_000;

/** A fetch that writes down request ids, and answers that no client should get. */
export function recordingFetch(history: History, sandbox: string): typeof globalThis.fetch {
  const ids = history.requestIds.get(sandbox) ?? [];
  history.requestIds.set(sandbox, ids);
  return async (input, init) => {
    history.requests += 1;
    const response = await fetch(input, init);
    const id = response.headers.get("x-request-id");
    if (id !== null) ids.push(id);
    if (response.status >= 500)
      history.unexpected.push(`${response.url} was answered ${response.status}: ${await response.clone().text()}`);
    return response;
  };
}

/** Creates a client of the control plane of a sandbox. It waits until the server runs. */
export function controlOf({ url, token }: Target, sandbox: string, history: History): ControlClient {
  const send = recordingFetch(history, sandbox);
  const patient = async (request: Request): Promise<Response> => {
    for (const startedMs = Date.now(); ; await sleep(20)) {
      try {
        return await send(request.clone());
      } catch (error) {
        if (!isRefusal(error) || Date.now() - startedMs > patienceMs) throw error;
      }
    }
  };
  return createControlClient({ url, sandbox, token, fetch: patient });
}

/** Whether a request never left, because nothing listens on the port. */
export function isRefusal(error: unknown): boolean {
  return error instanceof TypeError && Object(error.cause).code === "ECONNREFUSED";
}
