declare module "@call-transfer/spec" {
  export { Account };
  export { AccountList };
  export { Call };
  export { CallInitiated };
  export { CallList };
  export { CallQueued };
  export { CreateCallRequest };
  export { CreateDestinationGroupRequest };
  export { DestinationGroup };
  export { DestinationGroupMember };
  export { ErrorCode };
  export { ErrorCodeDescription };
  export { ErrorResponse };
  export { ErrorResponseMeta };
  export { FieldError };
  export { FieldErrorCode };
  export { ListMeta };
  export { MemberAvailability };
  export { OperationDescription };
  export { OperationId };
  export { Role };
  export { RoleDefinition };
  export { RoleList };
  export { TransferDestination };
  export { TransferDestinationConfig };
  export { TransferOffer };
  export { components };
  export { errorCodes };
  export { fieldErrorCodes };
  export { fieldErrorCodesByPattern };
  export { limits };
  export { operations };
  export { paths };
  export { webhookSignature };
  export { webhooks };
}

declare module "@call-transfer/spec/schemas" {
  export { requestSchemas };
  export { zAccount };
  export { zAccountId };
  export { zAccountList };
  export { zCall };
  export { zCallInitiated };
  export { zCallList };
  export { zCallQueued };
  export { zCreateCallBody };
  export { zCreateCallHeaders };
  export { zCreateCallRequest };
  export { zCreateCallResponse };
  export { zCreateDestinationGroupBody };
  export { zCreateDestinationGroupHeaders };
  export { zCreateDestinationGroupRequest };
  export { zCreateDestinationGroupResponse };
  export { zDeleteMemberHoursHeaders };
  export { zDeleteMemberHoursPath };
  export { zDeleteMemberHoursResponse };
  export { zDestinationGroup };
  export { zDestinationGroupMember };
  export { zErrorCode };
  export { zErrorResponse };
  export { zErrorResponseMeta };
  export { zFieldError };
  export { zFieldErrorCode };
  export { zGetMemberAvailabilityHeaders };
  export { zGetMemberAvailabilityPath };
  export { zGetMemberAvailabilityResponse };
  export { zListAccountsResponse };
  export { zListCallsHeaders };
  export { zListCallsQuery };
  export { zListCallsResponse };
  export { zListMeta };
  export { zListRolesHeaders };
  export { zListRolesResponse };
  export { zMemberAvailability };
  export { zRole };
  export { zRoleDefinition };
  export { zRoleList };
  export { zRotateDestinationSecretHeaders };
  export { zRotateDestinationSecretPath };
  export { zRotateDestinationSecretResponse };
  export { zTransferDestination };
  export { zTransferDestinationConfig };
  export { zTransferOffer };
  export { zTransferOfferWebhookRequest };
}

declare module "@call-transfer/spec/validate" {
  export { ValidationOptions };
  export { validateResponses };
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
    readonly effectFree: boolean;
    readonly onDemand: boolean;
}

type ErrorResponse = unknown;

type ErrorResponseMeta = unknown;

type FieldError = unknown;

type FieldErrorCode = unknown;

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
    readonly roles: readonly string[];
    readonly scope: string;
    readonly accountScoped: boolean;
    readonly retry: "safe" | "unique" | "once";
    readonly pathParameters: readonly string[];
    readonly queryParameters: Readonly<Record<string, string>>;
    readonly hasBody: boolean;
    readonly statuses: readonly number[];
    readonly errorCodes: readonly string[];
    readonly successes: readonly {
        readonly status: number;
        readonly example: unknown;
    }[];
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

type webhooks = unknown;

type zAccount = unknown;

type zAccountId = unknown;

type zAccountList = unknown;

type zCall = unknown;

type zCallInitiated = unknown;

type zCallList = unknown;

type zCallQueued = unknown;

type zCreateCallBody = unknown;

type zCreateCallHeaders = unknown;

type zCreateCallRequest = unknown;

type zCreateCallResponse = unknown;

type zCreateDestinationGroupBody = unknown;

type zCreateDestinationGroupHeaders = unknown;

type zCreateDestinationGroupRequest = unknown;

type zCreateDestinationGroupResponse = unknown;

type zDeleteMemberHoursHeaders = unknown;

type zDeleteMemberHoursPath = unknown;

type zDeleteMemberHoursResponse = unknown;

type zDestinationGroup = unknown;

type zDestinationGroupMember = unknown;

type zErrorCode = unknown;

type zErrorResponse = unknown;

type zErrorResponseMeta = unknown;

type zFieldError = unknown;

type zFieldErrorCode = unknown;

type zGetMemberAvailabilityHeaders = unknown;

type zGetMemberAvailabilityPath = unknown;

type zGetMemberAvailabilityResponse = unknown;

type zListAccountsResponse = unknown;

type zListCallsHeaders = unknown;

type zListCallsQuery = unknown;

type zListCallsResponse = unknown;

type zListMeta = unknown;

type zListRolesHeaders = unknown;

type zListRolesResponse = unknown;

type zMemberAvailability = unknown;

type zRole = unknown;

type zRoleDefinition = unknown;

type zRoleList = unknown;

type zRotateDestinationSecretHeaders = unknown;

type zRotateDestinationSecretPath = unknown;

type zRotateDestinationSecretResponse = unknown;

type zTransferDestination = unknown;

type zTransferDestinationConfig = unknown;

type zTransferOffer = unknown;

type zTransferOfferWebhookRequest = unknown;
