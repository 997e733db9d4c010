// The program that every runtime runs: places calls with the SDK on connections that the server takes away.
import { CallTransfer, type ClientOptions } from "@call-transfer/sdk";
import { streamingFetch } from "./streaming-fetch.ts";

/** A way of losing a placement's answer. */
export interface Case {
  /** Tells the server which placement it is looking at, and what to do with it. */
  readonly key: string;
  readonly body: "text" | "stream";
  /** Whether a connection is left open by an earlier request. */
  readonly warm: boolean;
}

/** What the caller is told of one placement. */
export interface Seen {
  readonly key: string;
  /** `answered`, or the name of the error. */
  readonly ending: string;
}

/** Places one call a case, one after another. */
export async function placeCalls(baseUrl: string, cases: readonly Case[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const { key, body, warm } of cases) {
    const options: ClientOptions = {
      baseUrl,
      apiKey: "svc_live_runtime-retries",
      timeoutMs: 5000,
      allowApiKeyInBrowser: true,
    };
    const client = new CallTransfer(body === "stream" ? { ...options, fetch: streamingFetch } : options);
    if (warm) await client.roles.list();
    // Runtimes take a connection back a moment after its answer was read.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const call = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550200001" };
    const { error } = await client.calls.create(call, { headers: { "x-request-key": key } }).result();
    seen.push({ key, ending: error?.name ?? "answered" });
  }
  return seen;
}
