// Generates the SDK's error classes, one a status that has a class in error-codes.yaml.
import type { ErrorClass } from "./read/document.ts";
import { header } from "./text/text.ts";

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
