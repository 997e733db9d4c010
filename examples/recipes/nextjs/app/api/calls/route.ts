// Route handlers that place calls and list them.
import { RequestError } from "@call-transfer/sdk";
import { errorResponse } from "../../../error-response";
import { callTo, callTransfer } from "../../call-transfer";

async function answer(handle: () => Promise<Response>): Promise<Response> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    console.error(error.message);
    return errorResponse(error);
  }
}

export const POST = (request: Request) =>
  answer(async () => {
    const { toNumber } = await request.json();
    // Without a signal: aborting does not hang up, it only loses the answer.
    const placing = callTransfer().calls.create(callTo(String(toNumber)), { totalTimeoutMs: 20_000 });
    const { data, requestId } = await placing.withResponse();
    console.log(`call ${data.type} (request ${requestId})`);
    return Response.json(data, { status: 201 });
  });

export const GET = (request: Request) =>
  answer(async () => Response.json(await callTransfer().calls.list({ limit: 20 }, { signal: request.signal })));
