import { type ErrorCode, errorCodes, operations } from "@call-transfer/spec";
import { operationIds } from "../document/document.ts";
import { statusOf } from "../document/expected.ts";
import { limits, retriedStatuses } from "../facts/limits.ts";
import { type ContractCase, casesFor, covering, type Idempotency } from "../suite/case.ts";
import { connectImpatient, invoke, validInput } from "../suite/client.ts";
import type { Fault } from "../suite/target.ts";

const test = casesFor("retries", ["faults", "policies"]);
const anywhere = casesFor("retries");
const attemptsAtMost = limits.clientMaxRetries + 1;

/** Classes of operations that are retried. */
const repeatable: readonly Idempotency[] = ["idempotent", "conflict_safe"];
const always: readonly Idempotency[] = ["idempotent", "conflict_safe", "non_idempotent"];

const codesWhere = (filter: (code: ErrorCode) => boolean) => (Object.keys(errorCodes) as ErrorCode[]).filter(filter);

interface RetriedResponse {
  readonly name: string;
  readonly fault: Fault["do"];
  readonly code?: ErrorCode;
  readonly retried: readonly Idempotency[];
}
const withCode = (code: ErrorCode, retried: readonly Idempotency[]): RetriedResponse => ({
  name: code,
  fault: { code },
  code,
  retried,
});

/** Error responses, and the classes of operations that are retried after each. */
export const retriedResponses: readonly RetriedResponse[] = [
  ...codesWhere((code) => [500, 503].includes(statusOf(code) ?? 0)).map((code) => withCode(code, repeatable)),
  ...retriedStatuses
    // Codes of the table have the other status. Their responses stand below.
    .filter((status) => status !== statusOf("rate_limit_exceeded"))
    .map((status) => ({ name: `a ${status} without a body`, fault: { status }, retried: repeatable })),
  { name: "a proxy's 502", fault: { status: 502, body: "<html></html>" }, retried: repeatable },
  withCode("rate_limit_exceeded", always),
  withCode("assistant_quota_exceeded", []),
  withCode("forbidden", []),
];

const matrix = operationIds.flatMap((operation) =>
  retriedResponses.map(({ name, fault, code, retried }) => {
    const again = retried.includes(operations[operation].idempotency);
    return covering(
      [{ kind: "reaction", fault: name, idempotency: operations[operation].idempotency }],
      test(`${operation} after ${name} is ${again ? "retried and succeeds" : "not retried"}`, async (target, check) => {
        await target.faults.add({ match: { operationId: operation }, do: fault });
        const { client, sent } = await connectImpatient(target);
        const call = invoke(client, operation, validInput(operation));
        if (again) await call;
        else if (code) await check.rejected(call, code);
        else await check.fails(call);
        check.equal(sent.count, again ? 2 : 1, "requests sent");
      }),
    );
  }),
);

/** Assumption A-28, which only a client that trusts it relies on. */
const trusting = operationIds
  .filter((operation) => operations[operation].idempotency === "non_idempotent")
  .flatMap((operation) =>
    codesWhere((code) => statusOf(code) === 503).map((code) => {
      const again = errorCodes[code].noEffect;
      return test(`${operation} after ${code} is ${again ? "retried" : "not retried"} by a client that trusts codes of 503`, async (target, check) => {
        await target.faults.add({ match: { operationId: operation }, do: { code } });
        const { client, sent } = await connectImpatient(target, false, { trust503Codes: true });
        const call = invoke(client, operation, validInput(operation));
        if (again) await call;
        else await check.rejected(call, code);
        check.equal(sent.count, again ? 2 : 1, "requests sent");
      });
    }),
  );

/** The SDK's retries after each error response, through the whole stack. */
export const retryCases: readonly ContractCase[] = [
  ...matrix,
  ...trusting,
  test("a lasting outage fails after the documented number of retries, with growing waits", async (target, check) => {
    await target.faults.add({ times: attemptsAtMost, do: { code: "service_unavailable" } });
    const { client, sent, waits } = await connectImpatient(target);
    await check.rejected(client.roles.list(), "service_unavailable");
    check.equal(sent.count, attemptsAtMost, "requests sent");
    check.isTrue(
      waits.every((wait, index) => wait > (waits[index - 1] ?? 0)),
      `growing waits, got ${waits.join(", ")}`,
    );
  }),
  anywhere("an attempt may take the documented time by default", async (target, check) => {
    const { client, attemptTimeoutsMs } = await connectImpatient(target);
    await client.roles.list();
    check.equal(attemptTimeoutsMs, [limits.clientTimeoutSecs * 1000], "the time that the attempt may take");
  }),
  test("the client waits as long as a rate limit asks", async (target, check) => {
    const { client, waits } = await connectImpatient(target);
    await target.policies.set({ rateLimit: { requests: 1, windowSecs: 30 } });
    await client.roles.list();
    await check.rejected(client.roles.list(), "rate_limit_exceeded");
    check.isTrue(
      waits.length > 0 && waits.every((wait) => wait >= 1000),
      `waits of a second or more, got ${waits.join(", ")}`,
    );
  }),
];
