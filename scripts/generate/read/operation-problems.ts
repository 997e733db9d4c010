// Finds what the descriptions of operations lack.
import type { Place, Problem } from "./source.ts";
import { isList, isName, isText, shown } from "./values.ts";

/** What an operation may refer to. */
export interface Known {
  readonly tags: readonly string[];
  readonly roles: readonly string[];
  readonly limits: readonly string[];
  readonly operations: ReadonlyMap<string, Place>;
}

/** An operation with its place. */
export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly place: Place;
}

/** A key of an operation: whether its value will do, and what to write otherwise. */
interface Mark {
  readonly key: string;
  readonly isValid: (value: unknown, known: Known, operation: Operation) => boolean;
  readonly write: (known: Known) => string;
}

const marks: readonly Mark[] = [
  {
    key: "operationId",
    isValid: (value) => isText(value) && /^[a-z][a-zA-Z]+$/.test(value),
    write: () => "a verb and a noun, such as getDestination",
  },
  {
    key: "tags",
    isValid: (value, { tags }) => isList(value) && value.length === 1 && tags.includes(String(value[0])),
    write: ({ tags }) => `one tag of openapi.yaml in brackets: ${tags.join(", ")}`,
  },
  { key: "summary", isValid: isText, write: () => "one line, such as: Get a destination" },
  {
    key: "description",
    isValid: isText,
    write: () => "what it does, with the section of the specification if there is one",
  },
  {
    key: "x-sdk",
    isValid: (value) => ["resource", "method"].every((key) => isName(Reflect.get(Object(value), key))),
    write: () => "the SDK's method, such as { resource: destinations, method: get }",
  },
  {
    key: "x-roles",
    isValid: (value, { roles }, { path }) =>
      isList(value) &&
      value.length > 0 &&
      value.every((role) => roles.includes(String(role))) &&
      (!value.includes("self") || path.includes("{memberId}")),
    write: ({ roles }) => `who may call it, in brackets: ${roles.join(", ")} (self only with {memberId} in the path)`,
  },
  {
    key: "x-scope",
    isValid: (value) => isText(value) && /^[a-z_]+:(?:read|write)$/.test(value),
    write: () => "the scope that a key needs, such as transfers:read",
  },
  {
    key: "x-account-scoped",
    isValid: (value) => typeof value === "boolean",
    write: () => "true if a JWT must name the account, otherwise false",
  },
  {
    key: "x-idempotency",
    isValid: (value, _known, { method }) =>
      method === "get"
        ? value === undefined || value === "idempotent"
        : ["idempotent", "conflict_safe", "non_idempotent"].includes(String(value)),
    write: () => "when to send it again: idempotent, conflict_safe or non_idempotent; a GET is always idempotent",
  },
];

/** What one operation lacks. */
export function operationProblems(operation: Operation, known: Known): Problem[] {
  const { path, method, place } = operation;
  const id = isText(place.fields.operationId) ? place.fields.operationId : `${method.toUpperCase()} ${path}`;
  const wrongMarks = marks
    .filter(({ key, isValid }) => !isValid(place.fields[key], known, operation))
    .map(({ key, write }) => {
      const value = place.fields[key];
      const isMissing = value === undefined || value === null || value === "";
      const what = isMissing ? `has no ${key}` : `has the ${key} ${shown(value)}`;
      return place.at(key).problem(`${id} ${what}. Write ${write(known)}.`);
    });
  return [
    ...wrongMarks,
    ...requestProblems(id, place),
    ...responseProblems(id, place.at("responses")),
    ...parameterProblems(id, place.at("parameters")),
    ...pagingProblems(id, place),
    ...reconcileProblems(id, place, known),
  ];
}

/** A body: a named schema and an example with a summary. */
function bodyProblems(id: string, what: string, place: Place): Problem[] {
  const json = place.at("content", "application/json");
  if (json.value === undefined)
    return [place.problem(`${id}: ${what} has no content of the type application/json. Write it.`)];
  const schema = json.at("schema");
  const examples = json.at("examples");
  const entries = Object.keys(examples.fields).map((name) => examples.at(name));
  return [
    ...(isText(schema.fields.$ref)
      ? schema.target.value === undefined
        ? [
            schema.problem(
              `${id}: ${what} refers to ${shown(schema.fields.$ref)}, which does not exist. Write that schema, or correct the $ref.`,
            ),
          ]
        : []
      : [
          schema.problem(
            `${id}: ${what} has no named schema. Write the schema in openapi/schemas/ and refer to it with $ref.`,
          ),
        ]),
    ...(entries.length === 0
      ? [json.problem(`${id}: ${what} has no example. Write examples, with a name, a summary and a value.`)]
      : []),
    ...entries.flatMap((entry) => [
      ...(isText(entry.fields.summary)
        ? []
        : [entry.problem(`${id}: an example of ${what} has no summary. Write one line.`)]),
      ...("value" in entry.fields
        ? []
        : [entry.problem(`${id}: an example of ${what} has no value. Write a body that its schema allows.`)]),
    ]),
  ];
}

function requestProblems(id: string, place: Place): Problem[] {
  const body = place.at("requestBody");
  if (body.value === undefined) return [];
  const required =
    body.fields.required === true
      ? []
      : [body.problem(`${id}: the request body is not required. Write required: true.`)];
  return [...required, ...bodyProblems(id, "the request body", body)];
}

function responseProblems(id: string, responses: Place): Problem[] {
  const statuses = Object.keys(responses.fields);
  const successes = statuses.filter((status) => /^2\d\d$/.test(status));
  const derived = statuses.filter((status) => !successes.includes(status));
  return [
    ...(successes.length === 0
      ? [responses.problem(`${id} has no success. Write a response with a status such as '200'.`)]
      : []),
    ...derived.map((status) =>
      responses
        .at(status)
        .problem(
          `${id}: the response ${status} is derived from the error codes. Remove it, and name the operation beside its codes in error-codes.yaml.`,
        ),
    ),
    ...successes.flatMap((status) => {
      const place = responses.at(status);
      return [
        ...(isText(place.fields.description)
          ? []
          : [place.problem(`${id}: the response ${status} has no description. Write one line.`)]),
        ...(status === "204" ? [] : bodyProblems(id, `the response ${status}`, place)),
      ];
    }),
  ];
}

function parameterProblems(id: string, parameters: Place): Problem[] {
  const list = isList(parameters.value) ? parameters.value : [];
  return list.flatMap((_, index) => {
    const parameter = parameters.at(String(index));
    const { name, in: where, description, schema } = parameter.fields;
    if (where !== "query")
      return [
        parameter.problem(
          `${id}: the parameter ${shown(name)} is derived. Write only query parameters; an id stands in the path, and x-account-scoped adds the account.`,
        ),
      ];
    const wanting = [...(isText(description) ? [] : ["description"]), ...(schema ? [] : ["schema"])];
    return wanting.map((key) =>
      parameter.problem(`${id}: the query parameter ${shown(name)} has no ${key}. Write one.`),
    );
  });
}

function pagingProblems(id: string, place: Place): Problem[] {
  const paging = place.at("x-pagination");
  if (paging.value === undefined) return [];
  const items = String(paging.fields.items);
  const success = place.at("responses", "200", "content", "application/json", "schema").target;
  const list = success.at("properties", items, "items");
  if (isText(list.fields.$ref)) return [];
  return [
    paging.problem(
      `${id}: x-pagination names ${items}, which is not a list of a named schema. Write the name of such a list.`,
    ),
  ];
}

function reconcileProblems(id: string, operation: Place, { limits, operations }: Known): Problem[] {
  const place = operation.at("x-reconcile");
  const { list, since, untilLimit } = place.fields;
  const named = operations.get(String(list));
  const isUsable =
    named?.at("x-pagination").value !== undefined && named.at("tags", "0").value === operation.at("tags", "0").value;
  if (list !== undefined && !isUsable)
    return [
      place.problem(`${id}: x-reconcile names ${shown(list)}. Write an operation with x-pagination and the same tag.`),
    ];
  const parameters = named?.at("parameters").value;
  const names = isList(parameters) ? parameters.map((parameter) => Reflect.get(Object(parameter), "name")) : [];
  if (list !== undefined && !names.includes(since))
    return [place.problem(`${id}: x-reconcile names ${shown(since)}. Write a query parameter of ${String(list)}.`)];
  if (untilLimit !== undefined && !limits.includes(String(untilLimit)))
    return [
      place.problem(
        `${id}: x-reconcile names the unknown limit ${shown(untilLimit)}. Write one of x-limits: ${limits.join(", ")}.`,
      ),
    ];
  return [];
}

/** Names that two operations share: operationIds, and methods of the SDK. */
export function repeated(places: readonly Place[]): Problem[] {
  const idOf = ({ fields: { operationId } }: Place) => (isText(operationId) ? operationId : "");
  const methodOf = (place: Place) => {
    const { resource, method } = place.at("x-sdk").fields;
    return isText(resource) && isText(method) ? `client.${resource}.${method}` : "";
  };
  const problemsOf = (nameOf: (place: Place) => string, key: string) =>
    places
      .filter(
        (place, index) =>
          nameOf(place) !== "" && places.findIndex((other) => nameOf(other) === nameOf(place)) !== index,
      )
      .map((place) =>
        place.at(key).problem(`Another operation is called ${nameOf(place)} too. Write a name of its own.`),
      );
  return [...problemsOf(idOf, "operationId"), ...problemsOf(methodOf, "x-sdk")];
}
