import { controlDocument } from "../generated/document.gen.ts";
import { InputError } from "../model/input-error.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import type { BackendControls } from "../testing/controls.ts";
import type { ControlHandlers, SandboxRegistry } from "./exchange.ts";
import { controlError } from "./reply.ts";

export const sandboxHandlers = {
  getHealth: () => ({ status: "ok" }),
  getVersion: ({ backend }) => ({ control: versionOf(controlDocument), api: apiVersionOf(backend) }),
  getDocument: () => controlDocument,
  listSandboxes: ({ sandboxes }) => ({ sandboxes: (sandboxes?.list() ?? [""]).map(describeSandbox) }),
  createSandbox({ sandboxes, body: { name, ...options } }) {
    required(sandboxes).create(name, omitUndefined(options));
    return describeSandbox(name);
  },
  deleteSandbox: ({ sandboxes, params }) =>
    required(sandboxes).delete(params.name)
      ? undefined
      : controlError("not_found", `There is no sandbox "${params.name}".`, "name"),
  resetSandbox: ({ backend }) => backend.reset(),
  addSeed: ({ backend, body }) => backend.seed(body),
  getSnapshot: ({ backend }) => backend.snapshot(),
  putSnapshot: ({ backend, body }) => backend.restore(body),
} satisfies Partial<ControlHandlers>;

function required(sandboxes: SandboxRegistry | undefined): SandboxRegistry {
  if (sandboxes === undefined)
    throw new InputError("name", "this backend has no sandboxes. Create it with createSandboxes().");
  return sandboxes;
}

function describeSandbox(name: string): { name: string; path: string } {
  return { name, path: name === "" ? "" : `/_sandbox/${name}` };
}

/** The version in the paths of the API (§9). */
function apiVersionOf({ operations }: BackendControls): string {
  return operations[0]?.path.split("/")[2] ?? "";
}

function versionOf({ info }: Readonly<Record<string, unknown>>): string {
  return typeof info === "object" && info !== null && "version" in info ? String(info.version) : "";
}
