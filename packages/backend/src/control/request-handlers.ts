import { errorCodes } from "@call-transfer/spec";
import type { Fault } from "../faults/fault.ts";
import { redactedFault } from "../faults/faults.ts";
import type { RequestEntry, Rule, Stub } from "../generated/models.gen.ts";
import { zFaultText } from "../generated/schemas.gen.ts";
import { specificationSections } from "../generated/specification.gen.ts";
import type { OperationCoverage } from "../http/request-log.ts";
import { checkInput, InputError, withPathPrefix } from "../utils/input-error.ts";
import { suggestion } from "../utils/text.ts";
import type { BackendControls } from "./controls.ts";
import { type ControlHandlers, notFound, type SuccessBody } from "./exchange.ts";

/** Where notes on error codes stand that no other section explains. */
const codesSection = "§7.2";

export const requestHandlers = {
  listRequests({ backend, query: filter }) {
    checkOperation(filter, backend);
    return { requests: backend.requests.list(filter) };
  },
  deleteRequests: ({ backend }) => backend.requests.clear(),
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
    unmatched: backend.requests.list({ unmatched: true }).length,
    rejected: backend.requests.list().filter(({ decidedBy }) => decidedBy.step === "server").length,
  }),
  listFaults: ({ backend: { faults }, query }) =>
    Response.json({ faults: query?.redact ? faults.list().map(redactedFault) : faults.list() }),
  // `add` validates it.
  addFault({ backend, body }) {
    if (!("text" in Object(body))) return { id: backend.faults.add(body as Fault) };
    const { text } = checkInput(zFaultText(), body);
    return { id: withPathPrefix("text", () => backend.faults.add(text)) };
  },
  deleteFaults: ({ backend: { faults }, query }) => deleteFrom(faults, "fault", query?.id),
  listStubs: ({ backend }) => ({ stubs: backend.stubs.list() }),
  addStub: ({ backend, body }) => ({ id: backend.stubs.add(body as Stub) }),
  deleteStubs: ({ backend: { stubs }, query }) => deleteFrom(stubs, "stub", query?.id),
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

/** Deletes all faults or stubs, or the one with the id. */
function deleteFrom(list: Pick<BackendControls["faults"], "delete" | "clear">, what: string, id: string | undefined) {
  if (id === undefined) return list.clear();
  return list.delete(id) ? undefined : notFound(`${what} ${id}`);
}
