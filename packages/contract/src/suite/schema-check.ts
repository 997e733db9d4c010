import type { OperationId } from "@call-transfer/spec";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { at, bodyPointer, contract } from "./document.ts";

const root = "contract.json";

/** Every `x-` key of the document: marks for readers and generators, not rules. */
function* extensionKeywords(node: unknown): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    if (key.startsWith("x-")) yield key;
    yield* extensionKeywords(child);
  }
}

/** A part of the document as a schema of its own: the whole document is none, so its shared schemas become `$defs`. */
const asSchema = (part: unknown): object =>
  JSON.parse(JSON.stringify(part).replaceAll('"#/components/schemas/', `"${root}#/$defs/`));

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, verbose: true });
  for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
  for (const keyword of new Set(extensionKeywords(contract))) ajv.addKeyword(keyword);
  return ajv.addSchema({ $id: root, $defs: asSchema(at("#/components/schemas")) });
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

/** Whether a violation is only a value that a list of the contract does not have, where a newer version may add some. */
const isNewValue = ({ keyword, parentSchema }: ErrorObject): boolean =>
  keyword === "enum" && parentSchema?.["x-open-enum"] === true;

/**
 * What a value breaks of the schema at a pointer of the document; empty when it fits. New values of open lists count as
 * violations unless they are allowed.
 */
export function schemaViolations(pointer: string, value: unknown, allowNewValues = false): string[] {
  const validate = validatorAt(pointer);
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .filter((error) => !(allowNewValues && isNewValue(error)))
    .map((error) => `body${error.instancePath} ${error.message ?? error.keyword}`);
}

/** What an answer's body breaks of the schema that the contract gives this status; empty when it fits. */
export function bodyViolations(
  operation: OperationId,
  status: number,
  body: unknown,
  allowNewValues = false,
): string[] {
  const pointer = bodyPointer(operation, status);
  return pointer === undefined
    ? [`the contract gives ${status} no body`]
    : schemaViolations(pointer, body, allowNewValues);
}
