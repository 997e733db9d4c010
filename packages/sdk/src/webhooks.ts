// Entry point for receiving webhooks. It does not import the client.
export type { TransferOffer } from "./generated/models.gen.ts";
export type { EventClaim, EventStore } from "./webhooks/event-store.ts";
export {
  createWebhookHandler,
  memoryReplayStore,
  type NodeRequest,
  type NodeResponse,
  type ReplayStore,
  toNodeHandler,
  type WebhookHandler,
  type WebhookHandlerOptions,
} from "./webhooks/handler.ts";
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
