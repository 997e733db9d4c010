// Finds everything that the description of an operation or of an error code lacks, before anything is generated from it.
import { readdirSync } from "node:fs";
import { z } from "zod";
import { limitProblems } from "./limits.ts";
import { Place, type Problem, YamlFile } from "./source.ts";

export const methods = ["get", "put", "post", "delete", "patch"] as const;

/** When an operation answers a code, by what the operation is. */
export type Condition = (typeof conditions)[number];
const conditions = ["every-operation", "account-scoped", "role-restricted", "path-id", "body", "query"] as const;

/** Every problem in the descriptions of operations and error codes, in the order of the files. */
export function problemsIn(folder: URL): Problem[] {
  const place = (name: string) => new Place(new YamlFile(new URL(name, folder), `openapi/${name}`));
  const [root, table, roles] = [place("openapi.yaml"), place("error-codes.yaml"), place("schemas/roles.yaml")];
  const schemas = readdirSync(new URL("schemas/", folder)).map((name) => place(`schemas/${name}`));
  const paths = Object.keys(root.at("paths").fields).map((path) => ({ path, item: root.at("paths", path).target }));
  const files = [
    ...new Map(
      [root, table, ...schemas, ...paths.map(({ item }) => item)].map(({ file }) => [file.name, file]),
    ).values(),
  ];
  const syntax = files.flatMap(({ problems }) => problems);
  if (syntax.length > 0) return syntax;
  const beginning = [...shapeProblems(root, rootShape), ...shapeProblems(roles, rolesShape)];
  if (beginning.length > 0) return beginning;

  const known: Known = {
    tags: rootShape.parse(root.value).tags.map(({ name }) => name),
    roles: [...rolesShape.parse(roles.value).Role.enum, "self"],
  };
  const operations = paths.flatMap(({ item }) =>
    methods.filter((method) => method in item.fields).map((method) => item.at(method)),
  );
  const byId = new Map(operations.map((operation) => [String(operation.fields.operationId), operation]));
  const ids = [...byId.keys()];
  const shapes = [
    ...paths.flatMap(({ path, item }) =>
      item.value === undefined
        ? [
            root
              .at("paths", path)
              .problem(
                `${path} refers to a place that does not exist. Write the operations there, or correct the $ref.`,
              ),
          ]
        : shapeProblems(item, itemShape(path, known)),
    ),
    ...shapeProblems(table, codesShape(ids, Object.keys(root.at("components", "responses").fields))),
    ...schemas.flatMap((one) => shapeProblems(one, schemasShape)),
  ];
  if (shapes.length > 0) return shapes;
  return [
    ...operations.flatMap((operation) => [
      ...pagingProblems(operation),
      ...reconcileProblems(operation, byId, Object.keys(root.at("x-limits").fields)),
    ]),
    ...repeated(operations),
    ...schemas.flatMap((one) => [...shownByProblems(one, ids), ...descriptionProblems(one)]),
    ...files.flatMap((one) => limitProblems(new Place(one))),
  ];
}

/** What an operation may refer to. */
interface Known {
  readonly tags: readonly string[];
  readonly roles: readonly string[];
}

const must = <T>(isRight: (value: unknown) => boolean, what: string) => z.custom<T>(isRight, `must be ${what}`);
const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isOneOf = (value: unknown, names: readonly string[]): boolean => names.includes(String(value));

const object = "must be an object";
const text = must<string>(isText, "a text");
const part = z.record(z.string(), z.unknown(), object);
const reference = z.looseObject({ $ref: text }, "must be an object with $ref");
/** A name that a property of a class may have. */
const member = must<string>(
  (value) => isText(value) && /^[a-z][a-zA-Z]+$/.test(value) && value !== "constructor",
  "a name in camelCase",
);

const rootShape = z.looseObject(
  {
    tags: z.array(z.looseObject({ name: text, "x-id": text.optional() }, object), "must be a list"),
    "x-limits": part,
    paths: z.record(z.string(), reference, object),
    webhooks: z.record(z.string(), reference, object),
    components: z.looseObject(
      {
        parameters: z.looseObject({ AccountId: part }, object),
        headers: z.looseObject({ RequestId: part }, object),
        responses: z
          .record(z.string(), z.looseObject({ description: text }, object), object)
          .refine(({ Unexpected }) => Unexpected?.content !== undefined, {
            path: ["Unexpected", "content"],
            message: "must be the body of every error",
          }),
      },
      object,
    ),
  },
  object,
);
const rolesShape = z.looseObject(
  { Role: z.looseObject({ enum: z.array(text, "must be a list").min(1) }, object) },
  object,
);
const schemasShape = z.record(
  z.string(),
  z.looseObject({ properties: z.record(z.string(), part, object).optional() }, object),
  object,
);

/** A body: a named schema, and an example with a summary. */
const body = z.looseObject(
  {
    content: z.looseObject(
      {
        "application/json": z.looseObject(
          {
            schema: z.looseObject({ $ref: text }, "must be a schema of openapi/schemas/ by $ref"),
            examples: z
              .record(
                z.string(),
                z.looseObject(
                  { summary: text, value: must((value) => value !== undefined, "a body that its schema allows") },
                  object,
                ),
                "must have an example with a name, a summary and a value",
              )
              .refine((examples) => Object.keys(examples).length > 0, "must have an example"),
          },
          object,
        ),
      },
      "must have application/json",
    ),
  },
  object,
);
const described = z.looseObject({ description: text }, object);

/** Successes. Other responses follow from the error codes. */
const responses = part.superRefine((all, { addIssue }) => {
  const statuses = Object.keys(all);
  if (!statuses.some((status) => /^2\d\d$/.test(status)))
    addIssue({ code: "custom", message: "must have a success with a status such as '200'" });
  for (const status of statuses) {
    const shape = /^2\d\d$/.test(status)
      ? status === "204"
        ? described
        : described.and(body)
      : z.never("must be removed: it follows from the error codes that name the operation in error-codes.yaml");
    for (const { message, path } of shape.safeParse(all[status]).error?.issues ?? [])
      addIssue({ code: "custom", message, path: [status, ...path] });
  }
});

/** An operation of a path by its method. */
const operationShape = (path: string, method: string, { tags, roles }: Known) =>
  z.looseObject(
    {
      operationId: must((id) => isText(id) && /^[a-z][a-zA-Z]+$/.test(id), "a verb and a noun, such as getDestination"),
      tags: must(
        (list) => isList(list) && list.length === 1 && isOneOf(list[0], tags),
        `one in brackets of ${tags.join(", ")}`,
      ),
      summary: text,
      description: text,
      "x-sdk": z.looseObject(
        { resource: member, method: member },
        "must be such as { resource: destinations, method: get }",
      ),
      "x-roles": must(
        (list) =>
          isList(list) &&
          list.length > 0 &&
          list.every((role) => isOneOf(role, roles)) &&
          (!list.includes("self") || path.includes("{memberId}")),
        `who may call it, in brackets: ${roles.join(", ")} (self only with {memberId} in the path)`,
      ),
      "x-scope": must((scope) => isText(scope) && /^[a-z_]+:(?:read|write)$/.test(scope), "such as transfers:read"),
      "x-account-scoped": z.boolean("must be true if a JWT must name the account, otherwise false"),
      "x-idempotency":
        method === "get"
          ? z.literal("idempotent", "must be idempotent, or left out, for a GET").optional()
          : z.enum(
              ["idempotent", "conflict_safe", "non_idempotent"],
              "must be idempotent, conflict_safe or non_idempotent",
            ),
      parameters: z
        .array(
          z.looseObject(
            {
              in: z.literal("query", "must be query: an id stands in the path, and x-account-scoped adds the account"),
              description: text,
              schema: part,
            },
            object,
          ),
          "must be a list",
        )
        .optional(),
      requestBody: body.extend({ required: z.literal(true, "must be true") }).optional(),
      responses,
      "x-pagination": z.looseObject({ items: text }, "must be an object with items").optional(),
      "x-reconcile": z
        .union(
          [z.looseObject({ list: text, since: text }), z.looseObject({ explain: text, untilLimit: text })],
          "must have list and since, or explain and untilLimit",
        )
        .optional(),
    },
    object,
  );

/** A path of a path file. */
const itemShape = (path: string, known: Known) =>
  z
    .strictObject(
      Object.fromEntries(methods.map((method) => [method, operationShape(path, method, known).optional()])),
      "must be an object of operations by method",
    )
    .refine((item) => Object.keys(item).length > 0, "must have an operation");

/** error-codes.yaml. */
function codesShape(operations: readonly string[], answers: readonly string[]) {
  const possible = [...conditions, ...operations];
  const row = z
    .looseObject(
      {
        meaning: text,
        advice: must(isText, "what the caller does about it, in one or two sentences"),
        when: z
          .array(
            z.enum(possible, `must be an operationId or one of ${conditions.join(", ")}`),
            "must be a list in brackets",
          )
          .optional(),
        causes: part.optional(),
      },
      object,
    )
    .superRefine(({ status, mock, when = [], causes = {} }, { addIssue }) => {
      const answered = status ?? mock;
      if (!Number.isInteger(answered))
        addIssue({ code: "custom", message: "must have a status, or mock if the specification states none" });
      else if (when.length > 0 && !isOneOf(answered, answers))
        addIssue({
          code: "custom",
          message: `must have a response ${answered} in components.responses of openapi.yaml`,
        });
      for (const one of Object.keys(causes))
        if (!when.includes(one))
          addIssue({ code: "custom", path: ["causes", one], message: "must be an entry of when" });
    });
  const groups = z.array(
    z.looseObject({ title: text, codes: z.record(z.string(), row, object) }, object),
    "must be a list",
  );
  return z.looseObject(
    {
      groups: groups.superRefine((all, { addIssue }) => {
        const seen = new Set<string>();
        for (const [index, { codes }] of all.entries())
          for (const code of Object.keys(codes)) {
            if (seen.has(code))
              addIssue({
                code: "custom",
                path: [index, "codes", code],
                message: "must stand in one group, not in two",
              });
            seen.add(code);
          }
      }),
      fieldCodes: z.record(z.string(), z.looseObject({ meaning: text, advice: text }, object), object),
    },
    object,
  );
}

/** What differs from a shape, with the line of each part. */
function shapeProblems(place: Place, shape: z.ZodType): Problem[] {
  const { error } = shape.safeParse(place.value);
  return (error?.issues ?? []).flatMap((issue) => {
    const paths = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    return paths.map((path) => {
      const at = place.at(...path.map(String));
      const name = at.steps.join(".") || "the file";
      const what = issue.code === "unrecognized_keys" ? `must be one of ${methods.join(", ")}` : issue.message;
      return at.problem(at.value === undefined ? `${name} is missing: it ${what}.` : `${name} ${what}. Correct it.`);
    });
  });
}

function pagingProblems(operation: Place): Problem[] {
  const paging = operation.at("x-pagination");
  const items = String(paging.fields.items);
  const success = operation.at("responses", "200", "content", "application/json", "schema").target;
  if (paging.value === undefined || isText(success.at("properties", items, "items").fields.$ref)) return [];
  return [
    paging.problem(
      `x-pagination names ${items}, which is not a list of a named schema. Write the name of such a list.`,
    ),
  ];
}

function reconcileProblems(operation: Place, byId: ReadonlyMap<string, Place>, limits: readonly string[]): Problem[] {
  const place = operation.at("x-reconcile");
  const { list, since, untilLimit } = place.fields;
  const named = byId.get(String(list));
  const isUsable =
    named?.at("x-pagination").value !== undefined && named.at("tags", "0").value === operation.at("tags", "0").value;
  const parameters = named?.at("parameters").value;
  const names = isList(parameters) ? parameters.map((parameter) => Reflect.get(Object(parameter), "name")) : [];
  const wrong =
    list !== undefined && !isUsable
      ? [list, "an operation with x-pagination and the same tag"]
      : list !== undefined && !names.includes(since)
        ? [since, `a query parameter of ${String(list)}`]
        : untilLimit !== undefined && !isOneOf(untilLimit, limits)
          ? [untilLimit, `one of x-limits: ${limits.join(", ")}`]
          : undefined;
  return wrong === undefined
    ? []
    : [place.problem(`x-reconcile names ${String(wrong[0])}. Write ${String(wrong[1])}.`)];
}

/** Names that two operations share: operationIds, and methods of the SDK. */
function repeated(places: readonly Place[]): Problem[] {
  const problemsOf = (nameOf: (place: Place) => string, key: string) =>
    places
      .filter((place, index) => places.findIndex((other) => nameOf(other) === nameOf(place)) !== index)
      .map((place) =>
        place.at(key).problem(`Another operation is called ${nameOf(place)} too. Write a name of its own.`),
      );
  const methodOf = (place: Place) => `client.${place.at("x-sdk").fields.resource}.${place.at("x-sdk").fields.method}`;
  return [...problemsOf(({ fields }) => String(fields.operationId), "operationId"), ...problemsOf(methodOf, "x-sdk")];
}

/** Marks `x-returned-by` that are no list of operations, at any depth of a file of schemas. */
function shownByProblems(place: Place, operations: readonly string[]): Problem[] {
  return Object.keys(place.fields).flatMap((key) => {
    if (key !== "x-returned-by") return shownByProblems(place.at(key), operations);
    const named = place.fields[key];
    if (isList(named) && named.every((one) => isOneOf(one, operations))) return [];
    return [
      place.at(key).problem(`${place.steps.join(".")} has another x-returned-by. Write operationIds in brackets.`),
    ];
  });
}

/** Properties without a description, at any depth of a file of schemas. Editors show it, since it becomes the doc comment. */
function descriptionProblems(place: Place): Problem[] {
  return Object.keys(place.fields).flatMap((key) => {
    const inside = place.at(key);
    const properties = key === "properties" ? Object.keys(inside.fields).map((name) => inside.at(name)) : [];
    return [
      ...properties
        .filter(({ fields }) => !isText(fields.description))
        .map((property) =>
          property.problem(
            `The property ${property.steps.at(-1)} of ${property.steps[0]} has no description. Write what it holds, with its unit and range.`,
          ),
        ),
      ...descriptionProblems(inside),
    ];
  });
}
