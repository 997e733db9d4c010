// A server with Hono that places calls and lists them.
import { CallTransfer, RequestError } from "@call-transfer/sdk";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { errorResponse } from "./error-response.ts";

const { FLOW_ID, FROM_NUMBER, PORT = "3000" } = process.env;
if (!FLOW_ID || !FROM_NUMBER) throw new Error("Set FLOW_ID and FROM_NUMBER.");

// One client for the process, not one per request: its requests share a budget of retries. Its address and key come from
// the environment.
const client = new CallTransfer();
const app = new Hono();

app.post("/calls", async (context) => {
  const { toNumber } = await context.req.json();
  const call = { flowId: FLOW_ID, fromNumber: FROM_NUMBER, toNumber: String(toNumber) };
  // Without a signal: aborting does not hang up, it only loses the answer.
  const { data, requestId } = await client.calls.create(call, { totalTimeoutMs: 20_000 }).withResponse();
  console.log(`call ${data.type} (request ${requestId})`);
  return context.json(data, 201);
});

app.get("/calls", async (context) =>
  context.json(await client.calls.list({ limit: 20 }, { signal: context.req.raw.signal })),
);

app.onError((error, context) => {
  console.error(error.message);
  if (error instanceof RequestError) return errorResponse(error);
  return error instanceof HTTPException ? error.getResponse() : context.text("Internal Server Error", 500);
});

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(PORT) }, () =>
  console.log(`listening at http://127.0.0.1:${PORT}`),
);
