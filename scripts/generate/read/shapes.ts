// The shapes that the parts of openapi/ must have before anything else about them can be checked.
import { z } from "zod";
import type { Place, Problem } from "./source.ts";

const text = z.string("must be a text").min(1, "must not be empty");
const part = z.record(z.string(), z.unknown(), "must be an object");
const reference = z.looseObject({ $ref: text }, "must be an object with $ref");

/** openapi.yaml. */
export const rootShape = z.looseObject(
  {
    tags: z.array(z.looseObject({ name: text, "x-id": text.optional() }, "must be an object"), "must be a list"),
    "x-limits": part,
    paths: z.record(z.string(), reference, "must be an object"),
    webhooks: z.record(z.string(), reference, "must be an object"),
    components: z.looseObject(
      {
        parameters: z.looseObject({ AccountId: part }, "must be an object"),
        headers: z.looseObject({ RequestId: part }, "must be an object"),
        responses: z
          .record(z.string(), z.looseObject({ description: text }, "must be an object"), "must be an object")
          .refine(({ Unexpected }) => Unexpected?.content !== undefined, {
            path: ["Unexpected", "content"],
            message: "must be the body of every error",
          }),
      },
      "must be an object",
    ),
  },
  "must be an object",
);

/** schemas/roles.yaml. */
export const rolesShape = z.looseObject(
  {
    Role: z.looseObject({ enum: z.array(text, "must be a list").min(1, "must not be empty") }, "must be an object"),
  },
  "must be an object",
);

/** error-codes.yaml. */
export const codesShape = z.looseObject(
  {
    groups: z.array(
      z.looseObject({ title: text, codes: z.record(z.string(), part, "must be an object") }, "must be an object"),
      "must be a list",
    ),
    fieldCodes: z.record(z.string(), z.looseObject({ meaning: text }, "must be an object"), "must be an object"),
  },
  "must be an object",
);

/** A path of a path file: operations by method. */
export const itemShape = z.partialRecord(
  z.enum(["get", "put", "post", "delete", "patch"]),
  z.looseObject(
    {
      parameters: z.array(part, "must be a list").optional(),
      requestBody: part.optional(),
      responses: z.record(z.string(), part, "must be an object").optional(),
      "x-pagination": z.looseObject({ items: text }, "must be an object with items").optional(),
      "x-reconcile": z
        .union(
          [z.looseObject({ list: text, since: text }), z.looseObject({ explain: text, untilLimit: text })],
          "must have list and since, or explain and untilLimit",
        )
        .optional(),
    },
    "must be an object",
  ),
  "must be an object of operations by method",
);

/** A schema of components. */
export const schemaShape = z.looseObject(
  { properties: z.record(z.string(), part, "must be an object").optional() },
  "must be an object",
);

/** What differs from a shape, with the line of each part. */
export function shapeProblems(place: Place, shape: z.ZodType): Problem[] {
  const { error } = shape.safeParse(place.value);
  return (error?.issues ?? []).flatMap((issue) => {
    const keys = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    return keys.map((path) => {
      const steps = path.map(String);
      const isMissing = place.at(...steps).value === undefined;
      const what =
        issue.code === "unrecognized_keys" || issue.code === "invalid_key"
          ? "is not one of get, put, post, delete and patch"
          : issue.message;
      const name = steps.join(".") || "the file";
      return place
        .at(...steps)
        .problem(isMissing ? `${name} is missing. Write it: it ${issue.message}.` : `${name} ${what}. Correct it.`);
    });
  });
}
