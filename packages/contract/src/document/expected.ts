// What a case expects: what the specification says, and the contract where the specification has nothing.
import { type ErrorCode, errorCodes, type OperationId, operations, type Role } from "@call-transfer/spec";
import { codes, codesWithFieldErrors } from "../facts/codes.ts";
import { type OperationFact, operations as operationFacts } from "../facts/operations.ts";
import { type FieldFact, resources, roles as roleFacts } from "../facts/resources.ts";
import { roles } from "./document.ts";

/** What the specification says about an operation; undefined for an addition. */
export const factsOf = (operation: OperationId): OperationFact | undefined =>
  operationFacts[`${operations[operation].method} ${operations[operation].path}`];

/** The status of an error code (§7.2); null where none is stated. */
export const statusOf = (code: ErrorCode): number | null => {
  const fact = codes[code];
  return fact ? fact.status : errorCodes[code].status;
};

/** Whether the body of an error with this code lists failing fields (§7.1). */
export const hasFieldErrors = (code: ErrorCode): boolean =>
  codes[code] ? codesWithFieldErrors.includes(code) : errorCodes[code].hasFieldErrors;

/** The callers that an operation admits (§4, §5.5). */
export function admittedBy(operation: OperationId): readonly string[] {
  const inContract: readonly string[] = operations[operation].roles;
  return factsOf(operation)?.who ?? inContract;
}

/** Whether a JWT must come with the account header (§5.2). */
export const isAccountScoped = (operation: OperationId): boolean =>
  factsOf(operation)?.accountScoped ?? operations[operation].accountScoped;

/** The status of the operation's first success (§4). */
export const successOf = (operation: OperationId): number => {
  const [status] = Object.keys(factsOf(operation)?.successes ?? {});
  return status === undefined ? operations[operation].successes[0].status : Number(status);
};

/** The built-in roles (§5.5), and those that are marked as additions. */
export const builtInRoles: readonly Role[] = [...new Set([...roleFacts, ...(roles as readonly Role[])])];

/** What the specification says about a field of a request; undefined where it says nothing. */
export function fieldFactOf(
  operation: OperationId,
  where: "body" | "query" | "path",
  steps: readonly (string | number)[],
): FieldFact | undefined {
  const facts = factsOf(operation);
  const [name = "", ...inner] = steps;
  if (where !== "body") return facts?.[where][name];
  return fieldIn(facts?.body ?? "", name, inner);
}

function fieldIn(resource: string, name: string | number, steps: readonly (string | number)[]): FieldFact | undefined {
  const fact = resources[resource]?.fields[name];
  const [next, ...rest] = steps;
  if (next === undefined) return fact;
  const type = fact?.type ?? "";
  if (typeof next === "string") return fieldIn(type, next, rest);
  const [itemField, ...further] = rest;
  return itemField === undefined ? undefined : fieldIn(type.replace("list of ", ""), itemField, further);
}
