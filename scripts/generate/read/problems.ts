// Finds everything that the description of an operation or of an error code lacks, before anything is generated from it.
import { readdirSync } from "node:fs";
import { limitProblems } from "./limits.ts";
import { type Known, operationProblems, repeated } from "./operation-problems.ts";
import { codesShape, itemShape, rolesShape, rootShape, schemaShape, shapeProblems } from "./shapes.ts";
import { Place, type Problem, YamlFile } from "./source.ts";
import { type Condition, isList, isText, methods, shown } from "./values.ts";

/** Every problem in the descriptions of operations and error codes, in the order of the files. */
export function problemsIn(folder: URL): Problem[] {
  const file = (name: string) => new YamlFile(new URL(name, folder), `openapi/${name}`);
  const root = new Place(file("openapi.yaml"));
  const table = new Place(file("error-codes.yaml"));
  const paths = Object.keys(root.at("paths").fields).map((path) => ({ path, item: root.at("paths", path).target }));
  const schemas = readdirSync(new URL("schemas/", folder)).map((name) => file(`schemas/${name}`));
  const files = [
    root.file,
    table.file,
    ...schemas,
    ...new Map(paths.map(({ item }) => [item.file.name, item.file])).values(),
  ];
  const syntax = files.flatMap(({ problems }) => problems);
  if (syntax.length > 0) return syntax;

  const shapes = [
    ...shapeProblems(root, rootShape),
    ...shapeProblems(new Place(file("schemas/roles.yaml")), rolesShape),
    ...shapeProblems(table, codesShape),
    ...schemas.flatMap((one) =>
      Object.keys(new Place(one).fields).flatMap((name) => shapeProblems(new Place(one).at(name), schemaShape)),
    ),
    ...paths.flatMap(({ path, item }) =>
      item.value === undefined
        ? [
            root
              .at("paths", path)
              .problem(
                `${path} refers to a place that does not exist. Write the operations there, or correct the $ref.`,
              ),
          ]
        : shapeProblems(item, itemShape),
    ),
    ...paths
      .filter(({ item }) => item.value !== undefined && Object.keys(item.fields).length === 0)
      .map(({ item, path }) => item.problem(`${path} has no operation. Write one, or remove the path.`)),
  ];
  if (shapes.length > 0) return shapes;

  const operations = paths.flatMap(({ path, item }) =>
    methods.flatMap((method) => (method in item.fields ? [{ path, method, place: item.at(method) }] : [])),
  );
  const roles = rolesShape.parse(file("schemas/roles.yaml").value).Role.enum;
  const known: Known = {
    tags: rootShape.parse(root.value).tags.map(({ name }) => name),
    roles: [...roles, "self"],
    limits: Object.keys(root.at("x-limits").fields),
    operations: new Map(operations.map(({ place }) => [String(place.fields.operationId), place])),
  };
  const ids = [...known.operations.keys()];
  return [
    ...operations.flatMap((operation) => operationProblems(operation, known)),
    ...repeated(operations.map(({ place }) => place)),
    ...codeProblems(table, ids, Object.keys(root.at("components", "responses").fields)),
    ...fieldCodeProblems(table.at("fieldCodes")),
    ...schemas.flatMap((one) => shownByProblems(new Place(one), ids)),
    ...schemas.flatMap((one) => descriptionProblems(new Place(one))),
    ...files.flatMap((one) => limitProblems(new Place(one))),
  ];
}

const conditions: readonly Condition[] = [
  "every-operation",
  "account-scoped",
  "role-restricted",
  "path-id",
  "body",
  "query",
];

const noAdvice = "has no advice. Write what the caller does about it, in one or two sentences";

/** Field codes without advice. */
function fieldCodeProblems(codes: Place): Problem[] {
  return Object.keys(codes.fields).flatMap((code) => {
    const { advice } = codes.at(code).fields;
    return isText(advice) ? [] : [codes.at(code).problem(`The field code ${code} ${noAdvice}.`)];
  });
}

/** Rows of the table of error codes that are incomplete, and codes with two rows. */
function codeProblems(table: Place, operations: readonly string[], responses: readonly string[]): Problem[] {
  const possible: readonly string[] = [...conditions, ...operations];
  const seen = new Set<string>();
  return codesShape.parse(table.value).groups.flatMap((_, index) => {
    const codes = table.at("groups", String(index), "codes");
    return Object.keys(codes.fields).flatMap((code) => {
      const { meaning, advice, status, mock, when = [], causes = {} } = codes.at(code).fields;
      const answered = String(status ?? mock);
      const unknown = isList(when) ? when.filter((one) => !possible.includes(String(one))) : [];
      const uncaused = Object.keys(Object(causes)).filter((one) => !(isList(when) && when.includes(one)));
      const isRepeated = seen.has(code);
      seen.add(code);
      const wanting = [
        ...(isRepeated ? ["stands in two groups. Write it once"] : []),
        ...(isText(meaning) ? [] : ["has no meaning. Write one sentence"]),
        ...(isText(advice) ? [] : [noAdvice]),
        ...(Number.isInteger(status ?? mock)
          ? []
          : ["has no status. Write status, or mock if the specification states none"]),
        ...(isList(when) ? [] : [`has the when ${shown(when)}. Write a list in brackets`]),
        ...(isList(when) && when.length > 0 && Number.isInteger(status ?? mock) && !responses.includes(answered)
          ? [
              `has the status ${answered}. Write the description of that response in components.responses of openapi.yaml`,
            ]
          : []),
        ...unknown.map(
          (one) => `names ${shown(one)} in when. Write an operationId or one of: ${conditions.join(", ")}`,
        ),
        ...uncaused.map((one) => `names ${shown(one)} in causes. Write an entry of its when`),
      ];
      return wanting.map((what) => codes.at(code).problem(`The error code ${code} ${what}.`));
    });
  });
}

/** Marks `x-returned-by` that are no list of operations, at any depth of a file of schemas. */
function shownByProblems(place: Place, operations: readonly string[]): Problem[] {
  return Object.keys(place.fields).flatMap((key) => {
    if (key !== "x-returned-by") return shownByProblems(place.at(key), operations);
    const named = place.fields[key];
    if (isList(named) && named.every((one) => operations.includes(String(one)))) return [];
    const field = place.steps.at(-1) ?? "";
    return [place.at(key).problem(`${field} has the x-returned-by ${shown(named)}. Write operationIds in brackets.`)];
  });
}

/** Properties without a description, at any depth of a file of schemas. Editors show it, since it becomes the doc comment. */
function descriptionProblems(place: Place): Problem[] {
  return Object.keys(place.fields).flatMap((key) => {
    const inside = place.at(key);
    const missing = key === "properties" ? Object.keys(inside.fields).map((name) => inside.at(name)) : [];
    return [
      ...missing
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
