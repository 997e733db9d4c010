// A Cloudflare Worker that places calls and lists them.
//   npm install @call-transfer/sdk
//   npx wrangler secret put CALL_TRANSFER_API_KEY     (wrangler.jsonc has the other variables)
//   npx wrangler deploy
import { CallTransfer, RequestError } from "@call-transfer/sdk";
import { errorResponse } from "./error-response.ts";

interface Env {
  readonly CALL_TRANSFER_BASE_URL: string;
  readonly CALL_TRANSFER_API_KEY: string;
  readonly FLOW_ID: string;
  readonly FROM_NUMBER: string;
}

// One client for the isolate, not one per request: its requests share a budget of retries.
let client: CallTransfer | undefined;

async function handle(request: Request, env: Env): Promise<Response> {
  client ??= new CallTransfer({ baseUrl: env.CALL_TRANSFER_BASE_URL, apiKey: env.CALL_TRANSFER_API_KEY });
  if (new URL(request.url).pathname !== "/calls") return new Response(null, { status: 404 });
  if (request.method !== "POST") return Response.json(await client.calls.list({ limit: 20 }));
  const { toNumber } = (await request.json()) as { toNumber?: unknown };
  const call = { flowId: env.FLOW_ID, fromNumber: env.FROM_NUMBER, toNumber: String(toNumber) };
  const { data, requestId } = await client.calls.create(call, { totalTimeoutMs: 20_000 }).withResponse();
  console.log(`call ${data.type} (request ${requestId})`);
  return Response.json(data, { status: 201 });
}

async function respond(request: Request, env: Env): Promise<Response> {
  try {
    return await handle(request, env);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    console.error(error.message);
    return errorResponse(error);
  }
}

export default {
  fetch(request: Request, env: Env, context: { waitUntil(work: Promise<unknown>): void }): Promise<Response> {
    const response = respond(request, env);
    // Workers cancels the work for a client that disconnects. That would not hang up, it would only lose the answer.
    if (request.method === "POST") context.waitUntil(response);
    return response;
  },
};
