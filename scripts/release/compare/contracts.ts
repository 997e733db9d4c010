// Finds every change between two versions of the contract and the smallest bump that each allows. A webhook is an operation whose
// request customers receive.
import { withPlainEnums } from "../../../packages/contract/src/document/json.ts";
import { type Change, change, changeIf, compareNamed, merged } from "../change.ts";
import {
  changedKeys,
  isEqual,
  type JsonObject,
  listDifference,
  listIn,
  mapIn,
  nameOf,
  objectIn,
  resolved,
  stable,
  textsIn,
} from "../json.ts";
import { changeAt, compareSchemas, type SchemaPlace, schemaOf } from "./schemas.ts";

/** Keys of a path item that hold operations. */
const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Top-level keys that are compared where an operation refers to them. */
const comparedElsewhere: ReadonlySet<string> = new Set(["paths", "webhooks", "security"]);
/** Keys that only describe. */
const notes: ReadonlySet<string> = new Set([
  ...["info", "tags", "openapi", "externalDocs", "summary", "description", "example", "examples", "x-assumption"],
]);
const pathKeys: ReadonlySet<string> = new Set([...methods, "parameters"]);

/** Compares two bundled OpenAPI 3.1 documents. Descriptions and examples are a patch; an unknown part is a major. */
export function compareContracts(...documents: readonly [before: JsonObject, after: JsonObject]): Change[] {
  const [before, after] = [withPlainEnums(documents[0]), withPlainEnums(documents[1])];
  const found = [
    ...compareAllOperations(before, after),
    ...comparePaths(before, after),
    ...changedKeys(before, after).flatMap((key) => compareRoot(key, before, after)),
  ];
  if (found.length > 0 || isEqual(before, after)) return merged(found);
  return [change("patch", "the document", "a part that no operation refers to changed")];
}

function compareAllOperations(before: JsonObject, after: JsonObject): Change[] {
  const [old, now] = [operationsOf(before), operationsOf(after)];
  const known = new Set<string>();
  const found = [...old.values()].flatMap((was) => {
    const { id, path, method } = was;
    const is = now.get(id) ?? [...now.values()].find((one) => one.path === path && one.method === method);
    if (!is) return [change("major", id, `the operation ${method} ${path} was removed`)];
    known.add(is.id);
    return [
      ...changeIf(is.id !== id, "major", id, `was renamed to ${is.id}`),
      ...compareOperations(was, is, { before, after }),
    ];
  });
  const added = [...now.values()].filter(({ id }) => !known.has(id));
  return [
    ...found,
    ...added.map(({ id, method, path }) => change("minor", id, `the operation ${method} ${path} was added`)),
  ];
}

/** Compares what a path item has besides operations and parameters. */
const comparePaths = (before: JsonObject, after: JsonObject): Change[] =>
  ["paths", "webhooks"].flatMap((kind) => {
    const now = mapIn(after[kind]);
    return [...mapIn(before[kind])]
      .filter(([path]) => now.has(path))
      .flatMap(([path, old]) => compareRest(resolved(old, before), resolved(now.get(path), after), path, pathKeys));
  });

function compareRoot(key: string, before: JsonObject, after: JsonObject): Change[] {
  const [old, now] = [before[key], after[key]];
  if (comparedElsewhere.has(key)) return [];
  if (notes.has(key)) return [change("patch", key, "was reworded")];
  if (key === "x-error-table") return compareErrorTables("error code", old, now);
  if (key === "x-field-error-table") return compareErrorTables("field error code", old, now);
  if (key === "x-limits") return compareEntries("limit", old, now);
  if (key === "servers") return compareEntries("server", byUrl(old), byUrl(now));
  if (key === "components") {
    return compareEntries("security scheme", objectIn(old).securitySchemes, objectIn(now).securitySchemes);
  }
  return [change("major", key, "changed, and there is no rule for it")];
}

const byUrl = (servers: unknown): JsonObject =>
  Object.fromEntries(listIn(servers).map((server) => [String(objectIn(server).url), {}]));

/**
 * Columns of the error table that clients rely on. Adding one is a minor; changing or removing one is a major. Adding
 * `effect` is a major too: clients then repeat the request.
 */
const promises: ReadonlySet<string> = new Set(["status", "effect", "errors"]);

const compareErrorTables = (what: string, old: unknown, now: unknown): Change[] =>
  compareNamed(mapIn(old), mapIn(now), {
    removed: (code) => change("major", `${what} ${code}`, "was removed"),
    added: (code) => change("minor", `${what} ${code}`, "was added"),
    kept: (was, is, code) =>
      changedKeys(objectIn(was), objectIn(is)).map((key) => {
        const [before, value] = [objectIn(was)[key], objectIn(is)[key]];
        const bump = !promises.has(key) ? "patch" : before === undefined && key !== "effect" ? "minor" : "major";
        return change(bump, `${what} ${code}`, `${key} ${stable(before)} is now ${stable(value)}`);
      }),
  });

/** An operation with what its path item and document add to it. */
interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly isWebhook: boolean;
  readonly own: JsonObject;
  /** Parameters of the path item and the operation, by location and name. */
  readonly parameters: ReadonlyMap<string, JsonObject>;
  /** Alternative security requirements. Empty when the operation needs no credential. */
  readonly security: readonly string[];
}

type Documents = Pick<SchemaPlace, "before" | "after">;

/** Every operation and webhook of a document, by operationId. */
function operationsOf(document: JsonObject): Map<string, Operation> {
  const places = ["paths", "webhooks"].flatMap((kind) =>
    [...mapIn(document[kind])].map(([path, held]) => ({ kind, path, item: resolved(held, document) })),
  );
  const operations = places.flatMap(({ kind, path, item }) =>
    methods
      .filter((method) => item[method])
      .map((method): Operation => {
        const own = objectIn(item[method]);
        const parameters = [...listIn(item.parameters), ...listIn(own.parameters)].map((one) =>
          resolved(one, document),
        );
        return {
          id: String(own.operationId ?? `${method} ${path}`),
          method: method.toUpperCase(),
          path,
          isWebhook: kind === "webhooks",
          own,
          parameters: new Map(parameters.map((one) => [keyOf(one), one])),
          security: listIn(own.security ?? document.security).map(stable),
        };
      }),
  );
  return new Map(operations.map((operation) => [operation.id, operation]));
}

/** Header names are case-insensitive. */
const keyOf = ({ in: location, name }: JsonObject): string =>
  `${location} parameter ${location === "header" ? String(name).toLowerCase() : name}`;

const compared: ReadonlySet<string> = new Set([
  ...["parameters", "requestBody", "responses", "security", "operationId", "x-roles", "x-error-codes"],
]);

/** Every change between two versions of one operation. */
function compareOperations(was: Operation, is: Operation, documents: Documents): Change[] {
  const { id } = is;
  const direction = is.isWebhook ? "received" : "sent";
  const request = { ...documents, direction, usedIn: `${direction} ${is.isWebhook ? "from" : "to"} ${id}` } as const;
  const moved = was.path !== is.path || was.method !== is.method;
  const bodies = [was, is].map(({ own }) => own.requestBody);
  return [
    ...changeIf(moved, "major", id, `moved from ${was.method} ${was.path} to ${is.method} ${is.path}`),
    ...compareLists(was, is),
    ...compareParts(was.parameters, is.parameters, request, id),
    ...(bodies.some((body) => body !== undefined)
      ? comparePart(bodies[0], bodies[1], { ...request, place: `${id} body` })
      : []),
    ...compareResponses(was, is, documents),
    ...compareRest(was.own, is.own, id, compared, [], grantsMore),
  ];
}

const partCompared: ReadonlySet<string> = new Set(["required", "schema", "content", "name", "in"]);

type Parts = ReadonlyMap<string, unknown>;

/** Compares parameters or headers. */
const compareParts = (was: Parts, is: Parts, at: Omit<SchemaPlace, "place">, owner: string): Change[] =>
  [...new Map([...was, ...is]).keys()].flatMap((name) =>
    comparePart(was.get(name), is.get(name), { ...at, place: `${owner} ${name}` }),
  );

/** Compares a parameter, header or body: anything with `required` and a schema. */
function comparePart(before: unknown, after: unknown, part: SchemaPlace): Change[] {
  const named = nameOf(before);
  // A part that several operations share is reported once, under its own name.
  const at = named && named === nameOf(after) ? { ...part, place: named } : part;
  const [was, is] = [resolved(before, at.before), resolved(after, at.after)];
  const [wasRequired, isRequired] = [was.required === true, is.required === true];
  if (after === undefined) return [changeAt(at, "major", "was removed")];
  if (before === undefined) {
    const breaks = isRequired && at.direction === "sent";
    return [changeAt(at, breaks ? "major" : "minor", isRequired ? "was added and is required" : "was added")];
  }
  const bump = isRequired === (at.direction === "sent") ? "major" : "minor";
  return [
    ...changeIf(
      wasRequired !== isRequired,
      bump,
      at.place,
      `is now ${isRequired ? "required" : "optional"}`,
      at.usedIn,
    ),
    ...compareSchemas(schemaOf(was), schemaOf(is), at),
    ...compareContent(was.content, is.content, at),
    ...compareRest(was, is, at.place, partCompared, [at.usedIn], (key) => key === "deprecated"),
  ];
}

const compareContent = (before: unknown, after: unknown, at: SchemaPlace): Change[] =>
  compareNamed(mapIn(before), mapIn(after), {
    removed: (type) => changeAt(at, "major", `media type ${type} was removed`),
    added: (type) => changeAt(at, "minor", `media type ${type} was added`),
    kept: (was, is) => [
      ...compareSchemas(schemaOf(was), schemaOf(is), at),
      ...compareRest(objectIn(was), objectIn(is), at.place, new Set(["schema"]), [at.usedIn]),
    ],
  });

function compareResponses(was: Operation, is: Operation, documents: Documents): Change[] {
  const [old, now] = [mapIn(was.own.responses), mapIn(is.own.responses)];
  const direction = is.isWebhook ? "sent" : "received";
  return compareNamed(old, now, {
    removed: (status) => change("major", `${is.id} ${status}`, "the status code was removed"),
    added: (status) => {
      // Clients that handle `default` already expect other errors.
      const expected = status === "default" || (/^[45]/.test(status) && old.has("default"));
      return change(is.isWebhook || expected ? "minor" : "major", `${is.id} ${status}`, "the status code was added");
    },
    kept: (oldResponse, newResponse, status) => {
      const [before, after] = [resolved(oldResponse, documents.before), resolved(newResponse, documents.after)];
      const place = `${is.id} ${status}`;
      const usedIn = `${direction} ${is.isWebhook ? "to" : "from"} ${is.id} (${status})`;
      const at = { ...documents, place, direction, usedIn } as const;
      return [
        ...compareParts(mapIn(before.headers), mapIn(after.headers), at, `${place} header`),
        ...compareContent(before.content, after.content, at),
        ...compareEntries(`${place} link`, before.links, after.links),
        ...compareRest(before, after, place, new Set(["headers", "content", "links"])),
      ];
    },
  });
}

/** Compares keys that have no rule of their own: a note is a patch, what takes nothing away a minor, anything else a major. */
const compareRest = (
  was: JsonObject,
  is: JsonObject,
  place: string,
  covered: ReadonlySet<string>,
  usedIn: readonly string[] = [],
  grants: (key: string, before: unknown, after: unknown) => boolean = () => false,
): Change[] =>
  changedKeys(was, is)
    .filter((key) => !covered.has(key))
    .map((key) => {
      const [before, after] = [was[key], is[key]];
      if (notes.has(key)) return change("patch", place, `${key} was reworded`, ...usedIn);
      const bump = grants(key, before, after) ? "minor" : "major";
      return change(bump, place, `${key} ${stable(before)} is now ${stable(after)}`, ...usedIn);
    });

/** Compares what an operation lists: who may call it, with which credential, and which codes it answers. */
function compareLists(was: Operation, is: Operation): Change[] {
  const [wasOpen, isOpen] = [was, is].map(({ security }) => security.length === 0 || security.includes("{}"));
  const listed = ({ own, security }: Operation): string[] => [
    ...(wasOpen || isOpen ? [] : security.map((one) => `access by ${one}`)),
    ...textsIn(own["x-roles"]).map((one) => `the role ${one}`),
    ...textsIn(own["x-error-codes"]).map((one) => `the error code ${one}`),
  ];
  const { added, removed } = listDifference(listed(was), listed(is));
  return [
    ...changeIf(wasOpen === true && isOpen === false, "major", is.id, "now needs a credential"),
    ...changeIf(wasOpen === false && isOpen === true, "minor", is.id, "no longer needs a credential"),
    ...added.map((one) => change("minor", is.id, `${one} was added`)),
    ...removed.map((one) => change("major", is.id, `${one} was removed`)),
  ];
}

/**
 * Whether a key of an operation takes nothing away. The retry class always does: one way, clients stop repeating; the other way, they
 * repeat what may then happen twice.
 */
function grantsMore(key: string, before: unknown, after: unknown): boolean {
  if (key === "x-account-scoped") return after !== true;
  return key === "deprecated" || ((key === "x-reconcile" || key === "x-pagination") && before === undefined);
}

const withoutDescription = (value: unknown): unknown =>
  typeof value === "object" ? { ...objectIn(value), description: "" } : value;

/** Compares named things of which clients know the names: a new one is a minor, another description a patch. */
const compareEntries = (what: string, old: unknown, now: unknown): Change[] =>
  compareNamed(mapIn(old), mapIn(now), {
    removed: (name) => change("major", `${what} ${name}`, "was removed"),
    added: (name) => change("minor", `${what} ${name}`, "was added"),
    kept: (was, is, name) =>
      isEqual(withoutDescription(was), withoutDescription(is))
        ? changeIf(!isEqual(was, is), "patch", `${what} ${name}`, "was reworded")
        : [change("major", `${what} ${name}`, `${stable(was)} is now ${stable(is)}`)],
  });
