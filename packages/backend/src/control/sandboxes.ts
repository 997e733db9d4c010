import { controlDocument } from "../generated/document.gen.ts";
import { InputError } from "../model/input-error.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import type { BackendControls } from "../testing/controls.ts";
import type { ControlHandlers, SandboxRegistry } from "./exchange.ts";
import { controlError, type SuccessBody } from "./reply.ts";

export const sandboxHandlers = {
  getHealth: () => ({ status: "ok" }),
  getVersion: ({ backend }) => ({ control: versionOf(controlDocument), api: apiVersionOf(backend) }),
  getDocument: () => controlDocument,
  listSandboxes: ({ sandboxes, backend }) => ({
    sandboxes: (sandboxes?.list() ?? [""]).map((name) => summaryOf(name, sandboxes?.get(name) ?? backend)),
  }),
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

function summaryOf(
  name: string,
  { clock, journal }: Pick<BackendControls, "clock" | "journal">,
): SuccessBody<"listSandboxes">["sandboxes"][number] {
  const lastRequestAt = journal.latest?.at;
  return {
    ...describeSandbox(name),
    now: clock.iso(),
    mode: clock.mode,
    rate: clock.rate,
    requestCount: journal.count,
    ...(lastRequestAt !== undefined && { lastRequestAt }),
  };
}

/** The version in the paths of the API (§9). */
function apiVersionOf({ operations }: BackendControls): string {
  return operations[0]?.path.split("/")[2] ?? "";
}

function versionOf({ info }: Readonly<Record<string, unknown>>): string {
  return typeof info === "object" && info !== null && "version" in info ? String(info.version) : "";
}
