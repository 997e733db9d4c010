// Every change between two versions of the contract, with the least bump that may carry it.
import { type Bump, type Change, gathered } from "../change.ts";
import { isEqual, type JsonObject, namesIn, objectIn, resolved, stable } from "../json.ts";
import { compareOperations, methods, operationsOf } from "./operations.ts";

/** Parts of the document that are compared where an operation refers to them, or that only describe. */
const comparedElsewhere: ReadonlySet<string> = new Set(["paths", "webhooks", "security"]);
const notes: ReadonlySet<string> = new Set(["info", "tags", "openapi", "externalDocs"]);
const pathNotes: ReadonlySet<string> = new Set(["summary", "description", "x-assumption"]);

const change = (bump: Bump, place: string, words: string): Change => ({ bump, place, words, met: [] });

/** Compares two bundled OpenAPI 3.1 documents. Descriptions and examples weigh a patch; an unknown part weighs a major. */
export function compareContracts(before: JsonObject, after: JsonObject): Change[] {
  const found = [
    ...compareAllOperations(before, after),
    ...comparePaths(before, after),
    ...compareErrorTables(before, after),
    ...compareRoots(before, after),
  ];
  if (found.length > 0 || isEqual(before, after)) return gathered(found);
  return [change("patch", "the document", "something that no operation refers to changed")];
}

function compareAllOperations(before: JsonObject, after: JsonObject): Change[] {
  const [old, now] = [operationsOf(before), operationsOf(after)];
  const renamed = new Set<string>();
  const found: Change[] = [];
  for (const [id, was] of old) {
    const successor =
      now.get(id) ?? [...now.values()].find((one) => one.path === was.path && one.method === was.method);
    if (!successor) {
      found.push(change("major", id, `the operation ${was.method} ${was.path} was removed`));
      continue;
    }
    if (successor.id !== id) {
      renamed.add(successor.id);
      found.push(change("major", id, `was renamed to ${successor.id}`));
    }
    found.push(...compareOperations(was, successor, { before, after }));
  }
  for (const [id, { method, path }] of now) {
    if (!old.has(id) && !renamed.has(id)) found.push(change("minor", id, `the operation ${method} ${path} was added`));
  }
  return found;
}

/** What stands at a path besides its operations and their parameters. */
function comparePaths(before: JsonObject, after: JsonObject): Change[] {
  const known = [...methods, "parameters"];
  return ["paths", "webhooks"].flatMap((kind) => {
    const [old, now] = [objectIn(before[kind]), objectIn(after[kind])];
    return Object.keys(old).flatMap((path) => {
      const [was, is] = [resolved(old[path], before), resolved(now[path], after)];
      if (!(path in now)) return [];
      return namesIn(was, is)
        .filter((key) => !known.includes(key) && !isEqual(was[key], is[key]))
        .map((key) =>
          pathNotes.has(key)
            ? change("patch", path, `its ${key} was reworded`)
            : change("major", path, `${key} ${stable(was[key])} is now ${stable(is[key])}`),
        );
    });
  });
}

/** What an error code's row says to customers; its words and the reference backend's own columns are a patch. */
function compareErrorTables(before: JsonObject, after: JsonObject): Change[] {
  const [old, now] = [objectIn(before["x-error-table"]), objectIn(after["x-error-table"])];
  return namesIn(old, now).flatMap((code): Change[] => {
    const place = `error code ${code}`;
    if (!(code in now)) return [change("major", place, "was removed")];
    if (!(code in old)) return [change("minor", place, "was added")];
    const [was, is] = [objectIn(old[code]), objectIn(now[code])];
    return namesIn(was, is)
      .filter((key) => !isEqual(was[key], is[key]))
      .map((key) => {
        const words = `${key} ${stable(was[key])} is now ${stable(is[key])}`;
        // A first status, or a promise that nothing was left behind, adds; changed or taken back, it breaks.
        if (["status", "effect", "errors"].includes(key))
          return change(was[key] === undefined ? "minor" : "major", place, words);
        return change("patch", place, words);
      });
  });
}

function compareRoots(before: JsonObject, after: JsonObject): Change[] {
  return namesIn(before, after).flatMap((key): Change[] => {
    if (comparedElsewhere.has(key) || key === "x-error-table" || isEqual(before[key], after[key])) return [];
    if (notes.has(key)) return [change("patch", key, "was reworded")];
    if (key === "x-limits") return compareEntries("limit", objectIn(before[key]), objectIn(after[key]));
    if (key === "servers") return compareEntries("server", byUrl(before), byUrl(after));
    if (key === "components") {
      const schemes = [before, after].map((document) => objectIn(objectIn(document[key]).securitySchemes));
      return compareEntries("security scheme", schemes[0] ?? {}, schemes[1] ?? {});
    }
    return [change("major", key, "changed, and no rule can weigh it")];
  });
}

const byUrl = (document: JsonObject): JsonObject =>
  Object.fromEntries(
    (Array.isArray(document.servers) ? document.servers : []).map((server) => [String(objectIn(server).url), {}]),
  );

const undescribed = (value: unknown): unknown =>
  typeof value === "object" ? { ...objectIn(value), description: "" } : value;

function compareEntries(what: string, old: JsonObject, now: JsonObject): Change[] {
  return namesIn(old, now).flatMap((name): Change[] => {
    const place = `${what} ${name}`;
    if (!(name in now)) return [change("major", place, "was removed")];
    if (!(name in old)) return [change("minor", place, "was added")];
    if (isEqual(old[name], now[name])) return [];
    if (isEqual(undescribed(old[name]), undescribed(now[name]))) return [change("patch", place, "was reworded")];
    return [change("major", place, `${stable(old[name])} is now ${stable(now[name])}`)];
  });
}
