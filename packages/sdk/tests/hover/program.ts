// A customer's program: below a line, `^?` asks what an editor shows at that place. answers.txt holds the answers: names that a
// person reads, in place of the types behind them, which types.test.ts checks.
import {
  CallTransfer,
  ConnectionError,
  isApiError,
  listCalls,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitError,
  ServerError,
} from "@call-transfer/sdk";
import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";

const client = new CallTransfer({ baseUrl: "https://api.example.com", apiKey: "svc_live_example" });
//                 ^?
const placed = await client.calls.create({ flowId: "f", fromNumber: "+15550100001", toNumber: "+15550100002" });
//    ^?
//                                ^?
const list = client.calls.list({ limit: 50 });
//    ^?
for await (const call of list) console.log(call.duration, placed);
//               ^?
const [first] = await listCalls(client, { offset: undefined }).toArray({ maxItems: 1 });
//     ^?
//                    ^?
const group = await client.destinationGroups.create({ name: "Front desk", members: [], strategy: null });
//    ^?
//                                           ^?
const { data } = await client.roles.list().withResponse();
//      ^?
const result = await client.roles.list().result();
//    ^?
console.log(first, group, data, result);

export async function handle(error: unknown): Promise<unknown> {
  if (isApiError(error, "validation_failed")) return error.errors;
  //  ^?
  //                                                 ^?
  //                                                       ^?
  if (error instanceof RateLimitError) return [error.status, error.code, error.meta];
  //                                           ^?
  //                                                 ^?
  //                                                               ^?
  //                                                                           ^?
  if (error instanceof ServerError) return error.status;
  //                                             ^?
  if (error instanceof NotFoundError) return error.code;
  //                                               ^?
  if (error instanceof OutcomeUnknownError) return (await error.reconcile()).candidates;
  //                                                      ^?
  //                                                                         ^?
  if (error instanceof ConnectionError) return error.outcome;
  //                                           ^?
  return undefined;
}

export const receiver = createWebhookHandler({
  //                    ^?
  secret: ["the new secret", "the previous secret"],
  onEvent(event) {
    //    ^?
    if (isTransferOffer(event)) console.log(event.destinationId);
    //  ^?
    //                                      ^?
  },
});
