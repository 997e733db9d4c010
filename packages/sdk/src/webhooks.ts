// Entry point for receiving webhooks. It does not import the client.
export type { TransferOffer } from "./generated/models.gen.ts";
export {
  type FastifyReply,
  type LambdaEvent,
  type LambdaResult,
  type NodeRequest,
  type NodeResponse,
  toLambdaHandler,
  toNodeHandler,
} from "./webhooks/adapters.ts";
export type { EventInbox } from "./webhooks/deduplicator.ts";
export type { WebhookErrorCode } from "./webhooks/errors.ts";
export type { EventClaim, EventStore } from "./webhooks/event-store.ts";
export { createWebhookHandler, type WebhookHandler, type WebhookReadiness } from "./webhooks/handler.ts";
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
