import type { Stub } from "../../generated/models.gen.ts";
import type { ControlHandlers } from "../parts/exchange.ts";
import { controlError } from "../parts/reply.ts";

export const stubHandlers = {
  listStubs: ({ backend }) => ({ stubs: backend.stubs.list() }),
  addStub: ({ backend, body }) => ({ id: backend.stubs.add(body as Stub) }),
  clearStubs: ({ backend }) => backend.stubs.clear(),
  replaceStub: ({ backend, params, body }) =>
    backend.stubs.replace(params.id, body as Stub) ? undefined : noStub(params.id),
  removeStub: ({ backend, params }) => (backend.stubs.remove(params.id) ? undefined : noStub(params.id)),
} satisfies Partial<ControlHandlers>;

function noStub(id: string): Response {
  return controlError("not_found", `There is no stub ${id}.`, "id");
}
