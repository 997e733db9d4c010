import type { Backend } from "../backend.ts";
import { InputError } from "../model/input-error.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import type { Sandboxes } from "../sandboxes.ts";
import type { ControlHandlers } from "./control.ts";
import { controlDocument } from "./generated/document.gen.ts";
import { controlFailure } from "./reply.ts";

export const sandboxHandlers = {
  getHealth: () => ({ status: "ok" }),
  getVersion: ({ backend }) => ({ control: versionOf(controlDocument), api: apiVersionOf(backend) }),
  getDocument: () => controlDocument,
  listSandboxes: ({ sandboxes }) => ({ sandboxes: (sandboxes?.list() ?? [""]).map(shown) }),
  createSandbox({ sandboxes, body: { name, ...options } }) {
    several(sandboxes).create(name, omitUndefined(options));
    return shown(name);
  },
  deleteSandbox: ({ sandboxes, params }) =>
    several(sandboxes).delete(params.name)
      ? undefined
      : controlFailure("not_found", `There is no sandbox ${params.name}.`, "name"),
  resetSandbox: ({ backend }) => backend.reset(),
  addSeed: ({ backend, body }) => backend.seed(body),
  getSnapshot: ({ backend }) => backend.snapshot(),
  putSnapshot: ({ backend, body }) => backend.restore(body),
  getPolicies: ({ backend }) => ({ ...backend.policies }),
  changePolicies: ({ backend, body }) => backend.changePolicies(body),
} satisfies Partial<ControlHandlers>;

function several(sandboxes: Sandboxes | undefined): Sandboxes {
  if (sandboxes === undefined) throw new InputError("name", "this backend stands alone and has no sandboxes");
  return sandboxes;
}

function shown(name: string): { name: string; path: string } {
  return { name, path: name === "" ? "" : `/_sandbox/${name}` };
}

/** The version that every path of the API starts with (§9). */
function apiVersionOf({ operations }: Backend): string {
  return operations[0]?.path.split("/")[2] ?? "";
}

function versionOf({ info }: Readonly<Record<string, unknown>>): string {
  return typeof info === "object" && info !== null && "version" in info ? String(info.version) : "";
}
