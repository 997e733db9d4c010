// A customer's program, read by hover.test.ts. Below a line, `^?` asks what an editor shows at that place, and `^fields` asks
// for every field of a type. The line below `// error` does not compile. The answers are in answers.txt.
import {
  AuthenticationError,
  BadRequestError,
  type Call,
  type CallInitiated,
  type CallList,
  type CallQueued,
  CallTransfer,
  CallTransferCore,
  type ClientOptions,
  ConflictError,
  ConnectionError,
  type CreateCallRequest,
  type CreateDestinationGroupRequest,
  createCall,
  type DestinationGroup,
  type DestinationGroupMember,
  isApiError,
  type ListCallsQuery,
  listCalls,
  type MemberAvailability,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitError,
  type RequestOptions,
  type RoleDefinition,
  ServerError,
  type TransferDestination,
} from "@call-transfer/sdk";
import { createWebhookHandler, isTransferOffer, type TransferOffer } from "@call-transfer/sdk/webhooks";

// ## Creating a client

const client = new CallTransfer({ baseUrl: "https://api.example.com", apiKey: "svc_live_example" });
//                 ^?
//                                ^?
//                                                                    ^?
const other = client.withOptions({ accountId: "3d4e5f6a-7b8c-4d9e-8f0a-1b2c3d4e5f6a" });
//                   ^?
// error
new CallTransfer({ baseUrl: "https://api.example.com", apikey: "svc_live_example" });
// error
new CallTransfer({ baseUrl: "https://api.example.com", apiKey: "svc_live_example", timeout: 30_000 });
// error
new CallTransfer({ baseUrl: "https://api.example.com", apiKey: "svc_live_example", accessToken: "eyJhbGciOi.e30.c2ln" });
// error
new CallTransfer({ baseUrl: "https://api.example.com", apiKey: "svc_live_example", retry: { unsafe: "sometimes" } });

export type Options = ClientOptions;
//                    ^fields

// ## Placing a call

const flowId = "5e6f7a8b-9c0d-4e1f-8a2b-3c4d5e6f7a8b";
const numbers = { fromNumber: "+15550100001", toNumber: "+15550100002" };

const placed = await client.calls.create({ flowId, ...numbers });
//    ^?
//                          ^?
//                                ^?
//                                         ^?
if (placed.type === "queued") console.log(placed.position);
//                                               ^?
else console.log(placed.callId);
//                      ^?
await client.calls.create({ flowId, ...numbers, providerId: undefined });
await createCall(client, { flowId, ...numbers });
//    ^?
// error
console.log(placed.position);
// error
const { callId } = await client.calls.create({ flowId, ...numbers });
// error
await client.calls.create({ flowId, ...numbers, providerID: "8b7a6f5e-4d3c-4b2a-9f1e-0d9c8b7a6f5e" });
// error
await createCall(client, { flowId, ...numbers, providerID: "8b7a6f5e-4d3c-4b2a-9f1e-0d9c8b7a6f5e" });
// error
await client.calls.create({ flowId, fromNumber: "+15550100001" });
// error
await client.calls.create({ ...numbers, flowId: 5 });
// error
await client.calls.create({ flowId, ...numbers }, { timeoutSecs: 30 });
console.log(callId);

export type CallBody = CreateCallRequest;
//                     ^fields
export type Initiated = CallInitiated;
//                      ^fields
export type Queued = CallQueued;
//                   ^fields
export type PerRequest = RequestOptions;
//                       ^fields

// ## Listing calls

const list = client.calls.list({ limit: 50, startDate: "2026-03-02T12:00:00Z" });
//    ^?
//                        ^?
//                               ^?
//                                          ^?
for await (const call of list) console.log(call.id, call.duration);
//               ^?
//                                              ^?
//                                                       ^?
const page = await list;
//    ^?
console.log(page.meta.total, await list.toArray({ maxItems: 1000 }), list.pages());
//               ^?
//                                      ^?
//                                                                        ^?
const core = new CallTransferCore({ baseUrl: "https://api.example.com" });
//               ^?
const [first] = await listCalls(core, { offset: undefined }).toArray({ maxItems: 1 });
//     ^?
//                    ^?
if (first && "recordingUrl" in first) console.log(first.recordingUrl);
//                                                      ^?
// error
console.log(page.calls[0]?.durration);
// error
client.calls.list({ startdate: "2026-03-02T12:00:00Z" });
// error
client.calls.list({ limit: "50" });
// error
listCalls(client, { page: 2 });
// error
await list.toArray();

export type Query = ListCallsQuery;
//                  ^fields
export type Page = CallList;
//                 ^fields
export type Item = Call;
//                 ^fields

// ## Creating a group

const members = [{ destinationId: "4b3f0a52-7d6c-4c0e-9a51-0f4f6f3b2c10", ringTimeoutSecs: 20 }] as const;
const group = await client.destinationGroups.create({ name: "Front desk", members, strategy: null });
//    ^?
//                         ^?
//                                           ^?
//                                                                        ^?
console.log(group.strategy, group.totalTimeoutSecs);
//                ^?
//                                ^?
// error
await client.destinationGroups.create({ name: "Front desk", members, totalTimeoutSec: 30 });
// error
await client.destinationGroups.create({ name: "Front desk", members: [{ destinationID: "4b3f0a52-7d6c" }] });
// error
await client.destinationGroups.create({ name: "Front desk", members, strategy: "sequential" });
// error
console.log(group.timeoutSecs);

export type GroupBody = CreateDestinationGroupRequest;
//                      ^fields
export type Group = DestinationGroup;
//                  ^fields
export type Member = DestinationGroupMember;
//                   ^fields

// ## Destinations, members, roles and accounts

const destination = await client.destinations.rotateSecret("4b3f0a52-7d6c-4c0e-9a51-0f4f6f3b2c10");
//    ^?
//                                            ^?
console.log(destination.signingSecret, destination.config.url);
//                      ^?
//                                                        ^?
const availability = await client.members.getAvailability("2a9b6c1e-3f4d-4e5a-8b6c-7d8e9f0a1b2c");
//    ^?
//                                        ^?
if (availability.status === "away") console.log(availability.until);
//               ^?
//                                                           ^?
await client.members.deleteHours("2a9b6c1e-3f4d-4e5a-8b6c-7d8e9f0a1b2c");
//                   ^?
const { roles } = await client.roles.list();
//                                   ^?
console.log(roles[0]?.permissions);
//                    ^?
const { accounts } = await client.accounts.list();
//                                         ^?
// error
await client.destinations.rotateSecret(12);
// error
await client.members.getAvailability(12);
// error
await client.members.deleteHours(12);
// error
await client.members.deleteHours();
// error
console.log(destination.secret);
// error
console.log(availability.isBusy);
// error
console.log(roles[0]?.permission);
// error
console.log(accounts[0]?.nam);
// error
await client.roles.list({ limit: 10 });

export type Destination = TransferDestination;
//                        ^fields
export type Availability = MemberAvailability;
//                         ^fields
export type RoleWithPermissions = RoleDefinition;
//                                ^fields

// ## With the response, or without an exception

const { data, requestId } = await client.roles.list().withResponse();
//      ^?
//            ^?
//                                                    ^?
const result = await client.roles.list().result();
//                                       ^?
if (result.ok) console.log(result.data);
//                                ^?
else console.log(result.error);
//                      ^?
// error
console.log(result.data.roles, data, requestId);

// ## Errors

export async function handle(error: unknown): Promise<unknown> {
  if (isApiError(error, "validation_failed")) return error.errors;
  //  ^?
  //                                                 ^?
  //                                                       ^?
  if (error instanceof RateLimitError) return [error.status, error.code, error.meta, error.retryAfterSecs];
  //                   ^?
  //                                           ^?
  //                                                 ^?
  //                                                               ^?
  //                                                                           ^?
  //                                                                                       ^?
  if (error instanceof ServerError) return [error.status, error.code, error.bodyText];
  //                                              ^?
  //                                                            ^?
  //                                                                        ^?
  if (error instanceof NotFoundError) return error.code;
  //                                               ^?
  if (error instanceof AuthenticationError) return error.status;
  //                                                     ^?
  if (error instanceof BadRequestError) {
    switch (error.code) {
      case "flow_structure_invalid":
        return error.errors;
      //             ^?
      case undefined:
        return error.problem;
      //             ^?
      default:
        return error.errors;
      //             ^?
    }
  }
  // error
  if (error instanceof ConflictError && error.code === "queue_full") return error;
  // error
  if (isApiError(error, "no_such_code")) return error;
  if (isApiError(error)) {
    switch (error.code) {
      case "insufficient_permissions":
        return error.status;
      //             ^?
      // error
      case "no_such_code":
        return error;
    }
  }
  if (error instanceof OutcomeUnknownError) {
    const { candidates, complete, explanation } = await error.reconcile();
    //      ^?
    //                  ^?
    //                            ^?
    //                                                        ^?
    return [candidates[0]?.id, complete, explanation, error.window.from];
    //                     ^?
    //                                                      ^?
  }
  if (error instanceof ConnectionError) return [error.outcome, error.attempts, error.operationId, error.retrySkippedReason];
  //                   ^?
  //                                                  ^?
  //                                                                 ^?
  //                                                                                 ^?
  //                                                                                                    ^?
  return undefined;
}

export const limited = new RateLimitError({
  //                       ^?
  status: 429,
  //^?
  problem: { code: "queue_full" },
  //^?
  operationId: "createCall",
  outcome: "rejected",
  attempts: [],
});

// ## Webhooks

export const receiver = createWebhookHandler({
  //                    ^?
  secret: ["the new secret", "the previous secret"],
  //^?
  onEvent(event) {
    //    ^?
    if (isTransferOffer(event)) console.log(event.destinationId);
    //  ^?
    //                                            ^?
    // error
    if (isTransferOffer(event)) console.log(event.destination);
  },
});

export type Offer = TransferOffer;
//                  ^fields
console.log(other);
