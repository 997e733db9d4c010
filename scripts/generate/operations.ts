// Generates the tables of the spec package: operations, error codes, limits, signature; and the SDK's error classes.
import type { ErrorClass, OpenApiDocument } from "./read/document.ts";
import type { OperationModel } from "./read/model.ts";
import { compactJson, header, literal, tableLiteral } from "./text/text.ts";

const coercions = (operation: OperationModel) =>
  Object.fromEntries(operation.queryParameters.map((parameter) => [parameter.name, parameter.schema.type]));

/** The section of the specification, which the description names first. */
function sectionOf({ description }: OperationModel): { section?: string } {
  const [section] = /§\d+(\.\d+)*/.exec(description) ?? [];
  return section === undefined ? {} : { section };
}

export function renderOperations(operations: OperationModel[]): string {
  const rows = operations.map((operation) => [
    operation.id,
    {
      id: operation.id,
      method: operation.method,
      path: operation.path,
      tag: operation.noun,
      resource: operation.resource,
      sdkMethod: operation.sdkMethod,
      summary: operation.summary,
      ...sectionOf(operation),
      roles: operation.roles,
      scope: operation.scope,
      accountScoped: operation.accountScoped,
      idempotency: operation.idempotency,
      pathParameters: operation.pathParameters.map((parameter) => parameter.name),
      queryParameters: coercions(operation),
      hasBody: operation.requestSchema !== undefined,
      statuses: operation.statuses,
      errorCodes: operation.errorCodes,
      successes: operation.successes.map(({ status, example }) => ({ status, example: example ?? null })),
    },
  ]);
  return `${header}import type { OperationDescription } from "./operation.ts";

/** Every operation of the API by operationId. */
export const operations = ${literal(Object.fromEntries(rows))} as const satisfies Record<string, OperationDescription>;

/** An operationId. */
export type OperationId = keyof typeof operations;
`;
}

export function renderErrorCodes(document: OpenApiDocument): string {
  const rows = Object.entries(document["x-error-table"]).map(([code, row]) => [
    code,
    {
      status: row.status ?? null,
      mockStatus: row.status ?? row.mock,
      title: row.group,
      meaning: row.meaning,
      fromSpecification: row.stated ?? false,
      hasFieldErrors: row.errors ?? false,
      generic: row.general ?? false,
      noEffect: row.effect === "none",
      faultOnly: row.faultOnly ?? false,
    },
  ]);
  const fieldCodes = document.components.schemas.FieldErrorCode?.enum;
  return `${header}import type { ErrorCode } from "./error-code-status.gen.ts";
import type { ErrorCodeDescription } from "./operation.ts";

export type { ErrorCode } from "./error-code-status.gen.ts";

/** Every error code (§7.2). */
export const errorCodes = ${tableLiteral(Object.fromEntries(rows))} as const satisfies Record<ErrorCode, ErrorCodeDescription>;

/** Every field-level error code (§7.3). */
export const fieldErrorCodes = ${literal(fieldCodes)} as const;

/** A value of a field error's \`code\`. */
export type FieldErrorCode = (typeof fieldErrorCodes)[number];
`;
}

/** The error codes as types, which the SDK uses too. */
export function renderErrorCodeStatus(document: OpenApiDocument): string {
  const table = Object.entries(document["x-error-table"]);
  const rows = table.map(([code, row]) => `  /** ${row.meaning} */ ${code}: ${row.status ?? "number"};`);
  return `${header}/** HTTP status of every error code (§7.2); any number where the specification defines none. */
export interface ErrorCodeStatus {
${rows.join("\n")}
}

/** Machine-readable error code (§7.2). */
export type ErrorCode = { [Code in keyof ErrorCodeStatus]: Code }[keyof ErrorCodeStatus];
`;
}

/** The same in the SDK, with what only its errors need: in a declaration of their own, they are parts of its main entry. */
export function renderSdkErrorCodes(document: OpenApiDocument): string {
  const table = Object.entries(document["x-error-table"]);
  const withErrors = table.filter(([, row]) => row.errors).map(([code]) => JSON.stringify(code));
  const serverErrors = new Set(table.flatMap(([, { status = 0 }]) => (status >= 500 ? [status] : [])));
  return `${header}export type * from "../../../spec/src/error-code-status.gen.ts";

/** Error codes whose errors list the failing fields. */
export type ErrorCodeWithFieldErrors = ${withErrors.join(" | ")};

/** Statuses from 500 that error codes have. */
export type ServerErrorStatus = ${[...serverErrors].sort().join(" | ")};
`;
}

/** Patterns with a field error code of their own (x-pattern-error-code). */
function fieldErrorCodesByPattern(node: unknown, found: Record<string, string> = {}): Record<string, string> {
  if (typeof node !== "object" || node === null) return found;
  const { pattern, "x-pattern-error-code": code } = node as { pattern?: unknown; "x-pattern-error-code"?: unknown };
  if (typeof pattern === "string" && typeof code === "string") found[pattern] = code;
  for (const child of Object.values(node)) fieldErrorCodesByPattern(child, found);
  return found;
}

export const signatureOf = (document: OpenApiDocument) => Object.values(document.webhooks)[0]?.post["x-signature"];

export function renderLimits(document: OpenApiDocument): string {
  return `${header}/** Limits of §8 that no schema keyword expresses. */
export const limits = ${literal(document["x-limits"])} as const;

/** Signature scheme of webhooks (§6). */
export const webhookSignature = ${literal(signatureOf(document))} as const;

/** Field error codes by the pattern whose violation they report. */
export const fieldErrorCodesByPattern: Readonly<Record<string, string>> = ${compactJson(fieldErrorCodesByPattern(document.components.schemas))};
`;
}

function renderClass(status: number, { name, union, when }: ErrorClass): string {
  const isServer = status === 500;
  const guarded = union ? `Any${name}` : name;
  const lines = [
    `/** ${isServer ? "5xx" : status}: ${when} */`,
    `export class ${name} extends ApiError {`,
    "  /** @internal */",
    `  static override readonly [kind]: string = "${name}";`,
    `  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is ${guarded};`,
    `  declare readonly code: WithStatus<${isServer ? "ServerErrorStatus" : status}>["code"];`,
    ...(isServer ? [] : [`  declare readonly status: ${status};`]),
    "}",
    "",
    ...(union
      ? [
          `/** Any \`${name}\`, as a union that \`switch (error.code)\` narrows. */`,
          `export type ${guarded} = ByCode<${name}>;`,
          "",
        ]
      : []),
  ];
  return lines.join("\n");
}

/** The SDK's error classes, one a status that has a class in error-codes.yaml. */
export function renderStatusErrors(classes: Readonly<Record<string, ErrorClass>>): string {
  const all = Object.entries(classes).map(([status, described]) => [Number(status), described] as const);
  const rows = all.filter(([status]) => status < 500).map(([status, { name }]) => `  ${status}: ${name},`);
  return `${header}import type { ServerErrorStatus } from "../generated/error-codes.gen.ts";
import { ApiError, type ByCode, type WithStatus } from "./api-error.ts";
import { kind } from "./base.ts";
import type { ApiErrorDetails } from "./details.ts";

${all.map(([status, described]) => renderClass(status, described)).join("\n")}
const errorsByStatus: Readonly<Record<number, new (details: ApiErrorDetails) => ApiError>> = {
${rows.join("\n")}
};

/** Creates the \`ApiError\` subclass for the status. */
export function createApiError(details: ApiErrorDetails): ApiError {
  const ErrorClass = errorsByStatus[details.status] ?? (details.status >= 500 ? ServerError : ApiError);
  return new ErrorClass(details);
}
`;
}
