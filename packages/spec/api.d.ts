declare module "@call-transfer/spec" {
  export {
    Account, AccountList, Call, CallInitiated, CallList, CallQueued, CreateCallRequest, CreateDestinationGroupRequest,
    DestinationGroup, DestinationGroupMember, ErrorCode, ErrorCodeDescription, ErrorResponse, ErrorResponseMeta,
    FieldError, FieldErrorCode, ListCallsQuery, ListMeta, MemberAvailability, OperationDescription, OperationId, Role,
    RoleDefinition, RoleList, TransferDestination, TransferDestinationConfig, TransferOffer, components, errorCodes,
    fieldErrorCodes, fieldErrorCodesByPattern, limits, operations, paths, webhookSignature
  };
}

declare module "@call-transfer/spec/schemas" {
  export {
    requestSchemas, zAccount, zAccountId, zAccountList, zCall, zCallInitiated, zCallList, zCallQueued,
    zCreateCallRequest, zCreateDestinationGroupRequest, zDestinationGroup, zDestinationGroupMember, zErrorCode,
    zErrorResponse, zErrorResponseMeta, zFieldError, zFieldErrorCode, zListMeta, zMemberAvailability, zRole,
    zRoleDefinition, zRoleList, zTransferDestination, zTransferDestinationConfig, zTransferOffer
  };
}

declare module "@call-transfer/spec/validate" {
  export { ValidationOptions, validateResponses };
}

type Account = unknown;
type AccountList = unknown;
type Call = unknown;
type CallInitiated = unknown;
type CallList = unknown;
type CallQueued = unknown;
type CreateCallRequest = unknown;
type CreateDestinationGroupRequest = unknown;
type DestinationGroup = unknown;
type DestinationGroupMember = unknown;
type ErrorCode = unknown;

declare interface ErrorCodeDescription {
  readonly status: number | null;
  readonly mockStatus: number;
  readonly title: string;
  readonly meaning: string;
  readonly fromSpecification: boolean;
  readonly hasFieldErrors: boolean;
  readonly generic: boolean;
  readonly noEffect: boolean;
  readonly faultOnly: boolean;
}

type ErrorResponse = unknown;
type ErrorResponseMeta = unknown;
type FieldError = unknown;
type FieldErrorCode = unknown;
type ListCallsQuery = unknown;
type ListMeta = unknown;
type MemberAvailability = unknown;

declare interface OperationDescription {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly resource: string;
  readonly sdkMethod: string;
  readonly summary: string;
  readonly section?: string;
  readonly roles: readonly string[];
  readonly scope: string;
  readonly accountScoped: boolean;
  readonly idempotency: "idempotent" | "conflict_safe" | "non_idempotent";
  readonly pathParameters: readonly string[];
  readonly queryParameters: Readonly<Record<string, string>>;
  readonly hasBody: boolean;
  readonly statuses: readonly number[];
  readonly errorCodes: readonly string[];
  readonly successes: readonly { readonly status: number; readonly example: unknown }[];
}

type OperationId = unknown;
type Role = unknown;
type RoleDefinition = unknown;
type RoleList = unknown;
type TransferDestination = unknown;
type TransferDestinationConfig = unknown;
type TransferOffer = unknown;

declare interface ValidationOptions {
  onInvalid?: "throw" | "warn";
  warn?: (message: string) => void;
}

type components = unknown;
type errorCodes = unknown;
type fieldErrorCodes = unknown;
type fieldErrorCodesByPattern = unknown;
type limits = unknown;
type operations = unknown;
type paths = unknown;
type requestSchemas = unknown;
declare function validateResponses(options?: ValidationOptions): (operationId: string, body: unknown) => void;
type webhookSignature = unknown;
type zAccount = unknown;
type zAccountId = unknown;
type zAccountList = unknown;
type zCall = unknown;
type zCallInitiated = unknown;
type zCallList = unknown;
type zCallQueued = unknown;
type zCreateCallRequest = unknown;
type zCreateDestinationGroupRequest = unknown;
type zDestinationGroup = unknown;
type zDestinationGroupMember = unknown;
type zErrorCode = unknown;
type zErrorResponse = unknown;
type zErrorResponseMeta = unknown;
type zFieldError = unknown;
type zFieldErrorCode = unknown;
type zListMeta = unknown;
type zMemberAvailability = unknown;
type zRole = unknown;
type zRoleDefinition = unknown;
type zRoleList = unknown;
type zTransferDestination = unknown;
type zTransferDestinationConfig = unknown;
type zTransferOffer = unknown;
