import { isObject, memberOf, valueAt } from "../../src/document/json.ts";

/** The parts of a schema that are compared. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly additionalProperties?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
  readonly "x-beyond-specification"?: boolean;
  readonly "x-returned-by"?: readonly string[];
}

/** Follows the references of a node. */
export type Resolve = <T extends { readonly $ref?: string }>(node: T) => T;

/** What the comparison needs besides the schema and the fact. */
export interface FieldContext {
  readonly resolve: Resolve;
  /** Codes beyond the specification, with the status of error codes. */
  readonly markedCodes: ReadonlyMap<string, number | undefined>;
  /** The operations beyond the specification that create something. */
  readonly markedCreations: readonly string[];
  /** The pairs of schemas and resources that are compared already. */
  readonly compared: Set<string>;
}

/** A row of the table of codes. */
export interface CodeNode {
  readonly group: string;
  readonly status?: number;
  readonly meaning: string;
  readonly stated?: boolean;
  readonly errors?: boolean;
}
export interface ParameterNode {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: SchemaNode;
  readonly example?: unknown;
  readonly description?: string;
}
/** Bodies by content type. */
export type ContentNode = Readonly<Record<string, { readonly schema: SchemaNode }>>;
export interface HeaderNode {
  readonly $ref?: string;
  readonly schema?: SchemaNode;
}
export interface ResponseNode {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, HeaderNode>>;
  readonly content?: ContentNode;
}
export interface OperationNode {
  readonly operationId: string;
  readonly description?: string;
  readonly security?: unknown;
  readonly servers?: unknown;
  readonly "x-roles": readonly string[];
  readonly "x-error-codes": readonly string[];
  readonly "x-account-scoped": boolean;
  readonly "x-idempotency"?: string;
  readonly "x-beyond-specification"?: boolean;
  readonly parameters?: readonly ParameterNode[];
  readonly requestBody?: { readonly required?: boolean; readonly content: ContentNode };
  readonly responses: Readonly<Record<string, ResponseNode>>;
}
export interface WebhookNode {
  readonly description?: string;
  readonly "x-signature": { readonly header: string; readonly event: string; readonly scheme: string };
  readonly parameters?: readonly ParameterNode[];
  readonly requestBody?: { readonly content: ContentNode };
}

/** The parts of the bundled OpenAPI document that the facts speak about. */
export interface ContractDocument {
  readonly servers?: readonly { readonly url: string }[];
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookNode }>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { type: string; scheme?: string; description?: string }>>;
  };
  readonly "x-limits": Readonly<Record<string, unknown>>;
  readonly "x-error-table": Readonly<Record<string, CodeNode>>;
  readonly "x-field-error-table": Readonly<Record<string, Pick<CodeNode, "meaning" | "stated">>>;
}

/** Follows references inside a document. */
export function resolverOf(document: ContractDocument): Resolve {
  return <T extends { readonly $ref?: string }>(node: T): T => {
    let found: unknown = node;
    while (isObject(found) && typeof found.$ref === "string") found = valueAt(document, found.$ref.split("/").slice(1));
    return (found ?? {}) as T;
  };
}

/** What to do about a value that differs. */
const remedy = "Correct openapi/, or packages/contract/src/facts/ if the specification changed.";

/** A difference between the contract and the specification: what stands in the contract, and what the section does. */
export const wrong = (found: string, section: string, clause: string): string =>
  `openapi/: ${found}; ${section} ${clause}. ${remedy}`;

/** Something in the contract that the specification does not have. */
export const beyond = (what: string): string =>
  `openapi/: ${what} is not in the specification. Remove it, or mark it x-beyond-specification: true.`;

/** Whether a keyword is an extension of this project, which restricts no value. */
export const isExtension = (keyword: string): boolean => keyword.startsWith("x-");

/** Whether a node of the document says that the specification does not have it, or leaves it open. */
export const isMarked = (node: unknown): boolean =>
  memberOf(node, "x-beyond-specification") === true || typeof memberOf(node, "x-assumption") === "string";

const requirement = (isRequired: boolean): string => (isRequired ? "required" : "optional");

/** A sentence if a field is required and should not be, or the other way around. */
export function* compareRequired(place: string, found: boolean, stated: boolean | undefined, section: string) {
  if (stated !== undefined && stated !== found)
    yield wrong(`${place} is ${requirement(found)}`, section, `says ${requirement(stated)}`);
}
