// Finds every change between two versions of the contract and the smallest bump that each allows.
import { withPlainEnums } from "../../../packages/contract/src/document/json.ts";
import { type Change, change, changeIf, compareNamed, merged } from "../change.ts";
import { changedKeys, isEqual, type JsonObject, listIn, mapIn, objectIn, resolved, stable } from "../json.ts";
import { compareEntries, compareOperations, compareRest, methods, operationsOf } from "./operations.ts";

/** Top-level keys that are compared where an operation refers to them. */
const comparedElsewhere: ReadonlySet<string> = new Set(["paths", "webhooks", "security"]);
const notes: ReadonlySet<string> = new Set(["info", "tags", "openapi", "externalDocs"]);
const pathNotes: ReadonlySet<string> = new Set(["summary", "description", "x-assumption"]);
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
      .flatMap(([path, old]) =>
        compareRest(resolved(old, before), resolved(now.get(path), after), path, pathKeys, pathNotes),
      );
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
