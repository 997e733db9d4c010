export { type ErrorCode, errorCodes, type FieldErrorCode, fieldErrorCodes } from "./error-codes.gen.ts";
export { fieldErrorCodesByPattern, limits, webhookSignature } from "./limits.gen.ts";
export type * from "./models.gen.ts";
export type { ErrorCodeDescription, OperationDescription } from "./operation.ts";
export { type OperationId, operations } from "./operations.gen.ts";
export type { components, paths } from "./types.gen.ts";
