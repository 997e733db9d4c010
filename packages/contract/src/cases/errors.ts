import { type ErrorCode, errorCodes, type OperationId, operations } from "@call-transfer/spec";
import { faultOnlyCodes, operationIds } from "../document/document.ts";
import { hasFieldErrors, statusOf } from "../document/expected.ts";
import { headers } from "../facts/limits.ts";
import { accounts } from "../fixtures/names.ts";
import { type ContractCase, casesFor, covering, shows } from "../suite/case.ts";
import type { Check } from "../suite/check.ts";
import { codeOf, connect, homeUser, identityOf, invoke, sendRaw, validInput } from "../suite/client.ts";
import type { Target } from "../suite/target.ts";

const test = casesFor("errors", ["validation"]);
const limited = casesFor("errors", ["policies", "clock"]);
const faulty = casesFor("errors", ["faults"]);
const faultOnly = casesFor("codes on demand", ["faults"]);
const bodyOperations = operationIds.filter((id) => operations[id].hasBody);

/** An operation that documents the code. Any operation may return any code, so `listAccounts` otherwise. */
const operationFor = (code: ErrorCode): OperationId =>
  operationIds.find((id) => (operations[id].errorCodes as readonly string[]).includes(code)) ?? "listAccounts";

/** Expects an error of the SDK with everything that the code table defines. */
async function arrives(check: Check, call: PromiseLike<unknown>, code: ErrorCode): Promise<void> {
  const error = await check.rejected(call, code);
  check.equal(error.status, statusOf(code) ?? error.status, "status");
  check.equal(error.title, errorCodes[code].title, "title");
  check.isTrue(typeof error.detail === "string" && error.detail !== "", "a detail");
  check.isTrue(typeof error.requestId === "string" && error.requestId !== "", "a requestId");
  check.equal((error.errors?.length ?? 0) > 0, hasFieldErrors(code), "whether fields are named");
}

/** Every code of the table, each returned once by a fault. */
const demandCases = (Object.keys(errorCodes) as ErrorCode[]).map((code) =>
  covering(
    [{ kind: "demand", code }],
    faultOnly(`${code} arrives as a typed error`, async (target, check) => {
      const operation = operationFor(code);
      await target.faults.add({ match: { operationId: operation }, do: { code } });
      await arrives(check, invoke(await connect(target), operation, validInput(operation)), code);
    }),
  ),
);

/** Documented codes that only a fault can produce. */
const documentedDemandCases = operationIds.flatMap((operation) =>
  faultOnlyCodes
    .filter((code) => (operations[operation].errorCodes as readonly string[]).includes(code))
    .map((code) =>
      faultOnly(`${operation} returns ${code} and serves the next request`, async (target, check) => {
        const client = await connect(target);
        await target.faults.add({ match: { operationId: operation }, do: { code } });
        await arrives(check, invoke(client, operation, validInput(operation)), code);
        await invoke(client, operation, validInput(operation));
      }),
    ),
);

const rateLimitCases = operationIds.map((operation) =>
  covering(
    shows("rate limit: exhausted → free, after retryAfterSecs"),
    limited(`${operation} beyond the rate limit returns the wait, and succeeds after it`, async (target, check) => {
      const client = await connect(target);
      await target.policies.set({ rateLimit: { requests: 1, windowSecs: 30 } });
      await client.roles.list();
      // With a fraction of a second left, a wait that is rounded down is too short.
      await target.clock.advance({ by: 500 });
      const error = await check.rejected(invoke(client, operation, validInput(operation)), "rate_limit_exceeded");
      const wait = error.meta?.retryAfterSecs ?? 0;
      check.isTrue(wait > 0 && wait <= 30, `meta.retryAfterSecs is above 0 and at most 30, got ${wait}`);
      await target.clock.advance({ by: wait * 1000 });
      await invoke(client, operation, validInput(operation));
    }),
  ),
);

async function sendAs(target: Target, operation: OperationId, init: RequestInit): Promise<Response> {
  const identity = await identityOf(target, homeUser("owner"));
  return sendRaw(target, operation, { ...init, headers: { ...identity, ...(init.headers as object) } });
}

/** Bodies that are not JSON of an acceptable size. */
const unreadable: Readonly<Record<string, { init: RequestInit; code: ErrorCode }>> = {
  "malformed JSON": { init: { body: '{"name": ' }, code: "invalid_json" },
  "an empty body": { init: { body: "" }, code: "invalid_json" },
  "another content type": {
    init: { body: "name=x", headers: { "Content-Type": "application/x-www-form-urlencoded" } },
    code: "bad_request",
  },
  "JSON sent as text/plain": { init: { headers: { "Content-Type": "text/plain" } }, code: "bad_request" },
  "a body over 1 MiB": { init: { body: JSON.stringify({ name: "n".repeat(2 ** 20) }) }, code: "bad_request" },
};

const bodyCases = bodyOperations.flatMap((operation) =>
  Object.entries(unreadable).map(([what, { init, code }]) =>
    test(`${operation} with ${what} returns ${code}`, async (target, check) => {
      const response = await sendAs(target, operation, init);
      check.equal(response.status, statusOf(code), "status");
      check.equal(await codeOf(response), code, "code");
    }),
  ),
);

/** A method that no operation has on the path. */
function wrongMethodOf(operation: OperationId): string {
  const taken = Object.values(operations).filter(({ path }) => path === operations[operation].path);
  return ["PUT", "PATCH"].find((method) => taken.every((other) => other.method !== method)) ?? "TRACE";
}

const methodCases = operationIds.map((operation) =>
  test(`the path of ${operation} with another method returns not_found and an Allow header`, async (target, check) => {
    const url = target.baseUrl + operations[operation].path.replaceAll(/\{[^}]+\}/g, accounts.home);
    const response = await target.fetch(url, { method: wrongMethodOf(operation) });
    check.equal(await codeOf(response), "not_found", "code");
    const allowed = (response.headers.get("Allow") ?? "").split(",").map((method) => method.trim());
    check.isTrue(allowed.includes(operations[operation].method), `Allow names ${operations[operation].method}`);
  }),
);

/** Error codes, the error body, and paths and methods that do not exist. */
export const errorCases: readonly ContractCase[] = [
  ...demandCases,
  ...documentedDemandCases,
  ...rateLimitCases,
  ...bodyCases,
  ...methodCases,
  test("an unknown path returns not_found, also without a credential", async (target, check) => {
    const response = await target.fetch(`${target.baseUrl}/api/v1/nothing-here`);
    check.equal(await codeOf(response), "not_found", "code");
  }),
  test("requestId is the response's X-Request-Id, and differs for each request", async (target, check) => {
    const client = await connect(target);
    const first = await client.roles.list().withResponse();
    const second = await client.roles.list().withResponse();
    check.equal(first.requestId, first.response.headers.get(headers.requestId), "requestId");
    check.isTrue(first.requestId !== second.requestId, "two requests have different ids");
  }),
  faulty("an error that is not JSON still becomes an error with its status", async (target, check) => {
    const page = { status: 502, body: "<html>Bad gateway</html>", headers: { "Content-Type": "text/html" } };
    await target.faults.add({ do: page });
    const { error } = await (await connect(target)).roles.list().result();
    check.equal(Reflect.get(error ?? {}, "status"), 502, "status");
    check.equal(Reflect.get(error ?? {}, "code"), undefined, "code");
  }),
];
