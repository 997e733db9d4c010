import type { OperationId } from "@call-transfer/spec";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { at, bodyPointer, contract } from "./document.ts";
import { isObject } from "./json.ts";

const root = "contract.json";

/** Every `x-` keyword of the document. They are not validation rules. */
function* extensionKeywords(node: unknown): Generator<string> {
  if (!isObject(node)) return;
  for (const [key, child] of Object.entries(node)) {
    if (key.startsWith("x-")) yield key;
    yield* extensionKeywords(child);
  }
}

/** Converts a part of the document into a schema. References to shared schemas point to `$defs`. */
const asSchema = (part: unknown): object =>
  JSON.parse(JSON.stringify(part).replaceAll('"#/components/schemas/', `"${root}#/$defs/`));

/** The assumption that the document names on a schema, or nearest above it. */
export const assumptionAbove = new WeakMap<object, string>();

/** Notes the assumptions of a schema and of all within it. */
function noteAssumptions(node: unknown, above?: string): void {
  if (!isObject(node)) return;
  const named = node["x-assumption"];
  const assumption = typeof named === "string" ? named : above;
  if (assumption !== undefined) assumptionAbove.set(node, assumption);
  for (const child of Object.values(node)) noteAssumptions(child, assumption);
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, verbose: true });
  for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
  for (const keyword of new Set(extensionKeywords(contract))) ajv.addKeyword(keyword);
  const $defs = asSchema(at("#/components/schemas"));
  noteAssumptions($defs);
  return ajv.addSchema({ $id: root, $defs });
}

const ajv = createAjv();
const compiled = new Map<string, ValidateFunction>();

function validatorAt(pointer: string): ValidateFunction {
  const known = compiled.get(pointer);
  if (known) return known;
  const validate = ajv.compile(asSchema(at(pointer)));
  compiled.set(pointer, validate);
  return validate;
}

/** The errors of a value against the schema at a pointer of the document. */
function schemaErrors(pointer: string, value: unknown): readonly ErrorObject[] {
  const validate = validatorAt(pointer);
  return validate(value) ? [] : (validate.errors ?? []);
}

/** An error as text: the place in the body, and the rule. */
export const errorText = ({ instancePath, message, keyword }: ErrorObject): string =>
  `body${instancePath} ${message ?? keyword}`;

/** The violations of the schema at a pointer of the document. */
export const schemaViolations = (pointer: string, value: unknown): string[] =>
  schemaErrors(pointer, value).map(errorText);

/** The errors of a response body against the schema for its status; none if the document defines no body for it. */
export function bodyErrors(operation: OperationId, status: number, body: unknown): readonly ErrorObject[] {
  const pointer = bodyPointer(operation, status);
  return pointer === undefined ? [] : schemaErrors(pointer, body);
}

/** The violations of a response body against the schema for its status. */
export const bodyViolations = (operation: OperationId, status: number, body: unknown): string[] =>
  bodyPointer(operation, status) === undefined
    ? [`the contract defines no body for status ${status}`]
    : bodyErrors(operation, status, body).map(errorText);
