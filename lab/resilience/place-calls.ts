// The program that runs in every runtime. It places calls on connections that the server closes or resets.
import { CallTransfer, type ClientOptions } from "@call-transfer/sdk";
import { streamingFetch } from "./streaming-fetch.ts";

/** A placement whose response is lost. */
export interface Case {
  /** Identifies the placement, so that the server knows what to do. */
  readonly key: string;
  readonly body: "text" | "stream";
  /** Whether an earlier request leaves a connection open. */
  readonly warm: boolean;
}

/** The result of a placement for its caller. */
export interface Result {
  readonly key: string;
  /** `answered`, or the name of the error. */
  readonly result: string;
}

/** Places one call per case, one after another. */
export async function placeCalls(baseUrl: string, cases: readonly Case[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const { key, body, warm } of cases) {
    const options: ClientOptions = {
      baseUrl,
      apiKey: "svc_live_runtime-retries",
      timeoutMs: 5000,
      dangerouslyAllowBrowser: true,
    };
    const client = new CallTransfer(body === "stream" ? { ...options, fetch: streamingFetch } : options);
    if (warm) await client.roles.list();
    // Runtimes make a connection available again a moment after the response was read.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const call = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550200001" };
    const { error } = await client.calls.create(call, { headers: { "x-request-key": key } }).result();
    results.push({ key, result: error?.name ?? "answered" });
  }
  return results;
}
