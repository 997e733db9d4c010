// A server with Express that places calls and lists them.
import { CallTransfer, RequestError } from "@call-transfer/sdk";
import express, { type ErrorRequestHandler } from "express";
import { errorResponse } from "./error-response.ts";

const { FLOW_ID, FROM_NUMBER, PORT = "3000" } = process.env;
if (!FLOW_ID || !FROM_NUMBER) throw new Error("Set FLOW_ID and FROM_NUMBER.");

// One client for the process, not one per request: its requests share a budget of retries. Its address and key come from
// the environment.
const client = new CallTransfer();
const app = express();

app.post("/calls", express.json(), async (request, response) => {
  const call = { flowId: FLOW_ID, fromNumber: FROM_NUMBER, toNumber: String(request.body?.toNumber) };
  // Without a signal: aborting does not hang up, it only loses the answer.
  const { data, requestId } = await client.calls.create(call, { totalTimeoutMs: 20_000 }).withResponse();
  console.log(`call ${data.type} (request ${requestId})`);
  response.status(201).json(data);
});

app.get("/calls", async (_request, response) => {
  const disconnected = new AbortController();
  response.on("close", () => disconnected.abort());
  response.json(await client.calls.list({ limit: 20 }, { signal: disconnected.signal }));
});

const onError: ErrorRequestHandler = async (error, _request, response, next) => {
  if (!(error instanceof RequestError)) return next(error);
  console.error(error.message);
  const answer = await errorResponse(error);
  response.status(answer.status).setHeaders(answer.headers);
  response.send(await answer.text());
};
app.use(onError);

app.listen(Number(PORT), "127.0.0.1", () => console.log(`listening at http://127.0.0.1:${PORT}`));
