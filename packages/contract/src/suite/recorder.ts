import { type ErrorCode, errorCodes, type OperationId, operations } from "@call-transfer/spec";
import { bodyViolations, judge } from "../document/check-response.ts";
import { operationIds, shownBy } from "../document/document.ts";
import { hasFieldErrors, statusOf } from "../document/expected.ts";
import { isDeeper, isObject, memberOf, omitUndefined } from "../document/json.ts";
import { contentType } from "../facts/limits.ts";
import { accounts } from "../fixtures/names.ts";
import type { Seed } from "../fixtures/seed.ts";
import { world } from "../fixtures/world.ts";
import type { BrokenResponse, Fault, Target } from "./target.ts";
import { describeValue, requestLine, responseLine } from "./trace.ts";

/** A response, and the request that it answers. */
export interface CheckedResponse {
  readonly operation: OperationId | undefined;
  /** The account of the request; undefined if it names none. */
  readonly accountId: string | undefined;
  /** The request's address and body. */
  readonly sent: string;
  readonly text: string;
  /** The body as JSON; undefined unless it is JSON. */
  readonly body: unknown;
}

/** Finds what a response must not contain: secrets of which only some operations tell, and data of other accounts. */
export interface LeakCheck {
  /** Adds the secrets of a seed. */
  seedSandbox(seed: Seed): void;
  /** The violations of a response. Adds the secrets in it. */
  violationsOf(response: CheckedResponse): string[];
}

/** Shorter texts are words that may stand in any response. */
const shortestValue = 12;

/** The values other than null of the marked fields in a JSON value, at any depth. */
function* markedIn(node: unknown): Generator<readonly [field: string, value: unknown]> {
  if (!isObject(node)) return;
  for (const [name, value] of Object.entries(node)) {
    if (shownBy.has(name) && value !== null) yield [name, value];
    yield* markedIn(value);
  }
}

const idsNamesAndSecrets = new Set(["id", "name", "number", "signingSecret"]);

/** The ids, names, numbers and secrets by which an account of the initial state differs from all others. */
function ownValues(): Map<string, readonly string[]> {
  const byAccount = new Map<string, Set<string>>();
  const owners = new Map<string, Set<string>>();
  const records = Object.entries(world).flatMap(([collection, list]: [string, readonly object[]]) =>
    list.map((record) => ({ owner: Reflect.get(record, collection === "accounts" ? "id" : "accountId"), record })),
  );
  for (const { owner, record } of records) {
    if (typeof owner !== "string") continue;
    for (const [field, value] of Object.entries(record)) {
      if (!idsNamesAndSecrets.has(field) || typeof value !== "string" || value.length < shortestValue) continue;
      byAccount.set(owner, (byAccount.get(owner) ?? new Set()).add(value));
      owners.set(value, (owners.get(value) ?? new Set()).add(owner));
    }
  }
  return new Map(
    [...byAccount].map(([id, values]) => [id, [...values].filter((value) => owners.get(value)?.size === 1)]),
  );
}

const valuesOf = ownValues();

/** The values of all accounts but one. */
const valuesOfOthers = new Map(
  Object.values(accounts).map((id) => [id, [...valuesOf].flatMap(([other, values]) => (other === id ? [] : values))]),
);

/** The values of accounts other than the request's in a text, except for those that the request contains itself. */
function foreignValuesIn(text: string, accountId: string, sent: string): string[] {
  const others = valuesOfOthers.get(accountId) ?? [...valuesOf.values()].flat();
  return others.filter((value) => text.includes(value) && !sent.includes(value));
}

const secretsIn = (node: unknown): string[] =>
  [...markedIn(node)].flatMap(([, value]) =>
    typeof value === "string" && value.length >= shortestValue ? [value] : [],
  );

const firstSecrets = secretsIn(world);

/** A check for the responses of one case, which starts in the initial state. */
function createLeakCheck(): LeakCheck {
  const secrets = new Set(firstSecrets);
  const addSecrets = (node: unknown): void => {
    for (const secret of secretsIn(node)) secrets.add(secret);
  };
  return {
    seedSandbox: addSecrets,
    violationsOf({ operation, accountId, sent, text, body }) {
      const found: string[] = [];
      if ([...secrets].some((secret) => text.includes(secret) && !sent.includes(secret)))
        found.push("the response contains a secret that was shown before");
      for (const [field] of markedIn(body))
        if (operation === undefined || !shownBy.get(field)?.includes(operation))
          found.push(`the response has ${field}, which only ${shownBy.get(field)?.join(", ")} may show (§2.1)`);
      addSecrets(body);
      if (operation === undefined || accountId === undefined || !operations[operation].accountScoped) return found;
      for (const value of foreignValuesIn(text, accountId, sent))
        found.push(`the response contains ${value.slice(0, shortestValue)}… of another account`);
      return found;
    },
  };
}

/** A request and its response, as counted in the coverage. */
export interface Exchange {
  /** Absent for an unknown path or method. */
  readonly operation?: OperationId;
  readonly status: number;
  readonly code?: string;
  /** Whether a fault produced the response. */
  readonly byFault: boolean;
}

/** A target whose responses are checked against the contract. */
export interface Recording {
  readonly target: Target;
  readonly exchanges: readonly Exchange[];
  /** Violations of the contract in the responses. */
  readonly violations: readonly string[];
  /** Each request and response as text, without credentials and secrets. */
  readonly trace: readonly string[];
}

const patterns = operationIds.map((id) => ({
  id,
  method: operations[id].method as string,
  path: new RegExp(`^${operations[id].path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
}));

/** The operation of a request; undefined for an unknown path or method. */
export function operationOf(method: string, pathname: string): OperationId | undefined {
  const path = pathname.slice(Math.max(0, pathname.indexOf("/api/")));
  return patterns.find((pattern) => pattern.method === method && pattern.path.test(path))?.id;
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(errorCodes, code);

/** Rules for errors besides their schema: the code's status in the table (§2.6, §7). */
function problemViolations(status: number, body: unknown): string[] {
  if (!isObject(body)) return ["the error body is not an object (§7.1)"];
  const { code, status: mirrored, errors } = body;
  const broken: string[] = [];
  if (mirrored !== status)
    broken.push(`the body's status ${describeValue(mirrored)} differs from the response's (§2.6)`);
  if (!isErrorCode(code)) return [...broken, `${describeValue(code)} is not a code of the table (§7.2)`];
  const expected = statusOf(code);
  if (expected !== null && expected !== status) broken.push(`${code} must have status ${expected} (§7.2)`);
  if (hasFieldErrors(code) && !(Array.isArray(errors) && errors.length > 0))
    broken.push(`${code} has no field errors (§7.1)`);
  return broken;
}

/** The request id is in the header, and an error repeats it (§2.6). A-52: whether there is one. */
function requestIdViolations(status: number, header: string | null, body: unknown, onlyStated: boolean): string[] {
  const repeated = status < 400 ? undefined : memberOf(body, "requestId");
  if (onlyStated && (repeated ?? null) === null) return [];
  const broken = header ? [] : ["X-Request-Id is missing (§2.6)"];
  if (status >= 400 && repeated !== header)
    broken.push(`requestId ${describeValue(repeated)} differs from X-Request-Id ${header} (§2.6)`);
  return broken;
}

/** The most levels of a body that is checked. */
const mostLevels = 64;

/** The value of a JSON text; undefined for any other. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The media type of JSON, and those built on it. */
const jsonType = /^application\/(?:[\w.-]+\+)?json$/i;

function inspect(operation: OperationId | undefined, { status, headers }: Response, text: string, onlyStated: boolean) {
  const requestId = headers.get("X-Request-Id");
  if (status === 204) {
    const broken = requestIdViolations(status, requestId, undefined, onlyStated);
    return { body: undefined, broken: text === "" ? broken : [...broken, "a 204 must not have a body"] };
  }
  const type = headers.get("Content-Type")?.split(";")[0]?.trim() ?? "";
  const value = parsed(text);
  const isTooDeep = isDeeper(value, mostLevels);
  const body = isTooDeep ? undefined : value;
  const broken = requestIdViolations(status, requestId, body, onlyStated);
  if (onlyStated ? !jsonType.test(type) : type !== contentType)
    return { body: undefined, broken: [...broken, `the content type is ${type} and not ${contentType} (§1)`] };
  if (isTooDeep) return { body, broken: [...broken, `the body nests deeper than ${mostLevels} levels`] };
  if (body === undefined) return { body, broken: [...broken, "the body is not JSON (§1)"] };
  if (status >= 400) broken.push(...problemViolations(status, body));
  if (operation && onlyStated) broken.push(...judge(operation, status, body).violations);
  else if (operation) broken.push(...bodyViolations(operation, status, body));
  return { body, broken };
}

type ForcedResponse = Exclude<Fault["do"], BrokenResponse>;

/** Whether one of the injected faults explains the response. */
const isForced = (forcedResponses: readonly ForcedResponse[], status: number, code: unknown): boolean =>
  forcedResponses.some((fault) => ("code" in fault ? fault.code === code : fault.status === status));

/** Whether a fault defines the whole response, e.g. a proxy's page, which cannot match the contract. */
const isRaw = (forcedResponses: readonly ForcedResponse[], status: number): boolean =>
  forcedResponses.some((fault) => "status" in fault && fault.status === status);

/** Checks and counts the responses of one case. */
function createInspection(onlyStated: boolean) {
  const exchanges: Exchange[] = [];
  const violations: string[] = [];
  const forcedResponses: ForcedResponse[] = [];
  const leaks = createLeakCheck();
  /** The accounts of the keys that the case uses. */
  const accountOfKey = new Map<string, string>();
  return {
    exchanges,
    violations,
    forcedResponses,
    leaks,
    accountOfKey,
    add(request: Request, sent: string, response: Response, text: string): void {
      const { status } = response;
      const { pathname } = new URL(request.url);
      const operation = operationOf(request.method, pathname);
      // The contract says nothing about what else a server answers, such as by stubs of its user.
      const isForeign = operation === undefined && status < 400;
      const { body, broken } = inspect(operation, response, text, onlyStated);
      const code = status >= 400 ? memberOf(body, "code") : undefined;
      if (!isForeign && !isRaw(forcedResponses, status)) {
        const key = request.headers.get("Authorization")?.replace("Bearer ", "");
        const named = request.headers.get("X-Account-Id")?.toLowerCase() ?? accountOfKey.get(key ?? "");
        // Accounts elsewhere are not those of the world, whose names and numbers they may have.
        const accountId = onlyStated ? undefined : named;
        broken.push(...leaks.violationsOf({ operation, accountId, sent: request.url + sent, text, body }));
        violations.push(...broken.map((what) => `${request.method} ${pathname} → ${status}: ${what}`));
      }
      exchanges.push({
        ...omitUndefined({ operation }),
        status,
        ...(typeof code === "string" ? { code } : {}),
        byFault: isForced(forcedResponses, status, code),
      });
    },
  };
}

/** Wraps a target so that each response is checked and counted. */
export function record(target: Target): Recording {
  const inspection = createInspection(target.onlyStated ?? false);
  const { exchanges, violations } = inspection;
  const trace: string[] = [];
  /** The number of responses still to be broken by faults. */
  let pendingBroken = 0;

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input instanceof Request ? input.clone() : input, init);
    const sent = await request.clone().text();
    trace.push(requestLine(request, sent));
    if (pendingBroken > 0) {
      // A broken response cannot match the contract, and reading it may never end.
      pendingBroken -= 1;
      trace.push("→ broken by a fault");
      return target.fetch(input, init);
    }
    const response = await target.fetch(input, init);
    const text = await response.clone().text();
    trace.push(responseLine(request, response, text));
    inspection.add(request, sent, response, text);
    return response;
  };

  const { faults } = target;
  const add = async (fault: Fault) => {
    if (typeof fault.do === "string") pendingBroken += fault.times ?? 1;
    else inspection.forcedResponses.push(fault.do);
    await faults?.add(fault);
  };
  const recorded: Target = {
    ...target,
    fetch,
    async credentialsFor(who) {
      const credentials = await target.credentialsFor(who);
      if ("keyOf" in who && credentials.apiKey !== undefined)
        inspection.accountOfKey.set(credentials.apiKey, who.keyOf);
      return credentials;
    },
    seed(seed) {
      inspection.leaks.seedSandbox(seed);
      return target.seed(seed);
    },
    ...(faults && { faults: { add } }),
  };
  return { target: recorded, exchanges, violations, trace };
}
