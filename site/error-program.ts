// Programs and commands that make the backend answer an error code.
import { createBackend } from "@call-transfer/backend";
import { type ErrorCode, type FieldErrorCode, limits, type OperationId, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { faultProblem } from "../packages/backend/src/faults/apply-fault.ts";
import { curl, readYaml, resolved, type Sample, sampleOf, sdkCall, serverUrl, source } from "./samples.ts";

/** A row of error-recipes.yaml. */
interface Recipe {
  readonly how?: string;
  readonly elsewhere?: string;
  readonly operation?: OperationId;
  readonly request?: Sample;
  readonly untyped?: boolean;
  readonly prepare?: string;
  readonly client?: Readonly<Record<string, string>>;
  readonly shell?: string;
  readonly authorization?: string;
  readonly account?: string;
  readonly baseUrl?: string;
  readonly body?: string;
  readonly prints?: string;
}

const limited: Readonly<Record<string, Readonly<Record<string, unknown>>>> =
  document.components.schemas.CreateDestinationGroupRequest.properties;
const overlapEnd = new Date(Date.parse("2026-03-02T12:00:00Z") + limits.previousSecretOverlapHours * 3_600_000);
const withLimits = (text = "") =>
  text
    .replaceAll("$overlapEnd", overlapEnd.toISOString())
    .replaceAll(/\$(\w+)\.(\w+)/g, (_, field: string, keyword: string) => String(limited[field]?.[keyword]));

/** How the backend answers a code by its rules, by error code and field code. */
export const recipes: Readonly<Record<string, Recipe>> = Object.fromEntries(
  Object.entries(readYaml("error-recipes.yaml") as Readonly<Record<string, Recipe>>).map(([code, recipe]) => [
    code,
    {
      ...recipe,
      ...(recipe.how !== undefined && { how: withLimits(recipe.how) }),
      ...(recipe.prints !== undefined && { prints: withLimits(recipe.prints) }),
    },
  ]),
);

/** A way to get an error: a program with its output, and commands for a running server. */
export interface Provocation {
  readonly how: string;
  readonly program: string;
  /** The output of the program. */
  readonly output: string;
  readonly commands: string;
}

/** The error code that comes with a field code. */
export const codeOfFields = "validation_failed" as const satisfies ErrorCode;

interface ProgramParts {
  readonly operation: OperationId;
  readonly sample: Sample;
  readonly prepare: string;
  readonly client?: Readonly<Record<string, string>> | undefined;
  readonly untyped?: boolean | undefined;
}

/** The body that a fault answers. */
const answerOf = (code: ErrorCode) => faultProblem({ code }, createBackend().clock.now()).problem;

/** Statements that print an error with this code. */
function report(code: ErrorCode, fieldCode: string | undefined): string {
  if (fieldCode !== undefined)
    return "for (const { field, code, message } of error.errors)\n    console.log(field, code, message);";
  const { errors, meta } = answerOf(code);
  return [
    "console.log(error.status, error.code, error.detail);",
    ...(errors ? ["for (const { field, code } of error.errors) console.log(field, code);"] : []),
    ...Object.keys(meta ?? {}).map((name) => `console.log("${name}", error.meta?.${name});`),
  ].join("\n  ");
}

/** The output of those statements if the answer is that of a fault. */
function outputOfFault(code: ErrorCode): string {
  const { status, detail, errors, meta } = answerOf(code);
  return [
    `${status} ${code} ${detail}`,
    ...(errors ?? []).map((one) => `${one.field} ${one.code}`),
    ...Object.entries(meta ?? {}).map(([name, value]) => `${name} ${value}`),
  ].join("\n");
}

function programOf(code: ErrorCode, fieldCode: string | undefined, parts: ProgramParts): string {
  const { operation, sample, prepare, client = {}, untyped } = parts;
  const { accessToken } = client;
  const options = {
    baseUrl: '"http://localhost"',
    ...(accessToken === undefined && { apiKey: "demo.apiKey" }),
    fetch: "backend.fetch",
    ...client,
    maxRetries: "0",
  };
  const call = sdkCall(operation, sample, "  ", untyped);
  const lines = Object.entries(options).map(([name, value]) =>
    name === value ? `  ${name},` : `  ${name}: ${value},`,
  );
  const statements = `const backend = createBackend();
${prepare === "" ? "" : `${prepare.trimEnd()}\n`}const client = new CallTransfer({
${lines.join("\n")}
});
try {
  await ${call};
} catch (error) {
  if (!isApiError(error, "${code}")) throw error;
  ${report(code, fieldCode)}
}
`;
  return `import { createBackend${/\bdemo\./.test(statements) ? ", demo" : ""} } from "@call-transfer/mock-server/backend";
import { CallTransfer, isApiError } from "@call-transfer/sdk";

${statements}`;
}

/** How the backend answers the code by its rules; undefined if it does not. */
export function byRule(code: ErrorCode, fieldCode?: string): Provocation | undefined {
  const recipe = recipes[fieldCode ?? code];
  if (recipe?.how === undefined) return undefined;
  const { how, operation = "listRoles", request, prepare = "", client, untyped, shell = "" } = recipe;
  const sample = sampleOf(operation, request);
  const command = curl(operation, sample, {
    authorization: recipe.authorization,
    account: recipe.account === undefined ? undefined : String(resolved(recipe.account)),
    prefix: recipe.baseUrl,
    bodyText: recipe.body,
  });
  return {
    how,
    program: programOf(code, fieldCode, { operation, sample, prepare, client, untyped }),
    output: recipe.prints?.trimEnd() ?? outputOfFault(code),
    commands: `${shell === "" ? "" : `${shell.trimEnd()}\n`}${command}\n`,
  };
}

const ids = Object.keys(operations) as OperationId[];

/** The operations that document a code. */
export const operationsOf = (code: ErrorCode): OperationId[] =>
  ids.filter((id) => (operations[id].errorCodes as readonly string[]).includes(code));

/**
 * The operation to provoke a code at: one that documents it, or a read. The error of an operation that is not idempotent is
 * an `OutcomeUnknownError` where the server failed, so then it is a read, too.
 */
function operationFor(code: ErrorCode): OperationId {
  const documented = operationsOf(code);
  const reads: OperationId = "listRoles";
  return documented.includes(reads) ? reads : (documented[0] ?? reads);
}

/** The fault that answers the code once. */
export const faultOf = (code: ErrorCode): string => `${operationFor(code)} ${code}`;

/** How to get the code by a fault, which works for every code. */
export function byFault(code: ErrorCode): Provocation {
  const operation = operationFor(code);
  const sample = sampleOf(operation);
  const text = faultOf(code);
  return {
    how: `The next \`${operation}\` is answered with it.`,
    program: programOf(code, undefined, { operation, sample, prepare: `backend.faults.add("${text}");` }),
    output: outputOfFault(code),
    commands: `npx @call-transfer/mock-server fault add "${text}"\n${curl(operation, sample)}\n`,
  };
}

/** How to get a field code by a fault. Only JSON can say field errors. */
export function fieldByFault(fieldCode: FieldErrorCode): Provocation {
  const operation: OperationId = "createDestinationGroup";
  const sample = sampleOf(operation);
  const action = { code: codeOfFields, errors: [{ field: "name", code: fieldCode }] };
  const fault = { match: { operationId: operation }, do: action };
  const [answered] = faultProblem(action, 0).problem.errors ?? [];
  const prepare = `backend.faults.add(${source(fault, "", 0)});`;
  return {
    how: `The next \`${operation}\` is answered with it, at the field that the fault names. A line of text cannot name a field, so this fault is JSON.`,
    program: programOf(codeOfFields, fieldCode, { operation, sample, prepare }),
    output: `name ${fieldCode} ${answered?.message}`,
    commands: `curl ${serverUrl}/_control/v1/faults \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(fault)}'
${curl(operation, sample)}
`,
  };
}
