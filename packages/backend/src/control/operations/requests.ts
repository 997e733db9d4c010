import { errorCodes } from "@call-transfer/spec";
import type { OperationCoverage } from "../../http/journal/coverage.ts";
import { isUnmatched } from "../../http/journal/journal.ts";
import { InputError } from "../../utils/input-error.ts";
import { suggestion } from "../../utils/text.ts";
import type { BackendControls } from "../parts/controls.ts";
import type { ControlHandlers } from "../parts/exchange.ts";
import { controlError, type SuccessBody } from "../parts/reply.ts";
import { ruleOf } from "./specification.ts";

/** Throws InputError for an operation that does not exist: no request will ever match it. */
function checkOperation({ operationId }: { operationId?: string | undefined }, { operations }: BackendControls): void {
  const ids = operations.map(({ id }) => id);
  if (operationId !== undefined && !ids.includes(operationId))
    throw new InputError("operationId", `unknown operation "${operationId}".${suggestion(operationId, ids)}`);
}

export const requestHandlers = {
  listRequests({ backend, query }) {
    checkOperation(query, backend);
    return { requests: backend.journal.list(query) };
  },
  clearRequests: ({ backend }) => backend.journal.clear(),
  listUnmatchedRequests: ({ backend }) => ({
    requests: backend.journal
      .list()
      .filter(isUnmatched)
      .map((entry) => ({ closest: [], ...entry })),
  }),
  async waitForRequests({ backend, body: { count = 1, ...filter } }) {
    checkOperation(filter, backend);
    const requests = await backend.journal.wait({ ...filter, count });
    return { matched: requests.length >= count, requests };
  },
  getRequest({ backend, params, query }) {
    const found = backend.journal.get(Number(params.id), { reveal: query?.reveal });
    if (found === undefined) return notFound(params.id);
    const rule = ruleOf(found);
    return { ...found, ...(rule && { rule }) };
  },
  replayRequest: ({ backend, params }) =>
    backend.journal.get(Number(params.id)) === undefined ? notFound(params.id) : backend.replay(Number(params.id)),
  getCoverage: ({ backend }) => ({
    operations: backend.journal.coverage(),
    codes: codesOf(backend.journal.coverage()),
    unmatched: backend.journal.list().filter(isUnmatched).length,
    refused: backend.journal.list().filter(({ decidedBy }) => decidedBy.step === "gate").length,
  }),
} satisfies Partial<ControlHandlers>;

/** The error codes of all operations, in the order of the specification. */
function codesOf(operations: readonly OperationCoverage[]): SuccessBody<"getCoverage">["codes"] {
  const counts = operations.flatMap(({ codes }) => codes);
  return Object.entries(errorCodes).flatMap(([code, { mockStatus, meaning }]) => {
    const found = counts.filter((one) => one.code === code);
    if (found.length === 0) return [];
    const count = found.reduce((sum, one) => sum + one.count, 0);
    return { code, status: mockStatus, meaning, documented: found.some(({ documented }) => documented), count };
  });
}

function notFound(id: string): Response {
  return controlError("not_found", `There is no request ${id} in the journal.`, "id");
}
