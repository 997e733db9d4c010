import { errorCodes } from "@call-transfer/spec";
import type { Fault } from "../faults/fault.ts";
import { assertFault } from "../faults/fault-check.ts";
import { formatFault } from "../faults/format-fault.ts";
import { parseFault } from "../faults/parse-fault.ts";
import type { RequestEntry, Rule, Stub } from "../generated/models.gen.ts";
import { zFaultText } from "../generated/schemas.gen.ts";
import { specificationSections } from "../generated/specification.gen.ts";
import { isUnmatched, type OperationCoverage } from "../http/request-log.ts";
import { checkInput, InputError, withPathPrefix } from "../utils/input-error.ts";
import { redacted } from "../utils/redact.ts";
import { suggestion } from "../utils/text.ts";
import type { BackendControls } from "./controls.ts";
import { type ControlHandlers, notFound, type SuccessBody } from "./exchange.ts";

/** Where notes on error codes stand that no other section explains. */
const codesSection = "§7.2";

export const requestHandlers = {
  getSpecification: () => ({
    sections: Object.entries(specificationSections).map(([section, { cases, ...texts }]) => ({
      section,
      ...texts,
      ...(cases && { cases: [...cases] }),
    })),
  }),
  listRequests({ backend, query }) {
    checkOperation(query, backend);
    return { requests: backend.requests.list(query) };
  },
  clearRequests: ({ backend }) => backend.requests.clear(),
  listUnmatchedRequests: ({ backend }) => ({
    requests: backend.requests
      .list()
      .filter(isUnmatched)
      .map((entry) => ({ closestOperations: [], ...entry })),
  }),
  async waitForRequests({ backend, body: { count = 1, ...filter } }) {
    checkOperation(filter, backend);
    const requests = await backend.requests.wait({ ...filter, count });
    return { matched: requests.length >= count, requests };
  },
  getRequest({ backend, params, query }) {
    const found = backend.requests.get(Number(params.id), { redact: query?.redact });
    if (found === undefined) return notFound(`request ${params.id} in the request log`);
    const rule = ruleOf(found);
    return { ...found, ...(rule && { rule }) };
  },
  replayRequest: ({ backend, params }) =>
    backend.requests.get(Number(params.id)) === undefined
      ? notFound(`request ${params.id} in the request log`)
      : backend.replay(Number(params.id)),
  getCoverage: ({ backend }) => ({
    operations: backend.requests.coverage(),
    codes: codesOf(backend.requests.coverage()),
    unmatched: backend.requests.list().filter(isUnmatched).length,
    rejected: backend.requests.list().filter(({ decidedBy }) => decidedBy.step === "server").length,
  }),
  listFaults: ({ backend, query }) =>
    query?.redact
      ? Response.json({ faults: backend.faults.list().map((fault) => redacted({ ...fault })) })
      : { faults: backend.faults.list() },
  // `add` validates it.
  addFault({ backend, body }) {
    if (!("text" in Object(body))) return { id: backend.faults.add(body as Fault) };
    const { text } = checkInput(zFaultText(), body);
    return { id: withPathPrefix("text", () => backend.faults.add(text)) };
  },
  checkFault({ backend, body }) {
    const fault = checkedFault(body, backend);
    const text = formatFault(fault, backend.operations);
    return { fault, ...(text !== undefined && { text }) };
  },
  clearFaults: ({ backend }) => backend.faults.clear(),
  removeFault: ({ backend, params }) => (backend.faults.remove(params.id) ? undefined : notFound(`fault ${params.id}`)),
  listStubs: ({ backend }) => ({ stubs: backend.stubs.list() }),
  addStub: ({ backend, body }) => ({ id: backend.stubs.add(body as Stub) }),
  clearStubs: ({ backend }) => backend.stubs.clear(),
  replaceStub: ({ backend, params, body }) =>
    backend.stubs.replace(params.id, body as Stub) ? undefined : notFound(`stub ${params.id}`),
  removeStub: ({ backend, params }) => (backend.stubs.remove(params.id) ? undefined : notFound(`stub ${params.id}`)),
} satisfies Partial<ControlHandlers>;

/** The text behind a decision: of the error code, the status or the operation if there is one, otherwise the section's own. */
export function ruleOf({
  decidedBy,
  method,
  path,
  status,
  code,
}: Pick<RequestEntry, "decidedBy" | "method" | "path" | "status" | "code">): Rule | undefined {
  const { section } = decidedBy;
  if (section === undefined || specificationSections[section] === undefined) return undefined;
  const { title, text } = specificationSections[section];
  const caseOf = (when: string | undefined) => textOf(section, when);
  const note = textOf(codesSection, code);
  if (code !== undefined && caseOf(code) === undefined && !text.includes(`\`${code}\``) && note !== undefined)
    return { section: codesSection, title: specificationSections[codesSection]?.title ?? "", text: note };
  return { section, title, text: caseOf(code) ?? caseOf(String(status)) ?? caseOf(`${method} ${path}`) ?? text };
}

/** The text of a case of a section, unless it only refers to another section. */
function textOf(section: string, when: string | undefined): string | undefined {
  const found = specificationSections[section]?.cases?.find((one) => one.when === when)?.text;
  return found?.startsWith("See §") ? undefined : found;
}

/** Throws InputError for an operation that does not exist: no request will ever match it. */
function checkOperation({ operationId }: { operationId?: string | undefined }, { operations }: BackendControls): void {
  const ids = operations.map(({ id }) => id);
  if (operationId !== undefined && !ids.includes(operationId))
    throw new InputError("operationId", `unknown operation "${operationId}".${suggestion(operationId, ids)}`);
}

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

function checkedFault(body: unknown, { operations }: BackendControls): Fault {
  if ("text" in Object(body)) {
    const { text } = checkInput(zFaultText(), body);
    return withPathPrefix("text", () => parseFault(text, operations));
  }
  assertFault(body, operations);
  return body;
}
