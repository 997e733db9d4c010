// Entry point for receiving webhooks. It does not import the client.
export type { TransferOffer } from "./generated/models.gen.ts";
export type { EventInbox } from "./webhooks/deduplicator.ts";
export type { WebhookErrorCode } from "./webhooks/errors.ts";
export type { EventClaim, EventStore } from "./webhooks/event-store.ts";
export { createWebhookHandler, type WebhookHandler, type WebhookReadiness } from "./webhooks/handler.ts";
export { type LambdaEvent, type LambdaResult, toLambdaHandler } from "./webhooks/lambda.ts";
export { type FastifyReply, type NodeRequest, type NodeResponse, toNodeHandler } from "./webhooks/node.ts";
export type { SecretSource, WebhookHandlerOptions, WebhookSecrets } from "./webhooks/options.ts";
export {
  isTransferOffer,
  type RawBody,
  type SignOptions,
  signWebhook,
  type UnknownWebhookEvent,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookInput,
  WebhookVerificationError,
} from "./webhooks/signature.ts";
