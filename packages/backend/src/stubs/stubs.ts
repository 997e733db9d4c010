import type { OperationDescription } from "@call-transfer/spec";
import { isRequestMatch } from "../faults/match-fault.ts";
import type { Stub, StubResponse } from "../generated/models.gen.ts";
import type { Events } from "../model/changes/events.ts";
import { InputError, under } from "../model/errors/input-error.ts";
import { assertStub, type OperationOf, paramsOf } from "./check-stub.ts";

/** What the list of stubs adds to each. */
export interface ListedStub {
  /** What replaces and deletes it. */
  readonly id: string;
  /** How many requests it has answered. */
  readonly hits: number;
}

/** The stubs of a backend, in the order in which they were added. */
export interface Stubs {
  /**
   * Adds a stub and returns its id. Throws InputError naming the invalid field: for a request that an operation of the API
   * answers, for a duplicate, and if there are 1000 stubs.
   */
  add(stub: Stub): string;
  /** Lists the stubs. */
  list(): readonly (Stub & ListedStub)[];
  /** Replaces a stub, which keeps its id; false if none has this id. Throws InputError like `add`. */
  replace(id: string, stub: Stub): boolean;
  /** Removes a stub; false if none has this id. */
  remove(id: string): boolean;
  /** Removes every stub. The records of their collections stay. */
  clear(): void;
}

/** The part of a snapshot that holds the stubs. */
export interface StubsSnapshot {
  /** The number in the last id. */
  readonly last: number;
  readonly all: readonly { readonly id: string; readonly [part: string]: unknown }[];
}

export const noStubs: StubsSnapshot = { last: 0, all: [] };

/** A stub, prepared for matching. */
export interface ActiveStub {
  readonly id: string;
  readonly stub: Stub;
  /** What faults and the dispatcher read of an operation. The API document has none for it. */
  readonly operation: OperationDescription;
  readonly segments: readonly string[];
  /** What two stubs for the same requests have in common. */
  readonly shape: string;
  hits: number;
}

/** A stub that matches a request, apart from the criteria of the body. */
export interface FoundStub {
  readonly stub: ActiveStub;
  readonly params: Readonly<Record<string, string>>;
}

/** What the backend itself does with its stubs. */
export interface StubTable extends Stubs {
  /** The stubs that match a request apart from its body, the best first. */
  candidates(method: string, url: URL, headers: { get(name: string): string | null }): readonly FoundStub[];
  /** Counts a request, and returns its response, if the stub has no collection. */
  nextResponse(stub: ActiveStub): StubResponse | undefined;
  /** A new id for a response or a record. Drawn here, so that stubs do not change the ids of other records. */
  newId(): string;
  /** Exports the stubs for a snapshot. */
  keep(): StubsSnapshot;
  /** Checks the stubs of a snapshot. The returned function replaces all stubs. Throws InputError naming the invalid field. */
  prepare(snapshot: StubsSnapshot): () => void;
}

/** What stubs need of their backend. */
interface StubsPlace {
  readonly operationOf: OperationOf;
  readonly newId: () => string;
  readonly events: Pick<Events, "emit">;
  /** Runs after any change, also of the response that comes next. */
  readonly changed?: (() => void) | undefined;
}

/** The number of stubs that a backend holds at most. A request that no operation matches is compared with all of them. */
const mostStubs = 1000;

/** Creates an empty list of stubs. */
export function createStubs({ operationOf, newId, events, changed = () => {} }: StubsPlace): StubTable {
  let last = 0;
  let all: readonly ActiveStub[] = [];
  /** The same, those first that say most about a request. */
  let ranked: readonly ActiveStub[] = [];
  const put = (stubs: readonly ActiveStub[]): void => {
    all = stubs;
    ranked = stubs.toSorted((a, b) => paramCount(a) - paramCount(b) || criteriaCount(b) - criteriaCount(a));
    changed();
  };
  const checked = (id: string, given: unknown, others: readonly ActiveStub[], hits = 0): ActiveStub => {
    if (others.length >= mostStubs)
      throw new InputError("", `more than ${mostStubs} stubs are not allowed. Remove those that are not used.`);
    assertStub(given, operationOf);
    const entry = activeStub(id, structuredClone(given), hits);
    const same = others.find((other) => other.shape === entry.shape);
    if (same === undefined) return entry;
    throw new InputError(
      "path",
      `${same.id} has the same method, path and match. Replace it, or remove one of the two.`,
    );
  };
  const drop = (isGone: (entry: ActiveStub) => boolean): boolean => {
    const gone = all.filter(isGone);
    if (gone.length > 0) put(all.filter((entry) => !isGone(entry)));
    for (const { id, hits } of gone) events.emit("stub.removed", { id, hits });
    return gone.length > 0;
  };
  const announce = (type: string, { id, operation: { method, path } }: ActiveStub): void =>
    events.emit(type, { id, method, path });
  return {
    add(stub) {
      const entry = checked(`stub-${last + 1}`, stub, all);
      last += 1;
      put([...all, entry]);
      announce("stub.added", entry);
      return entry.id;
    },
    list: () => all.map(({ id, stub, hits }) => ({ ...structuredClone(stub), id, hits })),
    replace(id, stub) {
      const index = all.findIndex((entry) => entry.id === id);
      if (index === -1) return false;
      const entry = checked(id, stub, all.toSpliced(index, 1));
      put(all.with(index, entry));
      announce("stub.replaced", entry);
      return true;
    },
    remove: (id) => drop((entry) => entry.id === id),
    clear: () => void drop(() => true),
    candidates(method, url, headers) {
      if (ranked.length === 0) return [];
      const segments = url.pathname.split("/");
      return ranked.flatMap((stub) => {
        const {
          operation,
          stub: { match },
        } = stub;
        if (operation.method !== method || !isPath(stub.segments, segments)) return [];
        const isMatch = isRequestMatch(
          { headers: match?.headers ?? {}, query: match?.query ?? {} },
          { operation, url, headers },
          "",
        );
        return isMatch ? [{ stub, params: paramsIn(stub.segments, segments) }] : [];
      });
    },
    nextResponse(entry) {
      const { response, responses = [] } = entry.stub;
      const next = response ?? responses[Math.min(entry.hits, responses.length - 1)];
      entry.hits += 1;
      // The count alone does not make a read wait for the store.
      if (entry.hits < responses.length) changed();
      return next;
    },
    newId,
    keep: () => ({ last, all: all.map(({ id, stub, hits }) => ({ ...stub, id, hits })) }),
    prepare(snapshot) {
      const prepared: ActiveStub[] = [];
      for (const [index, { id, hits, ...stub }] of snapshot.all.entries())
        prepared.push(
          under(`stubs.all[${index}]`, () => checked(id, stub, prepared, typeof hits === "number" ? hits : 0)),
        );
      return () => {
        last = snapshot.last;
        put(prepared);
      };
    },
  };
}

function activeStub(id: string, stub: Stub, hits: number): ActiveStub {
  const { method, path } = stub;
  const hasBody = method !== "GET" && method !== "DELETE";
  const operation = { ...noOperation, id, method, path, hasBody, pathParameters: paramsOf(path) };
  return { id, stub, operation, segments: path.split("/"), shape: shapeOf(stub), hits };
}

const noOperation: Omit<OperationDescription, "id" | "method" | "path" | "hasBody" | "pathParameters"> = {
  ...{
    tag: "stubs",
    resource: "",
    sdkMethod: "",
    summary: "",
    roles: [],
    scope: "",
    accountScoped: false,
    retry: "once",
  },
  ...{ queryParameters: {}, statuses: [], errorCodes: [], successes: [] },
};

const paramCount = ({ operation }: ActiveStub): number => operation.pathParameters.length;

function criteriaCount({ stub: { match = {} } }: ActiveStub): number {
  return Object.values(match).reduce((sum, criteria) => sum + Object.keys(criteria).length, 0);
}

function shapeOf({ method, path, match = {} }: Stub): string {
  const headers = Object.entries(match.headers ?? {}).map(([name, text]) => [name.toLowerCase(), text]);
  const criteria = [headers, Object.entries(match.query ?? {}), Object.entries(match.body ?? {})];
  return JSON.stringify([
    method,
    path.replaceAll(/\{\w+\}/g, "{}"),
    criteria.map((pairs) => pairs.map((pair) => JSON.stringify(pair)).sort()),
  ]);
}

function isPath(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => (part.startsWith("{") ? segments[index] !== "" : part === segments[index]))
  );
}

function paramsIn(template: readonly string[], segments: readonly string[]): Record<string, string> {
  const params = template.flatMap((part, index) =>
    part.startsWith("{") ? [[part.slice(1, -1), decoded(segments[index] ?? "")] as const] : [],
  );
  return Object.fromEntries(params);
}

/** A segment as text; as it is if it is not valid percent-encoding. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
