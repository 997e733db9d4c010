// A server with Fastify that places calls and lists them.
import { CallTransfer, RequestError } from "@call-transfer/sdk";
import Fastify from "fastify";
import { errorResponse } from "./error-response.ts";

const { FLOW_ID, FROM_NUMBER, PORT = "3000" } = process.env;
if (!FLOW_ID || !FROM_NUMBER) throw new Error("Set FLOW_ID and FROM_NUMBER.");

const app = Fastify({ logger: true });
// One client for the process, not one per request: its requests share a budget of retries. Its address and key come from
// the environment.
const client = new CallTransfer({ logger: app.log });

const body = { type: "object", required: ["toNumber"], properties: { toNumber: { type: "string" } } };
app.post<{ Body: { toNumber: string } }>("/calls", { schema: { body } }, async (request, reply) => {
  const call = { flowId: FLOW_ID, fromNumber: FROM_NUMBER, toNumber: request.body.toNumber };
  // Without a signal: aborting does not hang up, it only loses the answer.
  const { data, requestId } = await client.calls.create(call, { totalTimeoutMs: 20_000 }).withResponse();
  request.log.info(`call ${data.type} (request ${requestId})`);
  return reply.code(201).send(data);
});

app.get("/calls", (request) => client.calls.list({ limit: 20 }, { signal: request.signal }));

app.setErrorHandler(async (error, request, reply) => {
  request.log.error(error);
  // Fastify answers the rest itself, such as a body that does not fit the schema.
  if (!(error instanceof RequestError)) return reply.send(error);
  return reply.send(await errorResponse(error));
});

await app.listen({ host: "127.0.0.1", port: Number(PORT) });
