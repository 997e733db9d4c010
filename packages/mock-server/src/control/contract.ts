/** What the page needs of the API's contract: its operations by id, and how webhooks are signed. */
export { type OperationId, operations, webhookSignature } from "@call-transfer/spec";
