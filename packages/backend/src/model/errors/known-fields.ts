import * as z from "zod";

/** The names of the fields that an object at a path of a schema may have; of a union, those of all branches. */
export function knownFields(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return knownFields(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((branch) => knownFields(branch, path));
  const [part, ...rest] = path;
  if (schema instanceof z.ZodArray) return typeof part === "number" ? knownFields(schema.element, rest) : [];
  if (!(schema instanceof z.ZodObject)) return [];
  return part === undefined ? Object.keys(schema.shape) : knownFields(schema.shape[String(part)], rest);
}
