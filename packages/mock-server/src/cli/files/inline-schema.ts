import { InputError } from "@call-transfer/backend";
import { isObject } from "../values/command-line.ts";

/** What a schema is made ready for: to check requests, or to make an example. */
type Use = "check" | "sample";

/** A JSON schema without references. */
export type PlainSchema = Readonly<Record<string, unknown>>;

/** With more parts, the schemas of a document would take seconds and much memory. */
const mostParts = 200_000;
const mostPartsOfOne = 20_000;
const mostLevels = 64;

// Without `pattern`: a regular expression of a document could take minutes on one request.
const copied = {
  check: [
    ...["type", "enum", "const", "format", "minLength", "maxLength", "minimum", "maximum", "nullable"],
    ...["exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems"],
    ...["minProperties", "maxProperties"],
  ],
  // Without the limits that would let an example grow.
  sample: [
    ...["type", "enum", "const", "format", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
    ...["multipleOf", "example", "examples", "default", "readOnly", "writeOnly", "required"],
  ],
} as const;

/** Returns what a local reference names. Throws InputError that names the field. */
export function resolveRef(document: unknown, ref: unknown, field: string): unknown {
  if (typeof ref !== "string" || !ref.startsWith("#/"))
    throw new InputError(
      `${field}.$ref`,
      "is outside of the file. Only references within it are allowed, such as #/components/schemas/Contact",
    );
  let found: unknown = document;
  for (const part of ref.slice(2).split("/")) {
    const name = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  if (found === undefined)
    throw new InputError(`${field}.$ref`, `names ${ref.slice(0, 100)}, which the file does not have`);
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Creates a function that puts what schemas of a document refer to in place of the references. A schema that contains itself ends
 * where it would repeat: anything is valid there, and an example has nothing. Other keywords than JSON schemas commonly have are
 * left out. The function throws InputError that names the field.
 */
export function createInliner(document: unknown) {
  let all = 0;
  return (schema: unknown, at: string, use: Use): PlainSchema => {
    let parts = 0;
    const walk = (part: unknown, field: string, refs: readonly string[], depth: number): PlainSchema | undefined => {
      parts += 1;
      all += 1;
      if (parts > mostPartsOfOne || all > mostParts)
        throw new InputError(
          at,
          "has too many parts, counted with all that it refers to. Leave out what the app does not use",
        );
      if (depth > mostLevels) throw new InputError(at, `is nested deeper than ${mostLevels} levels`);
      if (typeof part === "boolean") return use === "sample" ? undefined : part ? {} : { not: {} };
      if (!isObject(part)) throw new InputError(field, "must be a schema");
      const { $ref: ref } = part;
      if (ref !== undefined) {
        const target = resolveRef(document, ref, field);
        if (refs.includes(String(ref))) return use === "check" ? {} : undefined;
        return walk(target, field, [...refs, String(ref)], depth + 1);
      }
      const inside = (value: unknown, name: string) => walk(value, `${field}.${name}`, refs, depth + 1);
      const plain = Object.fromEntries(
        copied[use].flatMap((name) => (Object.hasOwn(part, name) ? [[name, part[name]]] : [])),
      );
      // Left out as often as not. Of a text with a format, no other length is possible.
      if (plain.type === undefined && isObject(part.properties)) plain.type = "object";
      if (plain.type === undefined && isObject(part.items)) plain.type = "array";
      if (use === "sample" && plain.format !== undefined) delete plain.maxLength;
      for (const name of ["items", "additionalProperties"]) {
        const found = part[name] === undefined ? undefined : inside(part[name], name);
        if (found !== undefined) plain[name] = found;
      }
      for (const name of ["allOf", "anyOf", "oneOf", "prefixItems"]) {
        const list = part[name];
        if (!Array.isArray(list)) continue;
        plain[name] = list.flatMap((one, index) => inside(one, `${name}[${index}]`) ?? []);
      }
      return isObject(part.properties) ? { ...plain, ...propertiesOf(part, use, inside) } : requiredIn(plain, part);
    };
    return walk(schema, at, [], 1) ?? {};
  };
}

function propertiesOf(
  part: Readonly<Record<string, unknown>>,
  use: Use,
  inside: (value: unknown, name: string) => PlainSchema | undefined,
): PlainSchema {
  const properties = Object.entries(Object(part.properties)).flatMap(([name, value]) => {
    if (["__proto__", "constructor", "prototype"].includes(name))
      throw new InputError(name, "has a name that JavaScript reserves. Use another one");
    const found = inside(value, `properties.${name}`);
    return found === undefined ? [] : [[name, found] as const];
  });
  // A field that only responses have is not required of requests.
  const isOfResponses = (name: unknown): boolean => Object(Object(part.properties)[String(name)]).readOnly === true;
  const required = Array.isArray(part.required) ? part.required : [];
  return {
    properties: Object.fromEntries(properties),
    required: use === "check" ? required.filter((name) => typeof name === "string" && !isOfResponses(name)) : required,
  };
}

function requiredIn(plain: PlainSchema, { required }: Readonly<Record<string, unknown>>): PlainSchema {
  return Array.isArray(required) ? { ...plain, required } : plain;
}
