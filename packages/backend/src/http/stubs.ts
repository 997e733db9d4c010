import type { OperationDescription } from "@call-transfer/spec";
import { checkCriteria, checkHeaders } from "../faults/fault-check.ts";
import type { FaultsPlace, FaultsSnapshot, ListedFault } from "../faults/faults.ts";
import { isRequestMatch, type RequestCriteria } from "../faults/match-fault.ts";
import type { Stub, StubResponse } from "../generated/models.gen.ts";
import { zStub } from "../generated/schemas.gen.ts";
import { formOf } from "../utils/documented-operations.ts";
import { withCanonicalUuids } from "../utils/ids.ts";
import { checkInput, InputError, withPathPrefix } from "../utils/input-error.ts";
import { isObject } from "../utils/values.ts";
import { type OperationTable, servedMethod } from "./router.ts";
import { checkJson, checkText } from "./stub-template.ts";

/** Throws InputError naming the invalid field unless `stub` is a stub, of a request that no operation of the table answers. */
function assertStub(stub: unknown, table?: Pick<OperationTable, "match">): asserts stub is Stub {
  if (!isObject(stub) || Array.isArray(stub))
    throw new InputError("", "a stub must be an object with method, path and response");
  // First, because nothing else stops at a depth.
  checkJson(stub, () => {});
  const { method, path, match = {}, response, responses } = checkInput(zStub(), stub);
  const params = withPathPrefix("path", () => paramsOf(path));
  const found = table?.match(method, path);
  if (found !== undefined && "operation" in found)
    throw new InputError("path", `${method} ${path} is ${faultInstead(found.operation.id)}`);
  checkCriteria(match);
  if ((response === undefined) === (responses === undefined))
    throw new InputError("", "a stub has either response or responses");
  const named = responses?.map((one, index) => [`responses[${index}]`, one] as const) ?? [["response", response ?? {}]];
  for (const [field, { headers = {}, body = null }] of named)
    withPathPrefix(field, () => {
      checkHeaders(headers);
      checkJson({ headers, body }, (text, place) => checkText(text, place, params));
    });
}

function faultInstead(operationId: string): string {
  const fault = { match: { operationId }, when: { times: null }, do: { status: 200, body: {} } };
  return `answered by the operation ${operationId}. To replace its response, add a fault: ${JSON.stringify(fault)}`;
}

/** The names of the parameters of a path template, in its order. Throws InputError for a path that no request can have. */
function paramsOf(path: string): readonly string[] {
  if (/^\/(?:$|_|health(?:\/|$))/.test(path))
    throw new InputError("", "is a path of the mock server itself. Use another one");
  if (/[?#]/.test(path)) throw new InputError("", "must be a path alone. A query belongs into match.query");
  const colon = path.split("/").find((segment) => /^:\w+$/.test(segment));
  if (colon !== undefined) throw new InputError("", `"${colon}" is not a parameter. Write it as {${colon.slice(1)}}`);
  const segments = path.split("/").filter((segment) => /[{}]/.test(segment));
  const params = segments.map((segment) => segment.slice(1, -1));
  const wrong = segments.find((segment) => !/^\{\w+\}$/.test(segment));
  if (wrong !== undefined)
    throw new InputError("", `"${wrong}" is not a parameter. A parameter is a whole segment, such as {contactId}`);
  if (new Set(params).size < params.length) throw new InputError("", "has two parameters of the same name");
  const literal = path.replaceAll(/[{}]/g, "");
  if (!path.startsWith("/") || new URL(`http://localhost${literal}`).pathname !== literal)
    throw new InputError("", "must be a whole path as requests have it, such as /api/v1/contacts/{contactId}");
  return params;
}

/** A stub as the list shows it: with the id that replaces and removes it, and the number of requests that it has answered. */
type ListedStub = Stub & Pick<ListedFault, "id" | "hits">;

/** The stubs of a backend, in the order in which they were added. */
export interface Stubs {
  /**
   * Adds a stub and returns its id. Throws InputError naming the invalid field: for a request that an operation of the API
   * answers, for a duplicate, and if there are 1000 stubs.
   */
  add(stub: Stub): string;
  /** Lists the stubs. */
  list(): readonly ListedStub[];
  /** Deletes a stub; false if none has this id. */
  delete(id: string): boolean;
  /** Removes every stub. */
  clear(): void;
}

export const noStubs: FaultsSnapshot = { last: 0, waiting: [] };

/** A stub, prepared for matching. */
export interface ActiveStub extends Pick<ListedStub, "id"> {
  readonly stub: Stub;
  /** What faults and the dispatcher read of an operation. The API document has none for it. */
  readonly operation: OperationDescription;
  readonly form: RegExp;
  /** What two stubs for the same requests have in common. */
  readonly shape: string;
  /** Higher for one that says more about a request. */
  readonly rank: number;
  hits: number;
}

/** A stub that matches a request, apart from the criteria of the body. */
export interface FoundStub {
  readonly stub: ActiveStub;
  readonly params: Readonly<Record<string, string>>;
}

/** What stubs are compared with. */
type StubbedRequest = Pick<RequestCriteria, "url" | "headers"> & { readonly method: string };

/** The stubs, with what the backend itself does with them. */
export type StubTable = ReturnType<typeof createStubs>;

/** The number of stubs that a backend holds at most. A request that no operation matches is compared with all of them. */
const mostStubs = 1000;

/** Creates an empty list of stubs. */
export function createStubs(
  table: Pick<OperationTable, "match">,
  { events, changed = () => {} }: Pick<FaultsPlace, "events" | "changed">,
) {
  let last = 0;
  let all: readonly ActiveStub[] = [];
  const put = (stubs: readonly ActiveStub[]): void => {
    all = stubs;
    changed();
  };
  const drop = (isGone: (entry: ActiveStub) => boolean): boolean => {
    const gone = all.filter(isGone);
    if (gone.length > 0) put(all.filter((entry) => !isGone(entry)));
    for (const { id, hits } of gone) events.emit("stub.removed", { id, hits });
    return gone.length > 0;
  };
  const stubs: Stubs = {
    add(stub) {
      assertStub(stub, table);
      const entry = newStub(`stub-${last + 1}`, stub, all);
      last += 1;
      put([...all, entry]);
      events.emit("stub.added", { id: entry.id, method: stub.method, path: stub.path });
      return entry.id;
    },
    list: () => all.map(listed),
    delete: (id) => drop((entry) => entry.id === id),
    clear: () => void drop(() => true),
  };
  return {
    ...stubs,
    /** The stubs that match a request apart from its body, the best first. */
    candidates: (request: StubbedRequest): readonly FoundStub[] => bestFirst(all, request),
    /** Counts a request, and returns its response. */
    nextResponse: (entry: ActiveStub): StubResponse | undefined => takeResponse(entry, changed),
    /** Exports the stubs for a snapshot. */
    keep: (): FaultsSnapshot => ({ last, waiting: all.map((entry) => ({ ...listed(entry) })) }),
    /** Checks the stubs of a snapshot. The returned function replaces all stubs. Throws InputError naming the invalid field. */
    prepare(kept: FaultsSnapshot): () => void {
      const prepared = keptStubs(kept);
      return () => {
        last = Math.max(kept.last, ...prepared.map(({ id }) => Number(id.slice("stub-".length))));
        put(prepared);
      };
    },
  };
}

/** Prepares a stub that was checked, beside others. Throws InputError for one too many, and for one that is there already. */
function newStub(id: string, stub: Stub, others: readonly ActiveStub[], hits = 0): ActiveStub {
  if (others.length >= mostStubs)
    throw new InputError("", `more than ${mostStubs} stubs are not allowed. Delete those that are not used.`);
  const entry = activeStub(id, structuredClone(stub), hits);
  const same = others.find(({ shape }) => shape === entry.shape);
  if (same === undefined) return entry;
  throw new InputError("path", `${same.id} has the same method, path and match. Delete one of the two.`);
}

/** The stubs of a snapshot. A stub for a path that is now an operation is kept, but the operation answers. */
function keptStubs({ waiting }: FaultsSnapshot): readonly ActiveStub[] {
  const prepared: ActiveStub[] = [];
  for (const [index, { id, hits = 0, ...stub }] of waiting.entries())
    withPathPrefix(`stubs.waiting[${index}]`, () => {
      checkKept(id, hits, prepared);
      assertStub(stub);
      prepared.push(newStub(id, stub, prepared, hits));
    });
  return prepared;
}

/** Checks what a snapshot adds to a stub: an id of its own, and the number of its requests. */
function checkKept(id: string, hits: unknown, others: readonly ActiveStub[]): asserts hits is number {
  if (!/^stub-[1-9]\d{0,8}$/.test(id)) throw new InputError("id", "must be the id of a stub, such as stub-1");
  if (others.some((entry) => entry.id === id))
    throw new InputError("id", `${id} is there twice. Remove one of the two.`);
  if (!Number.isSafeInteger(hits) || Number(hits) < 0)
    throw new InputError("hits", "must be a whole number of at least 0");
}

const listed = ({ id, stub, hits }: ActiveStub): ListedStub => ({ ...structuredClone(stub), id, hits });

function takeResponse(entry: ActiveStub, changed: () => void): StubResponse | undefined {
  const { response, responses = [] } = entry.stub;
  const next = response ?? responses[Math.min(entry.hits, responses.length - 1)];
  entry.hits += 1;
  // The count alone does not make a read wait for the store.
  if (entry.hits < responses.length) changed();
  return next;
}

const bestFirst = (stubs: readonly ActiveStub[], request: StubbedRequest): FoundStub[] =>
  stubs.flatMap((stub) => matchOf(stub, request) ?? []).sort((one, other) => other.stub.rank - one.stub.rank);

/** The stub with its parameters, if it matches a request apart from its body. */
function matchOf(stub: ActiveStub, { method, url, headers }: StubbedRequest): FoundStub | undefined {
  const { operation, form } = stub;
  const values = operation.method === servedMethod(method) ? form.exec(withCanonicalUuids(url.pathname)) : null;
  const { headers: wanted = {}, query = {} } = stub.stub.match ?? {};
  if (values === null || !isRequestMatch({ headers: wanted, query }, { operation, url, headers })) return undefined;
  const params = operation.pathParameters.map((name, index) => [name, decoded(values[index + 1] ?? "")]);
  return { stub, params: Object.fromEntries(params) };
}

/** A segment as text; as it is if it is not valid percent-encoding. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const noOperation: Omit<OperationDescription, "id" | "method" | "path" | "hasBody" | "pathParameters"> = {
  ...{ tag: "stubs", resource: "", sdkMethod: "", summary: "", roles: [], scope: "", accountScoped: false },
  ...{ idempotency: "non_idempotent", queryParameters: {}, statuses: [], errorCodes: [], successes: [] },
};

/** Prepares a stub that was checked. */
function activeStub(id: string, stub: Stub, hits: number): ActiveStub {
  const { method, path, match = {} } = stub;
  const pathParameters = paramsOf(path);
  const hasBody = method !== "GET" && method !== "DELETE";
  const criteria = [match.headers, match.query, match.body].map((one = {}) => Object.entries(one).sort());
  return {
    ...{
      id,
      stub,
      hits,
      form: formOf(withCanonicalUuids(path)),
      rank: criteria.flat().length - mostStubs * pathParameters.length,
    },
    operation: { ...noOperation, id, method, path, hasBody, pathParameters },
    shape: JSON.stringify([method, withCanonicalUuids(path).replaceAll(/\{\w+\}/g, "{}"), criteria]),
  };
}
