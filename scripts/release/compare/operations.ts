// What a change of one operation means to customers. A webhook is an operation whose request they receive.
import type { Bump, Change } from "../change.ts";
import { isEqual, type JsonObject, listIn, nameOf, namesIn, objectIn, resolved, stable, textsIn } from "../json.ts";
import { compareSchemas, type Direction, schemaOf } from "./schemas.ts";

/** An operation with what its path and document add to it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly isWebhook: boolean;
  readonly own: JsonObject;
  /** The path's parameters and its own, by place and name. */
  readonly parameters: JsonObject;
  /** Alternatives of schemes that grant access; none for open access. */
  readonly security: readonly string[];
}

interface Both {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** What a path holds operations under. */
export const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Every operation and webhook of a document, by its operationId. */
export function operationsOf(document: JsonObject): Map<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [kind, isWebhook] of [
    ["paths", false],
    ["webhooks", true],
  ] as const) {
    for (const [path, held] of Object.entries(objectIn(document[kind]))) {
      const item = resolved(held, document);
      for (const method of methods.filter((name) => item[name])) {
        const own = objectIn(item[method]);
        const id = String(own.operationId ?? `${method} ${path}`);
        const parameters = [...listIn(item.parameters), ...listIn(own.parameters)].map((parameter) =>
          resolved(parameter, document),
        );
        const security = (own.security ?? document.security) as unknown;
        found.set(id, {
          id,
          method: method.toUpperCase(),
          path,
          isWebhook,
          own,
          parameters: Object.fromEntries(parameters.map((one) => [keyOf(one), one])),
          security: listIn(security).map(stable),
        });
      }
    }
  }
  return found;
}

/** Header names do not tell letter case apart. */
const keyOf = (parameter: JsonObject): string => {
  const name = String(parameter.name);
  return `${parameter.in} parameter ${parameter.in === "header" ? name.toLowerCase() : name}`;
};

/** Every change between two descriptions of one operation. */
export function compareOperations(was: Operation, is: Operation, documents: Both): Change[] {
  const at = (place: string) => `${is.id}${place}`;
  const change = (bump: Bump, words: string, place = ""): Change => ({ bump, place: at(place), words, met: [] });
  const moved = was.path !== is.path || was.method !== is.method;
  const [sent, received]: [Direction, Direction] = is.isWebhook ? ["received", "sent"] : ["sent", "received"];
  return [
    ...(moved ? [change("major", `moved from ${was.method} ${was.path} to ${is.method} ${is.path}`)] : []),
    ...compareSecurity(was, is, change),
    ...namesIn(was.parameters, is.parameters).flatMap((name) =>
      comparePart(was.parameters[name], is.parameters[name], {
        ...documents,
        place: at(` ${name}`),
        direction: sent,
        met: metBy(is, sent),
      }),
    ),
    ...compareBody(was, is, documents, sent),
    ...compareResponses(was, is, documents, received),
    ...namesIn(was.own, is.own)
      .filter((key) => !compared.has(key) && !isEqual(was.own[key], is.own[key]))
      .flatMap((key) => compareMark(key, was.own[key], is.own[key]).map(([bump, words]) => change(bump, words))),
  ];
}

const metBy = ({ id }: Operation, direction: Direction, what = ""): string =>
  `${direction === "sent" ? "sent to" : "received from"} ${id}${what}`;

const compared: ReadonlySet<string> = new Set(["parameters", "requestBody", "responses", "security", "operationId"]);
const notes: ReadonlySet<string> = new Set(["summary", "description", "tags", "externalDocs", "x-assumption"]);

function compareSecurity(was: Operation, is: Operation, change: (bump: Bump, words: string) => Change): Change[] {
  const open = [was, is].map(({ security }) => security.length === 0 || security.includes("{}"));
  if (open[0] && open[1]) return [];
  if (open[0]) return [change("major", "now needs a credential")];
  if (open[1]) return [change("minor", "no longer needs a credential")];
  return [
    ...was.security
      .filter((one) => !is.security.includes(one))
      .map((one) => change("major", `access by ${one} was removed`)),
    ...is.security
      .filter((one) => !was.security.includes(one))
      .map((one) => change("minor", `access by ${one} was added`)),
  ];
}

/** A parameter, header or body: something with `required` and a schema. */
interface PartPlace extends Both {
  readonly place: string;
  readonly direction: Direction;
  readonly met: string;
}

const partNotes: ReadonlySet<string> = new Set(["description", "example", "examples", "x-assumption"]);
const partCompared: ReadonlySet<string> = new Set(["required", "schema", "content", "name", "in"]);

function comparePart(before: unknown, after: unknown, part: PartPlace): Change[] {
  const named = nameOf(before);
  // What several operations share is told by its own name, and so once.
  const at = named && named === nameOf(after) ? { ...part, place: named } : part;
  const change = (bump: Bump, words: string): Change => ({ bump, place: at.place, words, met: [at.met] });
  const [was, is] = [resolved(before, at.before), resolved(after, at.after)];
  const [needed, isNeeded] = [was.required === true, is.required === true];
  if (after === undefined) return [change("major", "was removed")];
  if (before === undefined) {
    return [
      change(
        isNeeded && at.direction === "sent" ? "major" : "minor",
        isNeeded ? "was added, and is required" : "was added",
      ),
    ];
  }
  const breaks = isNeeded === (at.direction === "sent");
  return [
    ...(needed === isNeeded
      ? []
      : [change(breaks ? "major" : "minor", isNeeded ? "is now required" : "is now optional")]),
    ...compareSchemas(schemaOf(was), schemaOf(is), { ...at, within: new Set() }),
    ...compareContent(was.content, is.content, at),
    ...namesIn(was, is)
      .filter((key) => !partCompared.has(key) && !isEqual(was[key], is[key]))
      .map((key) => {
        if (partNotes.has(key)) return change("patch", `its ${key} was reworded`);
        return change(key === "deprecated" ? "minor" : "major", `${key} ${stable(was[key])} is now ${stable(is[key])}`);
      }),
  ];
}

function compareContent(before: unknown, after: unknown, at: PartPlace): Change[] {
  const [was, is] = [objectIn(before), objectIn(after)];
  return namesIn(was, is).flatMap((type): Change[] => {
    const change = (bump: Bump, words: string): Change => ({ bump, place: at.place, words, met: [at.met] });
    if (!(type in is)) return [change("major", `media type ${type} was removed`)];
    if (!(type in was)) return [change("minor", `media type ${type} was added`)];
    const [old, now] = [objectIn(was[type]), objectIn(is[type])];
    const noted = ["example", "examples"].filter((key) => !isEqual(old[key], now[key]));
    return [
      ...compareSchemas(schemaOf(old), schemaOf(now), { ...at, within: new Set() }),
      ...noted.map((key) => change("patch", `its ${key} changed`)),
      ...(isEqual(old.encoding, now.encoding) ? [] : [change("major", "its encoding changed")]),
    ];
  });
}

function compareBody(was: Operation, is: Operation, documents: Both, direction: Direction): Change[] {
  if (was.own.requestBody === undefined && is.own.requestBody === undefined) return [];
  const at = { ...documents, place: `${is.id} body`, direction, met: metBy(is, direction) };
  return comparePart(was.own.requestBody, is.own.requestBody, at);
}

function compareResponses(was: Operation, is: Operation, documents: Both, direction: Direction): Change[] {
  const [old, now] = [objectIn(was.own.responses), objectIn(is.own.responses)];
  return namesIn(old, now).flatMap((status): Change[] => {
    const place = `${is.id} ${status}`;
    const change = (bump: Bump, words: string, part = ""): Change => ({
      bump,
      place: `${place}${part}`,
      words,
      met: [],
    });
    if (!(status in now)) return [change("major", "the status was removed")];
    // Whoever handles `default` has been told that other errors may come.
    const foreseen = /^[45]/.test(status) && "default" in old;
    if (!(status in old)) {
      if (direction === "sent") return [change("minor", "the status was added")];
      return [change(foreseen || status === "default" ? "minor" : "major", "the status was added")];
    }
    const [before, after] = [resolved(old[status], documents.before), resolved(now[status], documents.after)];
    const at = { ...documents, place, direction, met: metBy(is, direction, ` (${status})`) };
    const headers = [objectIn(before.headers), objectIn(after.headers)] as const;
    const other = namesIn(before, after).filter(
      (key) => !["headers", "content"].includes(key) && !isEqual(before[key], after[key]),
    );
    return [
      ...namesIn(...headers).flatMap((name) =>
        comparePart(headers[0][name], headers[1][name], { ...at, place: `${place} header ${name}` }),
      ),
      ...compareContent(before.content, after.content, at),
      ...other.map((key) =>
        partNotes.has(key) ? change("patch", `its ${key} was reworded`) : change("major", `its ${key} changed`),
      ),
    ];
  });
}

/** What may be sent again, from the least promised to the most. */
const retryClasses = ["once", "unique", "safe"];

/** The words and weight of a changed mark: more granted is minor, anything taken back is major. */
function compareMark(key: string, before: unknown, after: unknown): [Bump, string][] {
  const words = `${key} ${stable(before)} is now ${stable(after)}`;
  if (notes.has(key)) return [["patch", `its ${key} was reworded`]];
  if (key === "x-roles" || key === "x-error-codes") {
    const what = key === "x-roles" ? "role" : "error code";
    const [was, is] = [textsIn(before), textsIn(after)];
    return [
      ...is.filter((one) => !was.includes(one)).map((one): [Bump, string] => ["minor", `the ${what} ${one} was added`]),
      ...was
        .filter((one) => !is.includes(one))
        .map((one): [Bump, string] => ["major", `the ${what} ${one} was removed`]),
    ];
  }
  if (key === "x-retry") {
    const [was, is] = [before, after].map((value) => retryClasses.indexOf(typeof value === "string" ? value : "safe"));
    return [[(is ?? 0) > (was ?? 0) ? "minor" : "major", words]];
  }
  if (key === "x-account-scoped") return [[after === true ? "major" : "minor", words]];
  if (key === "x-reconcile" || key === "x-paging") return [[before === undefined ? "minor" : "major", words]];
  if (key === "deprecated") return [["minor", words]];
  return [["major", words]];
}
