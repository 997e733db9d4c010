// Generates the models, the error codes and the error classes of the Python client.
import type { ErrorClass, OpenApiDocument } from "./read/document.ts";
import { pythonHeader, pythonName, pythonText } from "./text/python.ts";

type Schema = Readonly<Record<string, unknown>>;

const nameOf = (reference: unknown): string => String(reference).split("/").at(-1) ?? "";

/** What formats of strings mean, for docstrings. */
const formats: Readonly<Record<string, string>> = { "date-time": "An ISO 8601 time." };

const literalOf = (values: readonly unknown[]): string =>
  `Literal[${values.map((value) => pythonText(value)).join(", ")}]`;

const plainTypes: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
  object: "dict[str, Any]",
};

/** The type of a value. `inputs` are the schemas that a caller may also write as dictionaries. */
export function pythonType(schema: Schema, inputs: ReadonlySet<string> = new Set()): string {
  const { $ref, type, items, anyOf, const: constant } = schema;
  const values = schema.enum as unknown[] | undefined;
  if ($ref !== undefined) return inputs.has(nameOf($ref)) ? `${nameOf($ref)} | ${nameOf($ref)}Dict` : nameOf($ref);
  if (constant !== undefined) return literalOf([constant]);
  if (values) {
    const known = values.filter((value) => value !== null);
    const open = schema["x-open-enum"] === true ? " | str" : "";
    return literalOf(known) + open + (values.includes(null) ? " | None" : "");
  }
  if (anyOf) return [...new Set((anyOf as Schema[]).map((one) => pythonType(one, inputs)))].join(" | ");
  if (Array.isArray(type)) return type.map((one) => pythonType({ ...schema, type: one }, inputs)).join(" | ");
  if (type === "array") {
    const item = pythonType(items as Schema, inputs);
    return inputs.size > 0 ? `Sequence[${item}]` : `list[${item}]`;
  }
  return plainTypes[String(type)] ?? "Any";
}

interface Field {
  readonly wire: string;
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly doc: string;
}

export function fieldsOf(schema: Schema): Field[] {
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([wire, property]) => {
    const format = formats[String(property.format)];
    const doc = [property.description, format].filter(Boolean).join(" ");
    return { wire, name: pythonName(wire), schema: property, required: required.includes(wire), doc };
  });
}

function renderModel(name: string, schema: Schema): string {
  const fields = fieldsOf(schema).map(({ schema: type, name: field, required, doc }) => {
    const text = pythonType(type);
    const isNullable = / \| None$/.test(text);
    // What is shown only once is not printed either.
    const isSecret = type["x-returned-by"] !== undefined;
    const value = isSecret ? "Field(default=None, repr=False)" : "None";
    const declared = required ? text : `${text}${isNullable ? "" : " | None"} = ${value}`;
    return `    ${field}: ${declared}\n    """${doc}"""`;
  });
  return `class ${name}(ApiModel):\n    """${schema.description}"""\n${fields.length > 0 ? `\n${fields.join("\n")}\n` : ""}`;
}

/** The same as a dictionary, for callers. */
function renderDict(name: string, schema: Schema, inputs?: ReadonlySet<string>): string {
  const fields = fieldsOf(schema).map(({ schema: type, name: field, required, doc }) => {
    const text = pythonType(type, inputs);
    return `    ${field}: ${required ? text : `NotRequired[${text}]`}\n    """${doc}"""`;
  });
  return `class ${name}(TypedDict):\n    """${schema.description}"""\n\n${fields.join("\n")}\n`;
}

/** Schemas inside of request bodies, which callers may write as dictionaries. */
export function inputSchemas({ components }: OpenApiDocument, requests: readonly string[]): Set<string> {
  const names = new Set<string>();
  const add = (name: string): void => {
    const references = JSON.stringify(components.schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g);
    for (const [, referred = ""] of references) {
      if (names.has(referred) || components.schemas[referred]?.properties === undefined) continue;
      names.add(referred);
      add(referred);
    }
  };
  for (const name of requests) add(name);
  return names;
}

/** @param requests Schemas of request bodies. Their fields are the parameters of a method, so each is a dictionary of arguments. */
export function renderPythonModels(document: OpenApiDocument, requests: readonly string[]): string {
  const { ErrorCode: _codes, ...schemas } = document.components.schemas;
  const inputs = inputSchemas(document, requests);
  const names = Object.keys(schemas).filter((name) => !requests.includes(name));
  const isModel = (name: string) => schemas[name]?.type === "object";
  const aliases = names.filter((name) => !isModel(name));
  const models = names.filter(isModel);
  const bodies = [...new Set(requests)];
  const all = [...names, ...bodies, ...[...inputs].map((name) => `${name}Dict`), "UnknownResult"];
  const dicts = [
    ...[...inputs].map((name) => renderDict(`${name}Dict`, schemas[name] ?? {})),
    ...bodies.map((name) => renderDict(name, schemas[name] ?? {}, inputs)),
  ];
  const text = aliases.map(
    (name) => `${name}: TypeAlias = ${pythonType(schemas[name] ?? {})}\n"""${schemas[name]?.description}"""\n`,
  );
  return `${pythonHeader}"""What the API takes and answers with. Times are text in the form of ISO 8601, as the API sends them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from .._model import ApiModel, UnknownResult
from .codes import ErrorCode

__all__ = [
${all
  .sort()
  .map((name) => `    "${name}",`)
  .join("\n")}
]

${text.join("\n")}

${models.map((name) => renderModel(name, schemas[name] ?? {})).join("\n\n")}

${dicts.join("\n\n")}`;
}

export function renderPythonCodes(document: OpenApiDocument): string {
  const table = Object.entries(document["x-error-table"]);
  const noEffect = table.filter(([, row]) => row.effect === "none").map(([code]) => code);
  const withFields = table.filter(([, row]) => row.errors).map(([code]) => code);
  return `${pythonHeader}"""The error codes (§7.2)."""

from __future__ import annotations

from typing import Literal, TypeAlias

ErrorCode: TypeAlias = (
    Literal[
${table.map(([code]) => `        "${code}",`).join("\n")}
    ]
    | str
)
"""Machine-readable error code (§7.2). May be one that is newer than this version."""

EFFECT_FREE_CODES = frozenset((${noEffect.map(pythonText).join(", ")}))
"""Error codes of 503 responses that had no effect, if assumption A-28 is right."""

CODES_WITH_FIELD_ERRORS = frozenset((${withFields.map(pythonText).join(", ")}))
"""Error codes whose errors list the failing fields."""
`;
}

export function renderPythonErrors(classes: Readonly<Record<string, ErrorClass>>): string {
  const all = Object.entries(classes).map(([status, described]) => ({ status: Number(status), ...described }));
  const rendered = all.map(
    ({ status, name, when }) =>
      `class ${name}(ApiError):\n    """${status >= 500 ? "5xx" : status}: ${when.charAt(0)}${when.slice(1)}"""\n`,
  );
  return `${pythonHeader}"""The classes of error responses, by their status."""

from __future__ import annotations

from .._errors import ApiError

__all__ = [
${all
  .map(({ name }) => `    "${name}",`)
  .sort()
  .join("\n")}
]


${rendered.join("\n\n")}

ERRORS_BY_STATUS: dict[int, type[ApiError]] = {
${all.map(({ status, name }) => `    ${status}: ${name},`).join("\n")}
}
`;
}
